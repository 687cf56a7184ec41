package clock_test

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/interp/process/clock"
)

func TestClockGoesOn(t *testing.T) {
	c := clock.New()
	defer c.Close()
	last := c.Now()
	for range 1000 {
		if now := c.Now(); now < last {
			t.Fatalf("from %v to %v", last, now)
		} else {
			last = now
		}
	}
}

// TestTimersAreNotEarly sets timers in no order: each runs once, and none before its time. (They are due in order,
// which backoff/timers holds; but each runs in a goroutine of its own, and a busy machine may let a later one go
// first.)
func TestTimersAreNotEarly(t *testing.T) {
	c := clock.New()
	defer c.Close()
	now := c.Now()
	var ran atomic.Int32
	var all sync.WaitGroup
	waits := []time.Duration{30, 10, 50, 20, 40}
	for _, wait := range waits {
		at := now + wait*time.Millisecond
		all.Add(1)
		c.AfterFunc(at, func() {
			defer all.Done()
			ran.Add(1)
			if late := c.Now() - at; late < 0 {
				t.Errorf("%v early", -late)
			}
		})
	}
	all.Wait()
	if int(ran.Load()) != len(waits) {
		t.Errorf("%d ran, want %d", ran.Load(), len(waits))
	}
}

func TestTimerAtOnce(t *testing.T) {
	c := clock.New()
	defer c.Close()
	for _, at := range []time.Duration{0, -1, c.Now(), c.Now() - time.Hour} {
		done := make(chan struct{})
		c.AfterFunc(at, func() { close(done) })
		<-done
	}
}

func TestTimerStop(t *testing.T) {
	c := clock.New()
	defer c.Close()
	var ran atomic.Bool
	later := c.AfterFunc(c.Now()+20*time.Millisecond, func() { ran.Store(true) })
	if !later.Stop() || later.Stop() {
		t.Error("it can be stopped once")
	}
	done := make(chan struct{})
	first := c.AfterFunc(c.Now()+40*time.Millisecond, func() { close(done) })
	<-done
	if ran.Load() {
		t.Error("a stopped timer ran")
	}
	if first.Stop() {
		t.Error("stopped what has run")
	}
	never := c.AfterFunc(backoff.Never, func() { t.Error("never came") })
	c.Close()
	if never.Stop() {
		t.Error("stopped a timer of a closed clock")
	}
	if c.AfterFunc(0, func() { t.Error("ran on a closed clock") }).Stop() {
		t.Error("stopped what was never set")
	}
}

func TestTimersManyAtOnce(t *testing.T) {
	c := clock.New()
	defer c.Close()
	var all sync.WaitGroup
	var ran atomic.Int64
	for range 20 {
		all.Go(func() {
			for i := range 200 {
				timer := c.AfterFunc(c.Now()+time.Duration(i%7)*time.Millisecond, func() { ran.Add(1) })
				if i%3 == 0 && timer.Stop() {
					ran.Add(1)
				}
			}
		})
	}
	all.Wait()
	done := make(chan struct{})
	var wait func()
	wait = func() {
		if ran.Load() == 4000 {
			close(done)
			return
		}
		c.AfterFunc(c.Now()+time.Millisecond, wait)
	}
	wait()
	<-done
}

// TestMain plays a program without descriptors, if this is that one.
func TestMain(m *testing.M) {
	if os.Getenv("CLOCK_TEST_WITHOUT_DESCRIPTORS") == "" {
		os.Exit(m.Run())
	}
	const few = 16
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: few, Max: few}); err != nil {
		panic(err)
	}
	for _, err := unix.Dup(0); err == nil; _, err = unix.Dup(0) {
	}
	c := clock.New()
	if err := backoff.Sleep(context.Background(), c, c.Now()+10*time.Millisecond); err != nil {
		panic(err)
	}
	c.Close()
}

// Without descriptors the clock still keeps its promises.
func TestClockWithoutDescriptors(t *testing.T) {
	c := exec.Command("/proc/self/exe")
	c.Env = append(os.Environ(), "CLOCK_TEST_WITHOUT_DESCRIPTORS=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func BenchmarkClockNow(b *testing.B) {
	c := clock.New()
	b.ReportAllocs()
	for b.Loop() {
		c.Now()
	}
}

// A limit that is never reached, as around every command with `each`.
func BenchmarkTimerUnused(b *testing.B) {
	c := clock.New()
	defer c.Close()
	b.ReportAllocs()
	for b.Loop() {
		c.AfterFunc(c.Now()+time.Hour, func() {}).Stop()
	}
}
