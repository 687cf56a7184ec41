package event

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var failed = Event{Kind: CommandFailed, Command: []string{"false"}, Failure: "exit", Status: 1}

func TestFullDisk(t *testing.T) {
	out, err := OpenOutput("/dev/full")
	must(t, err)
	log := NewLog(out, Config{Level: Failures})
	for range 3 {
		log.Observe(failed)
	}
	if out.lost != 3 {
		t.Errorf("%d lines lost, want 3", out.lost)
	}
	path := filepath.Join(t.TempDir(), "log")
	replace(t, out, path)
	log.Observe(failed)
	log.Observe(failed)
	must(t, out.Close())
	lines := strings.Split(read(t, path), "\n")
	if len(lines) != 4 || !strings.Contains(lines[0], "log: lost 3 lines: no space left on device") || out.lost != 0 {
		t.Errorf("%d lost, logged:\n%s", out.lost, strings.Join(lines, "\n"))
	}
}

// replace puts a file in the place of what an output writes to: space was made.
func replace(t *testing.T, out *Output, path string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(t, err)
	defer file.Close()
	must(t, unix.Dup3(int(file.Fd()), out.fd, unix.O_CLOEXEC))
}

func TestCloseTellsWhatWasLost(t *testing.T) {
	out, err := OpenOutput("/dev/full")
	must(t, err)
	NewLog(out, Config{JSON: true, Level: Failures}).Observe(failed)
	path := filepath.Join(t.TempDir(), "log")
	replace(t, out, path)
	must(t, out.Close())
	if text := read(t, path); !strings.Contains(text, `"event":"log.lost"`) || !strings.Contains(text, `"count":1`) {
		t.Errorf("logged: %s", text)
	}
	must(t, out.Close())
}

func TestClosedDescriptor(t *testing.T) {
	log := NewLog(OutputTo(1<<20), Config{Level: Failures})
	log.Observe(failed)
	if log.out.lost != 1 {
		t.Errorf("%d lines lost, want 1", log.out.lost)
	}
}

func TestFileSizeLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	out, err := OpenOutput(path)
	must(t, err)
	out.limit = 300
	log := NewLog(out, Config{Level: Failures})
	for i := range 20 {
		log.Observe(Event{Kind: CommandFailed, Command: []string{"false"}, Failure: "exit", Status: 10 + i})
	}
	if text := read(t, path); len(text) > 300 || !strings.HasSuffix(text, "\n") || out.lost == 0 {
		t.Errorf("%d bytes, %d lines lost", len(text), out.lost)
	}
	out.limit = 0
	must(t, out.Close())
	if text := read(t, path); !strings.Contains(text, "lines: file too large") {
		t.Errorf("logged:\n%s", text)
	}
}

// A line that was torn by a full disk is mended when there is space again; but not if
// somebody else has written behind it.
func TestTornLineIsMended(t *testing.T) {
	for name, other := range map[string]string{"alone": "", "not alone": "other\n"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			out, err := OpenOutput(path)
			must(t, err)
			log := NewLog(out, Config{Level: Failures})
			log.Observe(failed)
			whole := read(t, path)
			must(t, os.Truncate(path, int64(len(whole)-10)))
			out.lost, out.cause, out.loser = 1, unix.ENOSPC, log
			_ = out.seekTo(unix.SEEK_END)
			out.noteTorn([]byte(whole[len(whole)-10:]))
			file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			must(t, err)
			defer file.Close()
			_, err = file.WriteString(other)
			must(t, err)
			log.Observe(failed)
			must(t, out.Close())
			lines := strings.Split(read(t, path), "\n")
			if mended := lines[0]+"\n" == whole; mended != (other == "") || mended && len(lines) != 3 {
				t.Errorf("logged:\n%s", strings.Join(lines, "\n"))
			}
		})
	}
}

// pipe gives a pipe of two pages, whose ends the test closes.
func pipe(t *testing.T) (reader, writer int) {
	t.Helper()
	var fds [2]int
	must(t, unix.Pipe2(fds[:], unix.O_CLOEXEC))
	_, err := unix.FcntlInt(uintptr(fds[1]), unix.F_SETPIPE_SZ, 8192)
	must(t, err)
	t.Cleanup(func() { unix.Close(fds[0]); unix.Close(fds[1]) })
	return fds[0], fds[1]
}

func TestStuckReader(t *testing.T) {
	reader, writer := pipe(t)
	out := OutputTo(writer)
	out.patience = 50 * time.Millisecond
	log := NewLog(out, Config{Level: Failures})
	began := time.Now()
	for i := range 200 {
		e := failed
		e.Status = 1 + i // equal lines are only counted
		log.Observe(e)
	}
	if took := time.Since(began); took < out.patience || took > 100*out.patience {
		t.Errorf("waited %v for a reader that reads nothing", took)
	}
	if out.lost < 50 {
		t.Errorf("%d lines lost", out.lost)
	}
	buf := make([]byte, 1<<16)
	if _, err := unix.Read(reader, buf); err != nil {
		t.Fatal(err)
	}
	log.Observe(failed)
	n, err := unix.Read(reader, buf)
	must(t, err)
	if text := string(buf[:n]); !strings.Contains(text, "nothing was taken for a second") ||
		strings.Count(text, "\n") != 2 {
		t.Errorf("logged:\n%s", text)
	}
}

func TestNobodyReadsThePipe(t *testing.T) {
	reader, writer := pipe(t)
	must(t, unix.Close(reader))
	out := OutputTo(writer)
	NewLog(out, Config{Level: Failures}).Observe(failed)
	if out.lost != 1 || out.cause != unix.EPIPE {
		t.Errorf("%d lines lost: %v", out.lost, out.cause)
	}
}

// TestTornLine checks that the next line after one whose end was refused begins
// on a line of its own.
func TestTornLine(t *testing.T) {
	reader, writer := pipe(t)
	must(t, unix.SetNonblock(writer, true))
	out := OutputTo(writer)
	out.patience = 10 * time.Millisecond
	log := NewLog(out, Config{JSON: true, Level: Failures})
	long := failed
	long.Message = strings.Repeat("m", 10000)
	log.Observe(long)
	if out.lost != 1 || !out.torn {
		t.Fatalf("%d lines lost, torn: %v", out.lost, out.torn)
	}
	buf := make([]byte, 1<<16)
	n, err := unix.Read(reader, buf)
	must(t, err)
	log.Observe(failed)
	m, err := unix.Read(reader, buf[n:])
	must(t, err)
	lines := strings.Split(string(buf[:n+m]), "\n")
	if len(lines) != 4 || !strings.Contains(lines[1], "log.lost") || !strings.Contains(lines[2], "command.failed") {
		t.Errorf("logged:\n%s", strings.Join(lines, "\n"))
	}
}

func BenchmarkObserve(b *testing.B) {
	out, err := OpenOutput(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	e := failed
	e.Command = []string{"cp", "--archive", "/home/user/my file", "/backup"}
	for _, bench := range []struct {
		name string
		log  Observer
	}{
		{"text", NewLog(out, Config{Level: Failures})},
		{"json", NewLog(out, Config{JSON: true, Level: Failures})},
		{"filtered", NewLog(out, Config{Level: Nothing})},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if bench.log.Enabled(Failures) {
					bench.log.Observe(e)
				}
			}
		})
	}
	if err := out.Close(); err != nil {
		b.Fatal(err)
	}
}
