package procfs

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLifeIn holds each answer, and that nothing is concluded where nothing was seen.
func TestLifeIn(t *testing.T) {
	sees := func(s Stat, err error) func(int) (Stat, error) {
		return func(pid int) (Stat, error) {
			if pid != 7 {
				t.Errorf("it looked at process %d, want 7", pid)
			}
			return s, err
		}
	}
	running := Stat{State: 'S', Threads: 3, Start: 100}
	named := Name{"boot/7/100", "pid:[1]"}
	for _, test := range []struct {
		name  string
		named Name
		view  view
		want  Life
	}{
		{"it runs", named, view{"boot", "pid:[1]", sees(running, nil)}, Alive},
		{"it is stopped", named, view{"boot", "pid:[1]", sees(Stat{State: 'T', Threads: 1, Start: 100}, nil)}, Alive},
		{"only its first thread has ended", named,
			view{"boot", "pid:[1]", sees(Stat{State: 'Z', Threads: 2, Start: 100}, nil)}, Alive},
		{"it has ended, and nobody has asked how", named,
			view{"boot", "pid:[1]", sees(Stat{State: 'Z', Threads: 1, Start: 100}, nil)}, Dead},
		{"it is gone", named, view{"boot", "pid:[1]", sees(Stat{}, unix.ENOENT)}, Dead},
		{"it goes while we look", named, view{"boot", "pid:[1]", sees(Stat{}, unix.ESRCH)}, Dead},
		{"its number was given again", named, view{"boot", "pid:[1]", sees(Stat{State: 'S', Threads: 1, Start: 101}, nil)},
			Dead},
		{"of an earlier boot", named, view{"other", "pid:[1]", sees(running, nil)}, Dead},
		{"of an earlier boot, without /proc of ours", named, view{boot: "other"}, Dead},
		{"no /proc", named, view{}, Unseen},
		{"/proc of other numbers", named, view{boot: "boot"}, Unseen},
		{"in another space", named, view{"boot", "pid:[2]", sees(running, nil)}, Unseen},
		{"our space has no name", Name{"boot/7/100", ""}, view{"boot", "", sees(running, nil)}, Unseen},
		{"no descriptor is left to look", named, view{"boot", "pid:[1]", sees(Stat{}, unix.EMFILE)}, Unseen},
		{"we may not look", named, view{"boot", "pid:[1]", sees(Stat{}, unix.EACCES)}, Unseen},
		{"it could not name itself", Name{"", "7"}, view{"boot", "pid:[1]", sees(running, nil)}, Unseen},
	} {
		if got := test.named.lifeIn(test.view); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

// TestLife looks at real processes.
func TestLife(t *testing.T) {
	own := OwnName()
	if own.PID() != os.Getpid() || own.Life() != Alive {
		t.Errorf("%+v is process %d with the answer %d, want this one, alive", own, own.PID(), own.Life())
	}
	child := exec.Command("sleep", "1000")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	named := Name{Identity(child.Process.Pid), own.Space}
	if got := named.Life(); got != Alive {
		t.Errorf("a child that runs: %d", got)
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	if got := named.Life(); got != Dead {
		t.Errorf("a child that was killed: %d", got)
	}
}

// TestReadFails reads what can be opened but not read, as all files of a process are that has gone in between.
func TestReadFails(t *testing.T) {
	p, err := Open(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if n, err := p.Read("fd", make([]byte, 100)); n != 0 || err != unix.EISDIR {
		t.Errorf("%d bytes were read, with the error %v, wanted none and EISDIR", n, err)
	}
}
