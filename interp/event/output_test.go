package event

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ftsh/testdata/skip"
)

// TestMain lets the test program play a shell that appends to a log.
func TestMain(m *testing.M) {
	if path := os.Getenv("EVENT_TEST_LOG"); path != "" {
		if err := scribble(path, 50, 20); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// scribble lets many goroutines log to a file of its own opening.
func scribble(path string, writers, lines int) error {
	out, err := OpenOutput(path)
	if err != nil {
		return err
	}
	log := NewLog(out, Config{Level: Commands})
	var done sync.WaitGroup
	for w := range writers {
		done.Go(func() {
			for n := range lines {
				log.Observe(Event{Kind: CommandStart,
					Command: []string{"w", fmt.Sprint(w), fmt.Sprint(n), strings.Repeat("x", 200)}})
			}
		})
	}
	done.Wait()
	return out.Close()
}

func TestManyShellsAppendWholeLines(t *testing.T) {
	const shells, writers, lines = 4, 50, 20
	path := filepath.Join(t.TempDir(), "log")
	var running []*exec.Cmd
	for range shells {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "EVENT_TEST_LOG="+path)
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, c)
	}
	for _, c := range running {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	seen := map[string]int{}
	for line := range strings.Lines(read(t, path)) {
		var shell, w, n int
		var x string
		_, rest, _ := strings.Cut(line, " ")
		if _, err := fmt.Sscanf(rest, "[%d] ftsh starting: w %d %d %s\n", &shell, &w, &n, &x); err != nil || len(x) != 200 {
			t.Fatalf("torn: %v: %q", err, line)
		}
		seen[fmt.Sprint(shell, w, n)]++
	}
	if len(seen) != shells*writers*lines {
		t.Errorf("%d different lines, want %d", len(seen), shells*writers*lines)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestLevels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	out, err := OpenOutput(path)
	if err != nil {
		t.Fatal(err)
	}
	nothing, some := NewLog(out, Config{}), NewLog(out, Config{JSON: true, Level: Commands})
	for _, level := range []int{Failures, Commands, Structures, Processes} {
		if nothing.Enabled(level) {
			t.Errorf("level 0 wants %d", level)
		}
		if want := level <= Commands; some.Enabled(level) != want {
			t.Errorf("level 20 wants %d: %v", level, !want)
		}
	}
	for _, kind := range []Kind{CommandFailed, CommandStart, TryAttempt, ProcessStart} {
		nothing.Observe(Event{Kind: kind})
		some.Observe(Event{Kind: kind})
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	text := read(t, path)
	if strings.Count(text, "\n") != 2 || !strings.Contains(text, `"command.failed"`) ||
		!strings.Contains(text, `"command.start"`) {
		t.Errorf("logged:\n%s", text)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	must(t, os.Symlink("target", link))
	must(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	must(t, os.Mkdir(filepath.Join(dir, "dir"), 0o700))
	must(t, unix.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	for _, test := range []struct {
		name, path string
		want       error
	}{
		{"new file", "new", nil},
		{"link", "link", nil},
		{"device", "/dev/null", nil},
		{"standard error", "/dev/stderr", nil},
		{"directory", "dir", syscall.EISDIR},
		{"no such directory", "none/log", fs.ErrNotExist},
		{"below a file", "new/log", syscall.ENOTDIR},
		{"loop", "loop", syscall.ELOOP},
		{"empty", "", fs.ErrNotExist},
	} {
		path := test.path
		if path != "" && path[0] != '/' {
			path = filepath.Join(dir, path)
		}
		out, err := OpenOutput(path)
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
		if err == nil {
			if flags, _ := unix.FcntlInt(uintptr(out.fd), unix.F_GETFD, 0); flags&unix.FD_CLOEXEC == 0 {
				t.Errorf("%s: programs inherit the log", test.name)
			}
			must(t, out.Close())
		}
	}
	for _, name := range []string{"new", "target"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if _, err := OpenOutput(filepath.Join(dir, "fifo")); err == nil || !strings.Contains(err.Error(), "nobody reads") {
		t.Errorf("FIFO without reader: %v", err)
	}
}

func TestFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	must(t, unix.Mkfifo(path, 0o600))
	got := make(chan string)
	go func() {
		text, err := os.ReadFile(path)
		got <- fmt.Sprint(string(text), err)
	}()
	out, err := OpenOutput(path)
	must(t, err)
	NewLog(out, Config{Level: Failures}).Observe(failed)
	must(t, out.Close())
	if text := <-got; !strings.Contains(text, "failed: false: exit status 1") {
		t.Errorf("read %s", text)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestLinksOfOthersInStickyDirectories(t *testing.T) {
	if os.Geteuid() != 0 {
		skip.Test(t, "only root can make links that belong to others")
	}
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o777|fs.ModeSticky))
	for _, test := range []struct {
		name    string
		uid     int
		refused bool
	}{{"ours", 0, false}, {"theirs", 65534, true}} {
		target, link := filepath.Join(dir, test.name+".log"), filepath.Join(dir, test.name)
		must(t, os.Symlink(target, link))
		must(t, os.Lchown(link, test.uid, test.uid))
		indirect := link + ".link"
		must(t, os.Symlink(link, indirect))
		for _, path := range []string{link, indirect} {
			out, err := OpenOutput(path)
			if refused := err != nil; refused != test.refused {
				t.Errorf("%s: %v", path, err)
			}
			if err == nil {
				must(t, out.Close())
			}
		}
		if _, err := os.Stat(target); (err != nil) != test.refused {
			t.Errorf("%s: target: %v", test.name, err)
		}
	}
}
