package process_test

import (
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"ftsh/interp/process"
	"ftsh/interp/process/clock"
	"ftsh/interp/process/guardian"
	"ftsh/interp/world"
)

// TestServe has arguments by which a program is no guardian, or one that was given no orders that it understands.
func TestServe(t *testing.T) {
	orders := func(changed int, value string) []string {
		args := []string{guardian.Flag, "a/1.b.", "1000", "false", "false", "5", "", "1", "3"}
		if changed > 0 {
			args[changed] = value
		}
		return args
	}
	for _, test := range []struct {
		args   []string
		status int
		served bool
		dead   string // the marker of a dead shell
	}{
		{nil, 0, false, ""},
		{[]string{"script"}, 0, false, ""},
		{[]string{"script", guardian.Flag}, 0, false, ""},
		{[]string{guardian.Flag}, 2, true, ""},
		{orders(0, "")[:8], 2, true, "a/1.b."},
		{append(orders(0, ""), ""), 2, true, "a/1.b."},
		{orders(1, "a1.b."), 2, true, "a1.b."},
		{orders(2, "soon"), 2, true, "a/1.b."},
		{orders(8, "all"), 2, true, "a/1.b."},
		{orders(7, "shell"), 2, true, "a/1.b."},
		{orders(5, "0"), 2, true, "a/1.b."},
		{orders(5, "-1"), 2, true, "a/1.b."},
	} {
		done := make(chan bool)
		go func() {
			defer close(done)
			var dead string
			status, served := process.Serve(test.args, signal.Notify, func(marker string) { dead = marker })
			if status != test.status || served != test.served || dead != test.dead {
				t.Errorf("%q: %d, %v, the shell %q is dead", test.args, status, served, dead)
			}
		}()
		<-done
	}
}

// TestToldOfCommands has what a Host tells of each command: that it is under way, and what it has used.
func TestToldOfCommands(t *testing.T) {
	for _, all := range []bool{true, false} {
		var mu sync.Mutex
		var under []string
		reaped := 0
		cfg := process.Config{Clock: clock.New(), Whole: all,
			Under: func(number uint64, begins bool) {
				mu.Lock()
				defer mu.Unlock()
				under = append(under, fmt.Sprint(number, begins))
			},
			Reaped: func(used *syscall.Rusage) {
				mu.Lock()
				defer mu.Unlock()
				if used.Maxrss > 0 {
					reaped++
				}
			},
		}
		h, s := open(t, cfg), newStage(t)
		for _, script := range []string{"true", "exit 3"} {
			if _, err := h.Run(t.Context(), s.sh(script)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := h.Run(t.Context(), &world.Command{Path: "/no/such", Args: []string{"x"}}); err == nil {
			t.Error("a program that is not there was started")
		}
		want := []string{"1 true", "1 false", "2 true", "2 false", "3 true", "3 false"}
		if !slices.Equal(under, want) || reaped < 2 {
			t.Errorf("whole %v: under way %q, %d reaped", all, under, reaped)
		}
		if marker := h.Left().Marker; !strings.Contains(marker, "/") {
			t.Errorf("the marker is %q", marker)
		}
	}
}

// TestDetached has a Host give up its role before this process would become another, and take it up for the next
// command: an orphan comes to it again.
func TestDetached(t *testing.T) {
	subreaper := func() bool {
		var is int32
		if err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&is)), 0, 0, 0); err != nil {
			t.Fatal(err)
		}
		return is != 0
	}
	h, s := open(t, process.Config{Clock: clock.New(), Whole: true}), newStage(t)
	if !subreaper() {
		t.Error("no orphan would come here")
	}
	if h.Detach(); subreaper() {
		t.Error("orphans still come here")
	}
	status, err := h.Run(t.Context(), s.sh("(sleep 0.01 & ) ; exit 4"))
	if status.Code != 4 || err != nil || !subreaper() {
		t.Errorf("%+v, %v", status, err)
	}
}

// TestExecFails has this process stay what it is where there is no such program.
func TestExecFails(t *testing.T) {
	err := process.Exec(&world.Command{Path: "/no/such", Args: []string{"such"}}, os.Environ())
	if failed, ok := err.(*world.StartError); !ok || failed.Err != unix.ENOENT || failed.Path != "/no/such" {
		t.Errorf("%v", err)
	}
}
