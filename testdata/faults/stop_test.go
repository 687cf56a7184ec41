package faults

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The shell is stopped for longer than its limits: on waking it enforces them at once.
func TestStop(t *testing.T) {
	// The limits are long enough for what they are to cut off to begin.
	stop := func(s *stage, stopped time.Duration, script string, begun func(s *stage)) {
		c := s.start(s.shell(script + "./step last\n"))
		begun(s)
		s.must(c.Process.Signal(unix.SIGSTOP))
		s.until("it to stop", func() bool { return state(c.Process.Pid) == 'T' })
		time.Sleep(stopped)
		s.must(c.Process.Signal(unix.SIGCONT))
		began := time.Now()
		s.wellAfter(c)
		if took := time.Since(began); took > 10*time.Second {
			s.Errorf("it took %v after it went on", took)
		}
	}
	fault(t, "stopped for longer than the limit of a command", func(s *stage) {
		stop(s, 5200*time.Millisecond, "try for 5 s\n    ./hold\ncatch\n    ./step ${error.kind}\nend\n",
			func(s *stage) { s.holding(1) })
	})
	fault(t, "stopped for longer than the limit of a wait", func(s *stage) {
		// Half of the time may be left when the last attempt begins, with which it would end.
		stop(s, 12200*time.Millisecond,
			"try for 12 s backoff fixed from 100 s\n    ./step begun\n    false\ncatch\n    ./step ${error.reason}\nend\n",
			func(s *stage) {
				s.until("the wait to begin", func() bool { return strings.Contains(s.logged(), `"event":"try.wait"`) })
			})
		if did := s.get("truth"); did != "begun\ndeadline\nlast\n" {
			s.Errorf("after the wait it did %q; want no further attempt", did)
		}
	})
	fault(t, "stopped for longer than limits within limits", func(s *stage) {
		stop(s, 6200*time.Millisecond,
			"try for 6 s\n    forall i in 1 2 3\n        try for 5 s\n            ./hold\n        end\n"+
				"    end\ncatch\n    ./step ${error.kind}\nend\n",
			func(s *stage) { s.holding(3) })
	})
	fault(t, "stopped and killed", func(s *stage) {
		c := s.start(s.shell("./hold\n"))
		s.holding(1)
		s.guardian(c)
		s.must(c.Process.Signal(unix.SIGSTOP))
		s.must(c.Process.Kill())
		s.wait(c)
		s.goneSoon()
	})
	fault(t, "stopped and asked to end", func(s *stage) {
		c := s.start(s.shell("./hold\n"))
		s.holding(1)
		s.must(c.Process.Signal(unix.SIGSTOP))
		s.must(c.Process.Signal(unix.SIGTERM))
		s.must(c.Process.Signal(unix.SIGCONT))
		ended := s.wait(c)
		s.right(unix.SIGTERM, ended)
		s.nothingLeft()
		s.truth(ended)
	})
}
