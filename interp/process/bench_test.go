package process_test

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process"
	"ftsh/interp/world"
)

func program(path string, args ...string) *world.Command {
	return &world.Command{Path: path, Args: append([]string{path}, args...), Env: os.Environ(), Files: []int{0, 1, 2}}
}

// BenchmarkFork is the floor: what Go's own fork and exec cost.
func BenchmarkFork(b *testing.B) {
	attr := &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true}}
	b.ReportAllocs()
	for b.Loop() {
		pid, err := syscall.ForkExec("/bin/true", []string{"true"}, attr)
		if err != nil {
			b.Fatal(err)
		}
		syscall.Wait4(pid, nil, 0, nil)
	}
}

func BenchmarkSpawn(b *testing.B) {
	for _, name := range []string{"whole", "guarded", "embedded"} {
		b.Run(name, func(b *testing.B) {
			h, c := open(b, configs()[name]), program("/bin/true")
			ctx := b.Context()
			b.ReportAllocs()
			for b.Loop() {
				h.Run(ctx, c)
			}
		})
	}
}

// With 20,000 descriptors allowed, and as many open.
func BenchmarkSpawnManyFiles(b *testing.B) {
	var limit syscall.Rlimit
	syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	h, c := open(b, whole), program("/bin/true")
	for _, files := range []int{0, 1000, int(min(20000, limit.Cur)) - 100} {
		b.Run(strconv.Itoa(files), func(b *testing.B) {
			for range files {
				fd, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 0)
				if err != nil {
					b.Fatal(err)
				}
				defer syscall.Close(fd)
			}
			for b.Loop() {
				h.Run(context.Background(), c)
			}
		})
	}
}

// With a daemon of an earlier command, and a command that fails: the orphans
// have to be looked through.
func BenchmarkFailure(b *testing.B) {
	for name, daemons := range map[string]int{"alone": 0, "1 daemon": 1, "100 daemons": 100} {
		b.Run(name, func(b *testing.B) {
			h, s, c := open(b, whole), newStage(b), program("/bin/false")
			h.Run(context.Background(), s.sh("n=0; while [ $n -lt "+strconv.Itoa(daemons)+
				" ]; do (setsid SLEEP &); n=$((n+1)); done"))
			b.ReportAllocs()
			for b.Loop() {
				h.Run(context.Background(), c)
			}
			b.StopTimer()
			s.end()
		})
	}
}

// A command before which a guardian is started, and that one's leave.
func BenchmarkGuardian(b *testing.B) {
	h, c := open(b, configs()["guarded"]), program("/bin/true")
	b.ReportAllocs()
	for b.Loop() {
		h.Run(context.Background(), c)
		h.Rest()
	}
}

func BenchmarkForall(b *testing.B) {
	h, c := open(b, whole), program("/bin/true")
	for b.Loop() {
		var all sync.WaitGroup
		for range 1000 {
			all.Go(func() { h.Run(context.Background(), c) })
		}
		all.Wait()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "µs/command")
	b.ReportMetric(float64(threads()), "threads")
}

func threads() int {
	tasks, _ := os.ReadDir("/proc/self/task")
	return len(tasks)
}

// BenchmarkCancel cuts off trees in which one process of four each is a daemon,
// a child, a child in a session of its own, and an orphan.
func BenchmarkCancel(b *testing.B) {
	for _, size := range []int{1, 10, 100, 1000} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			h := open(b, whole)
			late := time.Duration(0)
			for b.Loop() {
				late += cutOff(b, h, size)
				runtime.GC()
			}
			b.ReportMetric(float64(late.Microseconds())/float64(b.N)/1000, "ms-late")
		})
	}
}

const tree = `n=0
	while [ $n -lt SIZE ]; do
		case $((n % 4)) in
		0) (setsid SLEEP &) ;;
		1) SLEEP & ;;
		2) setsid SLEEP & ;;
		3) (SLEEP &) ;;
		esac
		n=$((n+1))
	done
	echo >&3
	exec SLEEP`

// cutOff returns how long it took from the cut until all were gone.
func cutOff(b *testing.B, h *process.Host, size int) time.Duration {
	s := newStage(b)
	ctx, cancel := context.WithCancelCause(context.Background())
	var at time.Time
	go func() {
		s.wait()
		time.Sleep(100 * time.Millisecond) // let them all arrive at their sleep
		at = time.Now()
		cancel(errCut)
	}()
	h.Run(ctx, s.sh(strings.ReplaceAll(tree, "SIZE", strconv.Itoa(size))))
	return time.Since(at)
}
