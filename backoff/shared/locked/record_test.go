package locked

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff/shared"
)

// full is a state with something in every field, or nearly.
func full() *state {
	s := &state{written: 7 * time.Hour}
	s.Floor = 9 * time.Hour
	s.Breaker.Since, s.Breaker.Next, s.Breaker.Ramp, s.Breaker.Open = 6*time.Hour, 8*time.Hour, 3, true
	s.Rules = shared.Rules{
		Slots: 4, Budgeted: true, Percent: 12.5, PerMinute: 30, Window: time.Hour, Failures: 5, Within: time.Minute,
		Probe: time.Second,
	}
	s.Ready.Next, s.Ready.Head, s.Ready.Passed, s.Ready.First, s.Ready.Due = 12, 3, 5, 6, time.Hour
	s.Retries.Next, s.Retries.Head, s.Retries.Passed, s.Retries.First, s.Retries.Due = 1<<58, 1<<57, 1<<57, 1<<57+
		1, time.Minute
	for range 5 {
		s.Breaker.Recent = append(s.Breaker.Recent, time.Hour)
	}
	for n := range 40 {
		s.Count(time.Duration(n)*30*time.Second, n%2 == 0)
	}
	return s
}

func TestStateIsKept(t *testing.T) {
	boot := [16]byte{1, 2, 3}
	file, err := os.Create(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	most := full()
	most.Breaker.Recent = make([]time.Duration, shared.MaxFailures)
	fd := int(file.Fd())
	for name, s := range map[string]*state{"empty": {}, "full": full(), "with all failures": most} {
		if err := writeState(fd, s, boot); err != nil {
			t.Fatal(err)
		}
		s.Breaker.Recent = append([]time.Duration{}, s.Breaker.Recent...)
		if got, ok := readState(fd, boot); !ok || !reflect.DeepEqual(got, s) {
			t.Errorf("%s:\n%+v, %v\nwant:\n%+v", name, got, ok, s)
		}
		if _, ok := readState(fd, [16]byte{1}); ok {
			t.Errorf("%s: taken over from another boot", name)
		}
	}
	if info, err := file.Stat(); err != nil || info.Size() > recordSize {
		t.Errorf("a state of %d bytes has no room; %v", info.Size(), err)
	}
}

// FuzzTorn spoils a state: what is read then is what was written, or known to be none.
func FuzzTorn(f *testing.F) {
	f.Add(uint16(0), uint16(100), byte(1))
	f.Add(uint16(4000), uint16(50), byte(255))
	f.Add(uint16(300), uint16(9000), byte(7))
	f.Fuzz(func(t *testing.T, at, length uint16, with byte) {
		file, err := os.Create(filepath.Join(t.TempDir(), "state"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var boot [16]byte
		fd, want := int(file.Fd()), full()
		if err := writeState(fd, want, boot); err != nil {
			t.Fatal(err)
		}
		spoilt := make([]byte, length%600)
		for i := range spoilt {
			spoilt[i] = with
		}
		_, _ = unix.Pwrite(fd, spoilt, int64(at%recordSize))
		if s, ok := readState(fd, boot); ok && !reflect.DeepEqual(s, want) {
			t.Errorf("it reads a state that was never written: %+v", s)
		}
	})
}

// TestDamage spoils the state while somebody waits: the state begins anew, and who
// waits keeps its place.
func TestDamage(t *testing.T) {
	dir := stateDir(t)
	q := shared.Visit{Rules: shared.Rules{Slots: 1}, Deadline: math.MaxInt64}
	a, b, c := shell(t, dir, "x"), shell(t, dir, "x"), shell(t, dir, "x")
	holder := enter(t, a, q)
	first, second := make(chan *Pass), make(chan *Pass)
	wait := func(r *Resource, got chan *Pass) {
		standing := make(chan struct{})
		q.Told = once(standing)
		go func(q shared.Visit) {
			p, err := r.Enter(t.Context(), q)
			if err != nil {
				t.Error(err)
			}
			got <- p
		}(q)
		<-standing
	}
	wait(b, first)
	spoil(t, dir+"/x.resource")
	wait(c, second)
	holder.Leave(shared.Succeeded, 0)
	select {
	case p := <-first:
		p.Leave(shared.Succeeded, 0)
	case <-second:
		t.Fatal("the second went before the first")
	}
	(<-second).Leave(shared.Succeeded, 0)
}

// spoil writes rubbish over a state.
func spoil(t *testing.T, name string) {
	t.Helper()
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteAt(make([]byte, recordSize), 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
}
