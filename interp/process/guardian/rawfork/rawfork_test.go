//go:build amd64

package rawfork

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMain is executed by a child in the end, too, with what it was told by its table.
func TestMain(m *testing.M) {
	switch len(os.Args) {
	case 3:
		if os.Args[0] == title && os.Args[1] == "told" {
			os.Exit(len(os.Args[2]))
		}
	case 1:
		if os.Getenv("RAWFORK_TEST_PLAY") != "" {
			playParent()
			return
		}
	}
	os.Exit(m.Run())
}

const title = "raw-child"

// playParent forks a child while its runtime is busy, and dies or not.
func playParent() {
	for range 4 {
		go func() {
			for {
				_ = make([]byte, 1<<16)
			}
		}()
	}
	image, shared, err := Layout([]string{title, "told"}, os.Environ(), 4096)
	must(err)
	var ends [2]int
	must(unix.Pipe2(ends[:], unix.O_CLOEXEC))
	pid, err := image.Fork(ends[0], nil)
	must(err)
	unix.Close(ends[0])
	if os.Getenv("RAWFORK_TEST_PLAY") == "told" {
		copy(shared[wordSize:], "twelve bytes")
		shared[0] = 1
	}
	time.Sleep(20 * time.Millisecond) // it has to live through the garbage collections of its parent
	unix.Close(ends[1])
	var status syscall.WaitStatus
	_, err = syscall.Wait4(pid, &status, unix.WALL, nil)
	must(err)
	if status.Signaled() {
		println("the child died of", status.Signal().String())
		os.Exit(99)
	}
	os.Exit(status.ExitStatus())
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// A child waits for the end of its pipe, whatever its parent does. It leaves without a
// word if there is nothing to do, and executes the program if there is.
func TestFork(t *testing.T) {
	for play, want := range map[string]int{"idle": 0, "told": len("twelve bytes")} {
		c := exec.Command("/proc/self/exe")
		c.Args = c.Args[:1]
		c.Env = append(os.Environ(), "RAWFORK_TEST_PLAY="+play, "GORACE=atexit_sleep_ms=0")
		out, _ := c.CombinedOutput()
		if got := c.ProcessState.ExitCode(); got != want {
			t.Errorf("%s: it ended with %d, want %d: %.2000s", play, got, want, out)
		}
	}
}

// kernelCalls are the functions of Go that the child may call: they do nothing but
// enter the kernel.
var kernelCalls = []string{
	"syscall.RawSyscall", "syscall.RawSyscall6", "syscall.rawSyscallNoError",
	"internal/runtime/syscall/linux.Syscall6", "internal/runtime/syscall.Syscall6", "runtime/internal/syscall.Syscall6",
}

var (
	textLine = regexp.MustCompile(`^TEXT (\S+)\(SB\)`)
	callLine = regexp.MustCompile(`\s(?:CALL|JMP) ([^\s(]+)\(SB\)`)
)

// The child's machine code calls nothing but the kernel: not the scheduler, not the
// allocator, not the garbage collector, and no more stack. If this fails with another
// version of Go, read what the called function does now before it is allowed here.
func TestChildCallsOnlyTheKernel(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("SKIPPED: what counts coverage is no part of the program")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	build := exec.Command("go", "test", "-c", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	listing, err := exec.Command("go", "tool", "objdump", "-s", `rawfork\.|syscall\.RawSyscall|syscall.*\.Syscall6`,
		program).Output()
	if err != nil {
		t.Fatal(err)
	}
	calls := callsIn(string(listing))
	entry := "ftsh/interp/process/guardian/rawfork.(*child).live"
	if calls[entry] == nil {
		t.Fatalf("no code of %s was found", entry)
	}
	seen := map[string]bool{}
	for queue := []string{entry}; len(queue) > 0; queue = queue[1:] {
		name := queue[0]
		if seen[name] {
			continue
		}
		seen[name] = true
		own := strings.HasPrefix(name, "ftsh/interp/process/guardian/rawfork.")
		if !own && !slices.Contains(kernelCalls, name) {
			t.Errorf("the child calls %s", name)
			continue
		}
		if calls[name] == nil {
			t.Errorf("no code of %s was found", name)
		}
		queue = append(queue, calls[name]...)
	}
}

// callsIn are the functions that each function calls; empty, not nil, for one that
// calls none.
func callsIn(listing string) map[string][]string {
	calls, name := map[string][]string{}, ""
	for line := range strings.Lines(listing) {
		if text := textLine.FindStringSubmatch(line); text != nil {
			name = text[1]
			calls[name] = []string{}
		} else if call := callLine.FindStringSubmatch(line); call != nil && call[1] != name {
			calls[name] = append(calls[name], call[1])
		}
	}
	return calls
}
