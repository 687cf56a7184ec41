package interp_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp"
	"ftsh/interp/local"
	"ftsh/interp/process"
	"ftsh/interp/process/clock"
	"ftsh/parser"
	"ftsh/testdata/skip"
)

// stage is a place to run scripts in, as a program does that embeds the interpreter.
type stage struct {
	host  *process.Host
	clock *clock.Clock
	dir   string
}

func newStage(t testing.TB) *stage {
	t.Helper()
	clock := clock.New()
	host, err := process.Open(process.Config{Clock: clock, KillTimeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = host.Close()
		clock.Close()
	})
	return &stage{host: host, clock: clock, dir: t.TempDir()}
}

func parse(t testing.TB, text string) *ast.File {
	t.Helper()
	file, err := parser.Parse(&ast.Source{Name: t.Name(), Text: text}, parser.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// run runs a script and returns what it wrote to standard output.
func (s *stage) run(ctx context.Context, t testing.TB, text string) (string, error) {
	t.Helper()
	out, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	err = interp.New(s.config(int(out.Fd()))).Run(ctx, parse(t, text))
	written, _ := os.ReadFile(out.Name())
	return string(written), err
}

func (s *stage) config(out int) interp.Config {
	null, _ := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	defer unix.Close(null)
	return interp.Config{
		World: at(s.host, s.clock), KillTimeout: 5 * time.Second,
		Script: interp.Script{Name: "script", Environ: append(os.Environ(), "TMPDIR="+s.dir), Dir: s.dir,
			Files: []int{0, out, out}},
	}
}

// holdings counts what a process could leak: goroutines, descriptors, children.
func holdings() (goroutines, files int) {
	open, _ := os.ReadDir("/proc/self/fd")
	return runtime.NumGoroutine(), len(open)
}

// checkNothingLeft fails the test if there is more than there was before. What
// is ending gets some time to end.
func checkNothingLeft(t *testing.T, goroutines, files int) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		runtime.GC() // large values close their files when they are collected
		g, f := holdings()
		_, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if g <= goroutines && f <= files && err == syscall.ECHILD {
			return
		}
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d files, children: %v; before: %d, %d\n%s", g, f, err, goroutines, files,
				stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// scripts do everything that could leave something behind.
var scripts = map[string]string{
	"program": "sh -c 'sleep 60'",
	"builtin": "sleep 60",
	"loop":    "while true\nx=1 .add. 1\nend",
	"try":     "try for 1 hour backoff fixed from 1 ms\nfalse\nend",
	"every":   "try for 1 hour every 1 ms\nsh -c 'exit 1'\nend",
	"each":    "try 1000 times each 2 ms every 1 ms\nsh -c 'sleep 60'\nend",
	"nested":  "try for 1 hour every 0 s\ntry for 5 ms\nsh -c 'sleep 60'\nfinally\nsh -c 'exit 0'\nend\nend",
	"verify":  "try for 1 hour each 2 ms every 1 ms\nsh -c 'sleep 60'\nverify\nsh -c 'sleep 0.003; exit 1'\nend",
	"absent":  "try for 1 hour each 2 ms every 1 ms\nsh -c 'sleep 60'\nverify\nsh -c 'sleep 0.003'\nabsent\nend",
	"outer": "while true\ntry for 3 ms\ntry\nsh -c 'sleep 60'\nverify\nsh -c 'sleep 0.001; exit 1'\nfinally\nx=1\n" +
		"end\ncatch\nend\nend",
	"branches":  "forall x in 1 .to. 8\nsh -c 'sleep 60'\nend",
	"limited":   "forall x in 1 .to. 50 .limit. 3\nsh -c 'sleep 0.01'\nend",
	"failing":   "while true\ntry\nforall x in 1 .to. 4\nsh -c \"sleep 0.00$x; exit 1\"\nend\ncatch\nend\nend",
	"hedged":    "while true\nforany x in 1 2 3 .hedge. 2 ms\nsh -c \"sleep 0.0$x\"\nend > out\nend",
	"pipeline":  "while true\nsh -c 'echo a' | cat | cat -> x\nend",
	"full pipe": "yes | sh -c 'sleep 60'",
	"capture":   "while true\nsh -c 'head -c 100000 /dev/zero' -> x\nend",
	"large":     "while true\nhead -c 2000000 /dev/zero -> x\ncat -< x > out\nend",
	"atomic":    "while true\nsh -c 'echo x; sleep 0.001' => out\nend",
	"fifo":      "sh -c 'test -p fifo || mkfifo fifo'\ncat < fifo",
	"stderr":    "while true\ntry 1 time only on matching x\nsh -c 'echo y >&2; exit 1'\ncatch\nend\nend",
	"daemons":   "sh -c '(setsid sleep 60 &) ; sleep 60'",
	"function":  "function f\nwhile true\ng a b -> x\nend\nend\nfunction g\nsh -c 'echo $0'\nend\nf",
	"finally":   "try\nsh -c 'sleep 60'\nfinally\nsh -c 'echo cleaned'\nend",
	"here":      "while true\ncat << END | cat > out\ntext\nEND\nend",
	"recursion": "function f\ntry\nf\ncatch\nend\nend\nf",
	"hung pipe": "function f\nwhile true\necho a line\nend\nend\nf | sleep 60",
}

// TestCancelledAtAnyMoment cancels each script at random moments: it has to
// return soon, and to leave nothing behind.
func TestCancelledAtAnyMoment(t *testing.T) {
	for name, text := range scripts {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			warmUp(t, s)
			goroutines, files := holdings()
			for range skip.Times(6, 4) {
				s.cutShort(t, text, time.Duration(rand.Int64N(int64(30*time.Millisecond))))
			}
			checkNothingLeft(t, goroutines, files)
			checkNoTemporaryFiles(t, s.dir)
		})
	}
}

// points are those of all, from 1 on, at which something is cut off: so far apart, from a random one on.
func points(all, long, short int) (chosen []int) {
	apart := short
	switch {
	case skip.Long():
		apart = long
	case skip.UnderRace:
		apart *= skip.Fewer
	}
	for at := 1 + rand.IntN(min(apart, all)); at <= all; at += apart {
		chosen = append(chosen, at)
	}
	return chosen
}

// warmUp starts what stays: the clock's timer, the runtime's poller.
func warmUp(t *testing.T, s *stage) {
	if _, err := s.run(context.Background(), t, "try for 1 hour\nsleep 1 ms\nsh -c 'echo x' -> x\nend"); err != nil {
		t.Fatal(err)
	}
}

// cutShort cancels a script after a while. A script that has ended by then is fine, too.
func (s *stage) cutShort(t *testing.T, text string, after time.Duration) {
	t.Helper()
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	timer := time.AfterFunc(after, func() { cancel(why) })
	defer timer.Stop()
	begin := time.Now()
	_, err := s.run(ctx, t, text)
	if took := time.Since(begin); took > after+20*time.Second {
		t.Errorf("cancelled after %v, returned after %v", after, took)
	}
	var failure *interp.Failure
	if err != nil && !errors.As(err, &failure) { // of its own, or cancelled
		t.Errorf("cancelled after %v: %v", after, err)
	}
}

func checkNoTemporaryFiles(t *testing.T, dir string) {
	t.Helper()
	left, _ := filepath.Glob(filepath.Join(dir, ".*"))
	for _, name := range left {
		t.Error("left behind:", name)
	}
}

// TestKill ends finally groups, too.
func TestKill(t *testing.T) {
	s := newStage(t)
	warmUp(t, s)
	goroutines, files := holdings()
	kill := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	config := s.config(1)
	config.World = local.New(local.Config{Programs: s.host, Clock: s.clock, Kill: kill})
	config.KillTimeout = time.Hour
	ready := filepath.Join(s.dir, "ready")
	go func() {
		for waited := 0; waited < 5000; waited++ {
			if _, err := os.Stat(ready); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		cancel()
		time.Sleep(20 * time.Millisecond)
		close(kill)
	}()
	file := parse(t, "try\nsh -c 'trap \"\" TERM; touch ready; sleep 60'\nfinally\nsleep 60\nend")
	if err := interp.New(config).Run(ctx, file); err == nil {
		t.Error("a killed script succeeded")
	}
	checkNothingLeft(t, goroutines, files)
}

// TestTwoAtOnce runs scripts in different directories at the same time; nothing
// of the process may change.
func TestTwoAtOnce(t *testing.T) {
	before := surroundings(t)
	var wg sync.WaitGroup
	for n := range 4 {
		s := newStage(t)
		wg.Go(func() {
			text := fmt.Sprintf("mkdir sub\ncd sub\nexport WHO=%d\nsh -c 'echo $WHO; pwd' => file\n"+
				"cat < file\nsleep 20ms\necho *\npwd\nunset HOME\nPATH=/bin:/usr/bin\nsh -c 'umask 077; cd /'\necho $PWD", n)
			got, err := s.run(context.Background(), t, text)
			sub := filepath.Join(s.dir, "sub")
			want := fmt.Sprintf("%d\n%[2]s\nfile\n%[2]s\n%[2]s\n", n, sub)
			if err != nil || got != want {
				t.Errorf("script %d: %v\n%s\nwant:\n%s", n, err, got, want)
			}
		})
	}
	wg.Wait()
	if after := surroundings(t); after != before {
		t.Errorf("the process has changed from\n%s\nto\n%s", before, after)
	}
}

// surroundings holds what belongs to the whole process.
func surroundings(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	status, _ := os.ReadFile("/proc/self/status")
	var kept []string
	for line := range strings.Lines(string(status)) {
		for _, field := range []string{"Umask", "SigIgn", "SigCgt"} {
			if strings.HasPrefix(line, field) {
				kept = append(kept, line)
			}
		}
	}
	return dir + "\n" + strings.Join(kept, "") + strings.Join(os.Environ(), "\n")
}

// TestRunnerKeepsItsState runs several texts in one Runner, as a prompt does.
func TestRunnerKeepsItsState(t *testing.T) {
	s := newStage(t)
	out, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	r := interp.New(s.config(int(out.Fd())))
	names := &ast.Names{}
	for _, text := range []string{"x=1", "function f\nx=$x .add. $1\nend", "f 5", "cd /", "false", "echo $x $PWD"} {
		file, err := parser.Parse(&ast.Source{Name: "prompt", Text: text},
			parser.Config{Names: names, Functions: r.Functions()})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Run(context.Background(), file); (err != nil) != (text == "false") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if got, _ := os.ReadFile(out.Name()); string(got) != "6 /\n" {
		t.Errorf("got %q", got)
	}
}
