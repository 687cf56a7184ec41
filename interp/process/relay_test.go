package process

import (
	"errors"
	"ftsh/interp/world"
	"os"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// toldSignals are the signals that a job has told of.
func toldSignals(j *Job) (told []unix.Signal) {
	for len(j.signals) > 0 {
		told = append(told, <-j.signals)
	}
	return told
}

// TestListenToRelay has what a relay says be told, and its line be closed when it is gone.
func TestListenToRelay(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w.Write([]byte{byte(unix.SIGINT), byte(unix.SIGQUIT)})
	w.Close()
	j := (&Host{}).NewJob(-1)
	j.listenToRelay(r)
	if got := toldSignals(j); !slices.Equal(got, []unix.Signal{unix.SIGINT, unix.SIGQUIT}) {
		t.Errorf("told %v", got)
	}
	if err := r.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the line is open: %v", err)
	}
}

// TestRelayEnded has a relay die of a key, which is told of as if it had said so itself; of anything else it just dies.
func TestRelayEnded(t *testing.T) {
	for _, tt := range []struct {
		name   string
		pid    int
		status world.Status
		closed bool
		told   []unix.Signal
	}{
		{"of Ctrl-C", 4000, world.Status{Signal: unix.SIGINT}, false, []unix.Signal{unix.SIGINT}},
		{"of Ctrl-\\", 4000, world.Status{Signal: unix.SIGQUIT}, false, []unix.Signal{unix.SIGQUIT}},
		{"of Ctrl-C, of a job that is over", 4000, world.Status{Signal: unix.SIGINT}, true, nil},
		{"killed", 4000, world.Status{Signal: unix.SIGKILL}, false, nil},
		{"by itself", 4000, world.Status{Code: 2}, false, nil},
		{"another process, of Ctrl-C", 4001, world.Status{Signal: unix.SIGINT}, false, nil},
	} {
		h := &Host{}
		j := h.NewJob(-1)
		j.relay, j.closed, h.relays = 4000, tt.closed, map[int]*Job{4000: j}
		h.relayEnded(tt.pid, tt.status)
		if got := toldSignals(j); !slices.Equal(got, tt.told) {
			t.Errorf("%s: told %v", tt.name, got)
		}
		if ended := tt.pid == 4000; (len(h.relays) == 0) != ended || (j.relay == 0) != ended {
			t.Errorf("%s: relays %v, of the job %d", tt.name, h.relays, j.relay)
		}
	}
}

// TestRelay has a job have a relay from its first program on and until it is closed, which may be said twice.
func TestRelay(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	before := openFiles(t)
	j := h.NewJob(-1)
	if j.Watch(); j.relay != 0 || h.jobs != 1 {
		t.Errorf("no program is under way, and the relay is %d, of %d jobs", j.relay, h.jobs)
	}
	j.programs++
	j.Watch()
	relay := j.relay
	if relay == 0 || h.relays[relay] != j || j.group != relay || h.forks.under != 0 {
		t.Errorf("the relay is %d, of %v, in the group %d; %d are being started", relay, h.relays, j.group, h.forks.under)
	}
	if group, err := unix.Getpgid(relay); group != relay || err != nil {
		t.Errorf("it is in the group %d, %v", group, err)
	}
	if j.Watch(); j.relay != relay {
		t.Error("there is another")
	}
	unix.Kill(relay, unix.SIGQUIT)
	if got := <-j.Signals(); got != unix.SIGQUIT {
		t.Errorf("told %v", got)
	}
	for range 2 {
		if j.Close(); h.jobs != 0 || len(h.relays) != 0 || j.relay != 0 {
			t.Errorf("closed: %d jobs, relays %v, of this one %d", h.jobs, h.relays, j.relay)
		}
	}
	if after := openFiles(t); !slices.Equal(before, after) {
		t.Errorf("open before %q, after %q", before, after)
	}
	if j.Watch(); j.relay != 0 {
		t.Error("a job that is over has a relay")
		j.closed = false
		j.Close()
	}
}

// TestNoRelay has a job go on without a relay where none can be started.
func TestNoRelay(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	before := openFiles(t)
	j := h.NewJob(-1)
	defer j.Close()
	j.programs, j.group = 1, -1 // which the kernel refuses
	j.Watch()
	if j.relay != 0 || j.line != nil || len(h.relays) != 0 || h.forks.under != 0 {
		t.Errorf("the relay is %d, of %v; %d are being started", j.relay, h.relays, h.forks.under)
	}
	if after := openFiles(t); !slices.Equal(before, after) {
		t.Errorf("open before %q, after %q", before, after)
	}
	j.group = 0
}

// TestNoteStop has children that stop: a relay and what has not executed its program yet are to go on, a command's
// process stops its job, and of one that nobody knows it is kept as long as something is being started.
func TestNoteStop(t *testing.T) {
	for _, tt := range []struct {
		name                            string
		ours, relay, forking, running   bool
		stops, goesOn, kept, stoppedJob bool
	}{
		{name: "a relay", relay: true, forking: true, stops: true, goesOn: true},
		{name: "not executed yet", ours: true, forking: true, stops: true, goesOn: true},
		{name: "a program that is being started", forking: true, stops: true, kept: true},
		{name: "an orphan", stops: true},
		{name: "a program of the job", running: true, stops: true, stoppedJob: true},
		{name: "one that runs on", running: true},
	} {
		h := openInside(t, Config{Whole: true})
		j := h.NewJob(-1)
		j.programs = 1
		pid := forkStops(t, tt.ours, tt.stops)
		if tt.relay {
			h.relays = map[int]*Job{pid: j}
		}
		if tt.forking {
			h.forks.under = 1
		}
		if tt.running {
			h.running[pid] = &run{pid: pid, cmd: &world.Command{Job: j}}
		}
		if got := h.noteStop(pid); got != tt.stops {
			t.Errorf("%s: it has stopped: %v", tt.name, got)
		}
		if j.stopped != tt.stoppedJob || h.forks.stopped[pid] != tt.kept || h.noteStop(pid) {
			t.Errorf("%s: the job is stopped %v, kept %v", tt.name, j.stopped, h.forks.stopped[pid])
		}
		if !tt.goesOn {
			unix.Kill(pid, unix.SIGTERM)
			unix.Kill(pid, unix.SIGCONT)
		}
		if died := deathOf(t, pid); (died == 0) != tt.goesOn {
			t.Errorf("%s: it died of %v", tt.name, died)
		}
		h.relays, h.forks = nil, forks{}
		delete(h.running, pid)
	}
}

// forkStops starts a process that stops, and ends when it goes on; or that runs on. It executes the program of these
// tests, or another.
func forkStops(t *testing.T, ours, stops bool) int {
	t.Helper()
	path, args, env := "/bin/sh", []string{"sh", "-c", "kill -STOP $$"}, []string(nil)
	if ours {
		path, env = "/proc/self/exe", append(os.Environ(), "PROCESS_TEST_PLAY=stops", "GORACE=atexit_sleep_ms=0")
	}
	if !stops {
		args[2] = "exec sleep 1000"
	}
	pid, err := syscall.ForkExec(path, args, &syscall.ProcAttr{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	if stops {
		var info unix.Siginfo
		if err := unix.Waitid(unix.P_PID, pid, &info, unix.WSTOPPED|unix.WNOWAIT, nil); err != nil {
			t.Fatal(err)
		}
	}
	return pid
}

// TestJobStops has a job be stopped when all of its programs are, which is told of once, and go on with all of them.
func TestJobStops(t *testing.T) {
	h := &Host{}
	j := h.NewJob(-1)
	j.programs = 2
	first, second := &run{pid: 1, cmd: &world.Command{Job: j}}, &run{pid: 2, cmd: &world.Command{Job: j}}
	(&run{pid: 3, cmd: &world.Command{}}).takeStop() // of no job
	for i, r := range []*run{first, first, second, second} {
		r.takeStop()
		told := toldSignals(j)
		if j.stopped != (i >= 2) || j.foreground == j.stopped || (len(told) == 1) != (i == 2) {
			t.Errorf("stop %d: stopped %v, in the foreground %v, told %v", i+1, j.stopped, j.foreground, told)
		}
	}
	resumed := j.resumed
	j.resumePrograms()
	select {
	case <-resumed:
	default:
		t.Error("who waits for it to go on still waits")
	}
	if j.resumePrograms(); j.stopped || len(j.stops) != 0 { // said twice
		t.Errorf("it goes on: stopped %v, %v", j.stopped, j.stops)
	}
	first.takeStop()
	j.leaveProgram(1)
	if second.takeStop(); j.programs != 1 || !j.stopped || len(j.stops) != 1 {
		t.Errorf("one of two has left: %d programs, stopped %v, %v", j.programs, j.stopped, j.stops)
	}
}
