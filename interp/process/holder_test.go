package process

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWakeHolders has the guardians found that hold a lock of a file, and those woken that are stopped; no others, and
// of no other file.
func TestWakeHolders(t *testing.T) {
	dir := t.TempDir()
	var files [3]*os.File
	for i, name := range []string{"locked", "open", "other"} {
		file, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		files[i] = file
	}
	locked, open, other := files[0], files[1], files[2]
	if err := unix.FcntlFlock(locked.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK}); err != nil {
		t.Fatal(err)
	}
	var guardians []int
	for range 2 {
		h := openInside(t, Config{Whole: true, Guardian: true})
		h.Hold(int(locked.Fd()))
		h.Hold(int(open.Fd()))
		defer h.Watch()()
		guardians = append(guardians, h.guardian.PID())
	}
	slices.Sort(guardians)
	named := func(pid int) bool {
		name, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
		return string(name) == "ftsh-guardian\n"
	}
	if !until(func() bool { return named(guardians[0]) && named(guardians[1]) }) {
		t.Fatal("they have no name")
	}
	look := func() []Holder {
		found := WakeHolders(locked.Name())
		slices.SortFunc(found, func(a, b Holder) int { return a.PID - b.PID })
		return found
	}
	if got, want := look(), []Holder{{guardians[0], false}, {guardians[1], false}}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	unix.Kill(guardians[1], unix.SIGSTOP)
	if _, err := peekChild(unix.P_PID, guardians[1], unix.WSTOPPED|unix.WALL); err != nil {
		t.Fatal(err)
	}
	if got, want := look(), []Holder{{guardians[0], false}, {guardians[1], true}}; !slices.Equal(got, want) {
		t.Errorf("one is stopped: found %v, want %v", got, want)
	}
	if !until(func() bool {
		stat, _ := os.ReadFile("/proc/" + strconv.Itoa(guardians[1]) + "/stat")
		return strings.Contains(string(stat), ") S ")
	}) {
		t.Error("it was not woken")
	}
	for _, name := range []string{open.Name(), other.Name(), filepath.Join(dir, "none")} {
		if got := WakeHolders(name); len(got) > 0 {
			t.Errorf("%s: found %v", name, got)
		}
	}
}
