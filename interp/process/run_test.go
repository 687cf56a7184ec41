package process_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"ftsh/interp/files"
	"ftsh/interp/process"
	"ftsh/interp/world"
	"ftsh/testdata/write"
)

func TestStatus(t *testing.T) {
	h, s := open(t, whole), newStage(t)
	for _, tt := range []struct {
		name, script string
		want         world.Status
	}{
		{"success", "exit 0", world.Status{}},
		{"failure", "exit 3", world.Status{Code: 3}},
		{"signal", "kill -9 $$", world.Status{Signal: syscall.SIGKILL}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := h.Run(context.Background(), s.sh(tt.script))
			if got != tt.want || err != nil {
				t.Errorf("got %+v, %v; want %+v", got, err, tt.want)
			}
		})
	}
}

func TestMany(t *testing.T) {
	for name, cfg := range configs() {
		t.Run(name, func(t *testing.T) {
			h, s := open(t, cfg), newStage(t)
			var all sync.WaitGroup
			for i := range 100 {
				all.Go(func() {
					ctx, cancel := context.WithCancel(context.Background())
					defer cancel()
					got, err := h.Run(ctx, s.sh("exit "+string(rune('0'+i%10))))
					if got.Code != i%10 || err != nil {
						t.Errorf("%d: %+v, %v", i, got, err)
					}
				})
			}
			all.Wait()
		})
	}
}

// configs are all ways to use a Host.
func configs() map[string]process.Config {
	weak, embedded, terminal, guarded := whole, whole, whole, whole
	weak.Weak = true
	embedded.Whole = false
	terminal.Sessions = false
	guarded.Guardian = true
	return map[string]process.Config{
		"whole": whole, "weak": weak, "embedded": embedded, "terminal": terminal, "guarded": guarded,
	}
}

func TestEnvironment(t *testing.T) {
	cfg := whole
	cfg.Marker = "/outer"
	h, s := open(t, cfg), newStage(t)
	seen := map[string]bool{}
	for range 3 {
		c := s.sh("echo $FTSH_COMMAND:$A >&3; env | grep -c ^FTSH_COMMAND= >&3")
		c.Env = append(c.Env, "FTSH_COMMAND=/outer", "A=b")
		if _, err := h.Run(context.Background(), c); err != nil {
			t.Fatal(err)
		}
		line := s.wait()
		own, ok := strings.CutPrefix(line, "/outer/")
		own, rest, _ := strings.Cut(own, ":")
		if !ok || rest != "b" || strings.Contains(own, "/") || seen[own] {
			t.Errorf("environment: %s", line)
		}
		seen[own] = true
		if n := s.wait(); n != "1" {
			t.Errorf("%s times FTSH_COMMAND", n)
		}
	}
}

func TestFiles(t *testing.T) {
	h, s := open(t, whole), newStage(t)
	c := s.sh("ls /proc/self/fd | grep -c '^[0-5]$' >&5; pwd >&5")
	c.Dir = files.Directory{Name: "/proc"}
	c.Files = []int{0, -1, 2, -1, -1, int(s.in.Fd())}
	if got, err := h.Run(context.Background(), c); !got.Success() || err != nil {
		t.Fatal(got, err)
	}
	// 0, 2, 5, the directory that ls reads, and its output.
	if n := s.wait(); n != "5" {
		t.Errorf("%s descriptors", n)
	}
	if dir := s.wait(); dir != "/proc" {
		t.Errorf("in %s", dir)
	}
}

func TestSession(t *testing.T) {
	for name, own := range map[string]bool{"own": true, "ours": false} {
		cfg := whole
		cfg.Sessions = own
		h, s := open(t, cfg), newStage(t)
		if _, err := h.Run(context.Background(), s.sh("cut -d' ' -f6 /proc/$$/stat >&3; echo $$ >&3")); err != nil {
			t.Fatal(err)
		}
		if session, pid := s.wait(), s.wait(); (session == pid) != own {
			t.Errorf("%s: session %s, process %s", name, session, pid)
		}
	}
}

func TestStartError(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return name
	}
	h := open(t, whole)
	for _, tt := range []struct {
		name            string
		c               world.Command
		errno           syscall.Errno
		missing, system bool
		message         string
	}{
		{"absent", world.Command{Path: "/no/such"}, syscall.ENOENT, true, false, "/no/such: no such file or directory"},
		{"not executable", world.Command{Path: file("plain", "x", 0o644)}, syscall.EACCES, true, false, "not executable"},
		{"directory", world.Command{Path: dir}, syscall.EACCES, true, false, "not executable"},
		{"beyond a file", world.Command{Path: file("plain2", "x", 0o644) + "/x"}, syscall.ENOTDIR, true, false,
			"not a directory"},
		{"interpreter", world.Command{Path: file("script", "#!/no/such -x\n", 0o755)}, syscall.ENOENT, true, false,
			"its interpreter /no/such is missing"},
		{"binary", world.Command{Path: file("binary", "\x00\x01\x02", 0o755)}, syscall.ENOEXEC, true, false,
			"not a program for this machine"},
		{"where", world.Command{Path: "/bin/true", Dir: files.Directory{Name: "/no/such"}}, syscall.ENOENT, false,
			false, "cannot start /bin/true in /no/such"},
		{"too long", world.Command{Path: "/bin/true", Args: []string{"true", strings.Repeat("x", 1<<20)}}, syscall.E2BIG,
			false, false, "the arguments and the environment are too long"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.c.Args == nil {
				tt.c.Args = []string{"x"}
			}
			_, err := h.Run(context.Background(), &tt.c)
			var e *world.StartError
			if !errors.As(err, &e) || e.Err != tt.errno || e.Missing != tt.missing || e.System() != tt.system ||
				!strings.Contains(e.Error(), tt.message) {
				t.Errorf("got %+v: %v", e, err)
			}
			if !errors.Is(err, tt.errno) {
				t.Errorf("%v is not %v", err, tt.errno)
			}
		})
	}
}

func TestBusyProgram(t *testing.T) {
	h := open(t, whole)
	name := filepath.Join(t.TempDir(), "busy")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = h.Run(context.Background(), &world.Command{Path: name, Args: []string{"busy"}})
	var e *world.StartError
	if !errors.As(err, &e) || !e.System() || e.Missing {
		t.Errorf("got %v", err)
	}
}

// A script without a first line is run by the shell, also one whose name looks
// like an option.
func TestScriptWithoutFirstLine(t *testing.T) {
	h, s := open(t, whole), newStage(t)
	for _, name := range []string{"script", "-x"} {
		write.Program(t, filepath.Join(s.dir, name), "echo \"$0 $*\" >&3\nexit 7\n")
		c := s.sh("")
		c.Path, c.Args, c.Dir = name, []string{name, "a b", "c"}, files.Directory{Name: s.dir}
		got, err := h.Run(context.Background(), c)
		if got.Code != 7 || err != nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if line := s.wait(); !strings.HasSuffix(line, name+" a b c") {
			t.Errorf("%s: %s", name, line)
		}
	}
}
