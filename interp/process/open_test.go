package process

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/cgroup"
	"ftsh/interp/process/clock"
	"ftsh/interp/world"
)

// The time between the two signals is that of the Config, and 30 s if it has none, as the reference promises.
func TestKillTimeout(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{
		0: 30 * time.Second, -1: 30 * time.Second, 1: 1, time.Minute: time.Minute,
	} {
		h := openInside(t, Config{Clock: stoppedClock{}, KillTimeout: given})
		h.mu.Lock()
		left := h.addTarget(&run{cmd: &world.Command{}, number: 6, ended: true}, h.cfg.KillTimeout)
		h.mu.Unlock()
		if got := left.killAt - h.cfg.Clock.Now(); got != want {
			t.Errorf("%v: killed after %v, want %v", given, got, want)
		}
	}
}

// isSubreaper reports whether orphans come to this process, and setSubreaper has them do so.
func isSubreaper(t *testing.T) bool {
	t.Helper()
	var is int32
	if err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&is)), 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	return is != 0
}

func setSubreaper(t *testing.T, is bool) {
	t.Helper()
	value := uintptr(0)
	if is {
		value = 1
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, value, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
}

// TestSubreaper has a Host leave the process as it was: whoever runs the interpreter within a program of its own may
// have orphans come to that for reasons of its own.
func TestSubreaper(t *testing.T) {
	defer setSubreaper(t, isSubreaper(t))
	for _, before := range []bool{false, true} {
		for _, whole := range []bool{false, true} {
			setSubreaper(t, before)
			h := openInside(t, Config{Whole: whole})
			if got, want := isSubreaper(t), before || whole; got != want {
				t.Errorf("before %v, whole %v: while it is open %v", before, whole, got)
			}
			for range 2 {
				if h.Detach(); isSubreaper(t) != before {
					t.Errorf("before %v, whole %v: detached it is %v", before, whole, !before)
				}
			}
			// One that another part of the program has asked for since is not given up.
			setSubreaper(t, true)
			if h.Close(); !isSubreaper(t) {
				t.Errorf("before %v, whole %v: a Host that had given it up has done so again", before, whole)
			}
		}
	}
}

// TestDetachReaps has nothing that has ended be left to the program that this process becomes, nor an empty group.
func TestDetachReaps(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	home := t.TempDir()
	h.groups = cgroup.OpenLeft(home, h.prefix)
	g := h.groups.Take()
	if names, _ := filepath.Glob(home + "/*"); g == nil || len(names) != 1 {
		t.Fatalf("%v, %q", g, names)
	}
	h.groups.Give(g)
	pid := forkShell(t, "exit 0")
	if _, err := peekChild(unix.P_PID, pid, 0); err != nil {
		t.Fatal(err)
	}
	h.Detach()
	if _, err := syscall.Wait4(pid, nil, unix.WNOHANG, nil); err != unix.ECHILD {
		t.Errorf("it is still to be reaped: %v", err)
	}
	if names, _ := filepath.Glob(home + "/*"); len(names) > 0 {
		t.Errorf("left: %q", names)
	}
}

// TestCloseClocks has a Host close the clock that it has made for itself, and leave that of others alone.
func TestCloseClocks(t *testing.T) {
	before := len(openFiles(t))
	h := openInside(t, Config{Clock: stoppedClock{}})
	h.real.AfterFunc(h.real.Now()+time.Hour, func() {})
	h.Close()
	if after := len(openFiles(t)); after != before {
		t.Errorf("%d files are open, %d were before", after, before)
	}
	real := clock.New()
	defer real.Close()
	openInside(t, Config{Clock: real}).Close()
	fired := make(chan struct{})
	real.AfterFunc(0, func() { close(fired) })
	select {
	case <-fired:
	case <-time.After(2 * time.Minute):
		t.Error("the clock of others goes no more")
	}
}

// TestCommandEnvironment has the marker be the first variable, and the only one of its name.
func TestCommandEnvironment(t *testing.T) {
	h := openInside(t, Config{Marker: "/outer"})
	r := &run{number: 36, cmd: &world.Command{Env: []string{"A=b", markerName + "=/outer", markerName + "S=c", "D"}}}
	want := []string{markerName + "=" + h.prefix + "10", "A=b", markerName + "S=c", "D"}
	if got := h.environment(r); !slices.Equal(got, want) || !strings.HasPrefix(h.prefix, "/outer/") {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWatch has a guardian be there from then on and until the watch is over, though no command is under way; but only
// where the shell may have one.
func TestWatch(t *testing.T) {
	for _, whole := range []bool{false, true} {
		for _, guarded := range []bool{false, true} {
			h := openInside(t, Config{Whole: whole, Guardian: guarded, Observe: func(n Notice) { t.Errorf("told %+v", n) }})
			wanted := whole && guarded
			leave := h.Watch()
			if h.Rest(); (h.guardian.PID() != 0) != wanted {
				t.Errorf("whole %v, with a guardian %v: it is %d", whole, guarded, h.guardian.PID())
			}
			leave()
			if h.Rest(); h.guardian.PID() != 0 {
				t.Errorf("whole %v, with a guardian %v: it stays", whole, guarded)
			}
		}
	}
}

// fillGuardian enters as many commands as a guardian can guard, and returns their places.
func fillGuardian(t *testing.T, h *Host) (places []int) {
	t.Helper()
	for {
		place, err := h.guardian.Enter(1, 0, true)
		if err == unix.ENOSPC {
			return places
		}
		if err != nil {
			t.Fatal(err)
		}
		places = append(places, place)
	}
}

// TestUnguarded has it told that a guardian has no room for more, of a job and of a command, which runs all the same.
// What was never entered is not taken out.
func TestUnguarded(t *testing.T) {
	var told []Notice
	h := openInside(t, Config{Whole: true, Guardian: true, Observe: func(n Notice) {
		if n.Happening == Unguarded {
			told = append(told, n)
		}
	}})
	places := fillGuardian(t, h)
	leave := h.Watch()
	if want := []Notice{{Happening: Unguarded, Command: "a job"}}; !slices.Equal(told, want) {
		t.Errorf("told %+v, want %+v", told, want)
	}
	leave()
	told = nil
	status, err := h.Run(t.Context(), &world.Command{Path: "/bin/sh", Args: []string{"sh", "-c", "exit 6"}})
	if want := []Notice{{Happening: Unguarded, Command: "/bin/sh"}}; status.Code != 6 || err != nil ||
		!slices.Equal(told, want) {
		t.Errorf("%+v, %v; told %+v, want %+v", status, err, told, want)
	}
	for _, place := range places[1:] {
		h.guardian.Leave(place)
	}
	if h.Rest(); h.guardian.PID() == 0 {
		t.Error("the guardian is gone, and one command is under way")
	}
	h.guardian.Leave(places[0])
	if h.Rest(); h.guardian.PID() != 0 {
		t.Error("the guardian stays, and no command is under way")
	}
}

// TestHold has a guardian hold a descriptor of the shell's, and one that is started later hold it no more once it is
// released.
func TestHold(t *testing.T) {
	h := openInside(t, Config{Whole: true, Guardian: true})
	file, err := os.Create(filepath.Join(t.TempDir(), "locked"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	holds := func() (found bool) {
		defer h.Watch()()
		folder := "/proc/" + strconv.Itoa(h.guardian.PID()) + "/fd/"
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			link, _ := os.Readlink(folder + entry.Name())
			found = found || link == file.Name()
		}
		return found
	}
	if holds() {
		t.Error("it holds what nobody has asked for")
	}
	release := h.Hold(int(file.Fd()))
	if !holds() {
		t.Error("it does not hold it")
	}
	if release(); holds() {
		t.Error("it holds it still")
	}
}

// TestNeedsNoGuardian has a command that ends by itself start none, though the next one would have one at once.
func TestNeedsNoGuardian(t *testing.T) {
	h := openInside(t, Config{Whole: true, Guardian: true})
	h.Watch()() // from now on no command begins without one
	h.Rest()
	for _, unguarded := range []bool{true, false} {
		_, err := h.Run(t.Context(), &world.Command{Path: "/bin/true", Args: []string{"true"}, Unguarded: unguarded})
		if err != nil || (h.guardian.PID() == 0) != unguarded {
			t.Errorf("unguarded %v: the guardian is %d; %v", unguarded, h.guardian.PID(), err)
		}
	}
}

// TestRest has what has ended be reaped before a long wait, and the guardian leave; but not while a command runs.
func TestRest(t *testing.T) {
	h := openInside(t, Config{Whole: true, Guardian: true})
	rested := 0
	h.Watch()() // from now on no command begins without one
	_, err := h.Run(t.Context(), &world.Command{Path: "/bin/true", Args: []string{"true"}, Started: func() {
		h.Rest()
		rested = h.guardian.PID()
	}})
	if err != nil || rested == 0 {
		t.Errorf("the guardian of a command that runs is %d; %v", rested, err)
	}
	pid := forkShell(t, "exit 0")
	if _, err := peekChild(unix.P_PID, pid, 0); err != nil {
		t.Fatal(err)
	}
	h.Rest()
	if _, err := syscall.Wait4(pid, nil, unix.WNOHANG, nil); err != unix.ECHILD || h.guardian.PID() != 0 {
		t.Errorf("it is still to be reaped: %v; the guardian is %d", err, h.guardian.PID())
	}
}
