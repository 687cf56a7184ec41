package jobs

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/interp/files"
	"ftsh/interp/jobs/batch"
	"ftsh/interp/world"
)

// sentry tells the runner of a job whether somebody is ending the job: a batch system signals one process after
// another, so that a program may end with 0 before its own signal, and before the runner's.
type sentry struct {
	clock  backoff.Clock
	signal func() int // the first signal that the runner received; 0: none
	kills  string     // the file that counts the kills of the job's own memory group; "": there is none
	run    func(context.Context, *world.Command) (world.Status, error)

	mu      sync.Mutex
	witness *witness
	ending  sync.WaitGroup // of witnesses
	closed  bool           // it was released
	died    bool           // the witness had died before
}

// witness is a process with a child, which both do nothing.
type witness struct {
	release *os.File      // once it is closed, they end
	ended   chan struct{} // closed when they have
	child   int           // the process id of the child
}

// sweepTime is the time to wait, after a program has ended, for a sweep of signals that may have ended it. Slurm
// signals the deepest processes of the oldest child first, so that the witness's child, which is older than any
// program, has its signal before these: so it was for all of 873 processes that looked when theirs came, on a busy
// machine. Programs of pilots are many and short, and rely on that order alone, as long as the numbers of processes
// have not begun again: then the next ones have a new witness.
const sweepTime = 50 * time.Millisecond

// witnessScript is run by a witness: both end when their input does. The first line of its output is the process id
// of the child. SIGUSR1 and SIGUSR2 are meant for programs.
const witnessScript = "trap '' USR1 USR2; read x <&3 & echo $!; exec >&-; wait"

// newSentry starts the witness. It is done before any program of the job runs.
func newSentry(w Worker) (*sentry, error) {
	_, _, group := w.System.Here(os.Getenv)
	s := &sentry{clock: w.Clock, signal: w.Signal, kills: killsFile(group), run: w.Run}
	var err error
	if s.witness, err = s.startWitness(); err != nil {
		return nil, fmt.Errorf("cannot start a process beside the program: %w", err)
	}
	return s, nil
}

// startWitness returns when the witness has its child.
func (s *sentry) startWitness() (*witness, error) {
	input, release, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer input.Close()
	said, output, err := os.Pipe()
	if err != nil {
		_ = release.Close()
		return nil, err
	}
	defer said.Close()
	command := &world.Command{
		Path: "/bin/sh", Args: []string{"sh", "-c", witnessScript}, Dir: files.Directory{Name: "/"},
		Env: []string{"PATH=/usr/bin:/bin"}, Files: []int{-1, int(output.Fd()), -1, int(input.Fd())},
		Unguarded: true, // a program that is short costs no guardian then
	}
	started := sync.OnceFunc(func() { _ = output.Close() })
	command.Started = started
	w := &witness{release: release, ended: make(chan struct{})}
	s.ending.Go(func() {
		defer close(w.ended)
		_, _ = s.run(context.Background(), command)
		started()
	})
	line, _ := bufio.NewReader(said).ReadString('\n')
	if w.child, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
		_ = release.Close()
		<-w.ended
		return nil, fmt.Errorf("it said %q", line)
	}
	return w, nil
}

// release has the witness end, when the programs have ended: meanwhile the status is written.
func (s *sentry) release() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.died, s.closed = s.witness.swept(), true
		_ = s.witness.release.Close()
	}
}

// close returns when the witness has ended.
func (s *sentry) close() {
	s.release()
	s.ending.Wait()
}

// settle waits until a sweep of signals that was under way when a program ended must be over, and returns what the
// runner knows then: at once when it knows that somebody is ending the job.
func (s *sentry) settle(pilot bool) (signal int, swept bool) {
	renumbered := s.isRenumbered()
	end := s.clock.Now()
	if !pilot || renumbered {
		end += sweepTime
	}
	const step, slow = sweepTime / 2, 5 * time.Millisecond // each step wakes a process that has nothing else to do
	for {
		if signal, swept = s.signal(), s.swept(); signal != 0 || swept {
			return signal, swept
		}
		now := s.clock.Now()
		if now >= end {
			break
		}
		_ = backoff.Sleep(context.Background(), s.clock, min(end, now+step))
		// Where the machine is so busy that a short sleep takes long, so does a sweep.
		if late := s.clock.Now() - now - step; late > slow {
			end = min(end+late, now+time.Second)
		}
	}
	if pilot && renumbered {
		s.renew()
	}
	return 0, false
}

// isRenumbered reports whether the numbers of processes have begun again since the witness was started, so that a
// program may have a lower one.
func (s *sentry) isRenumbered() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return lastProcess() < s.witness.child
}

// renew starts another witness, and has the one before end. If it cannot be started the one before stays.
func (s *sentry) renew() {
	next, err := s.startWitness()
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.witness
	if s.closed || before.swept() { // nobody may forget that
		before = next
	} else {
		s.witness = next
	}
	_ = before.release.Close()
}

// swept reports whether the witness has died, or will.
func (s *sentry) swept() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return s.died
	}
	return s.witness.swept()
}

// swept reports whether the witness, or its child, has died or was sent a signal that it will die of.
func (w *witness) swept() bool {
	select {
	case <-w.ended:
		return true
	default:
		return !lives(w.child)
	}
}

// lives reports whether a process that catches no signals runs and has none pending.
func lives(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return false
	}
	for line := range bytes.Lines(text) {
		name, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte(":"))
		value = bytes.TrimSpace(value)
		switch string(name) {
		case "State":
			if len(value) > 0 && (value[0] == 'Z' || value[0] == 'X') {
				return false
			}
		case "SigPnd", "ShdPnd":
			if pending, err := strconv.ParseUint(string(value), 16, 64); err != nil || pending&fatal != 0 {
				return false
			}
		}
	}
	return true
}

// lastProcess is the number of the process that was started last; 0: that is not known.
func lastProcess() int {
	text, _ := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	if len(fields) == 0 {
		return 0
	}
	pid, _ := strconv.Atoi(fields[len(fields)-1])
	return pid
}

// fatal are the signals by which a batch system ends a job, as /proc has them. The kernel adds SIGKILL to what is
// pending as soon as a signal is sent that will end a process.
const fatal = 1<<(unix.SIGKILL-1) | 1<<(unix.SIGTERM-1) | 1<<(unix.SIGINT-1) | 1<<(unix.SIGHUP-1)

// killed counts how often the kernel has killed a process of the job's memory group; grouped is false if it has none of
// its own.
func (s *sentry) killed() (n int64, grouped bool) {
	if s.kills == "" {
		return 0, false
	}
	text, err := os.ReadFile(s.kills)
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(text) {
		if value, found := bytes.CutPrefix(line, []byte("oom_kill ")); found {
			n, err = strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// peak is the most memory that the processes of the job's memory group had together; 0: that is not known.
func (s *sentry) peak() int64 {
	if s == nil || s.kills == "" {
		return 0
	}
	for _, name := range []string{"memory.peak", "memory.max_usage_in_bytes"} {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(s.kills), name))
		if n, invalid := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && invalid == nil {
			return n
		}
	}
	return 0
}

// killsFile is the file in which the kernel counts what it has killed for want of memory in the job's own control
// group, one with that component in its path. That of a whole machine counts the kills of others.
func killsFile(component string) string {
	text, _ := os.ReadFile("/proc/self/cgroup")
	return killsFileIn(string(text), component)
}

// killsFileIn is killsFile by the text of /proc/self/cgroup.
func killsFileIn(membership, component string) string {
	if component == "" {
		return ""
	}
	for line := range strings.Lines(membership) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) < 3 || !strings.Contains(f[2]+"/", "/"+component+"/") {
			continue
		}
		var candidates []string
		switch f[1] {
		case "memory":
			candidates = []string{"/sys/fs/cgroup/memory" + f[2] + "/memory.oom_control"}
		case "":
			candidates = []string{
				"/sys/fs/cgroup" + f[2] + "/memory.events", "/sys/fs/cgroup/unified" + f[2] + "/memory.events"}
		}
		for _, path := range candidates {
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
	}
	return ""
}

// guarded holds what the runner found out while the programs of a job ran.
type guarded struct {
	sentry *sentry // nil: nobody ends the job

	mu     sync.Mutex
	before int64 // kills that were counted before
	found  status
}

// guard has a sentry look, before the programs run.
func (a *Assignment) guard(s *sentry) {
	if a.sentry = s; s != nil {
		a.before, a.found.Used.Grouped = s.killed()
	}
}

// WasBeingEnded is asked when a program has ended, before anything is made of that, such as atomic output. It waits
// until the runner knows whether somebody was ending the job: then the program's own status means nothing.
func (a *Assignment) WasBeingEnded() bool {
	signal, swept := a.sentry.settle(a.mine.Pilot != "")
	a.note(signal, swept)
	a.mu.Lock()
	defer a.mu.Unlock()
	return outcome(a.found, batch.Entry{}).Kind != batch.Succeeded
}

// now returns what the sentry knows at once.
func (a *Assignment) now() (signal int, swept bool) {
	if a.sentry == nil {
		return 0, false
	}
	return a.sentry.signal(), a.sentry.swept()
}

// note notes what is known; what was known before stays.
func (a *Assignment) note(signal int, swept bool) {
	_, unmarked := a.ticket.read(stopName)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.found.Marked = a.found.Marked || unmarked == nil
	a.found.Swept = a.found.Swept || swept
	if a.found.Signal == 0 {
		a.found.Signal = signal
	}
	if a.sentry != nil {
		if kills, grouped := a.sentry.killed(); grouped {
			a.found.Used.Kills = kills - a.before
		}
	}
}
