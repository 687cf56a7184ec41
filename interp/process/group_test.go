package process_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process"
	"ftsh/interp/process/clock"
	"ftsh/interp/world"
	"ftsh/testdata/skip"
)

// delegate makes a control group as a service manager does, and delegates it.
func delegate(t *testing.T) (home string) {
	t.Helper()
	for _, mount := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		var fs unix.Statfs_t
		if unix.Statfs(mount, &fs) != nil || fs.Type != unix.CGROUP2_SUPER_MAGIC {
			continue
		}
		home = filepath.Join(mount, fmt.Sprintf("ftsh-test-%d-%d", os.Getpid(), stages.Add(1)))
		if err := os.Mkdir(home, 0o755); err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { remove(t, home) })
		if err := unix.Setxattr(home, "trusted.delegate", []byte("1"), 0); err != nil {
			t.Skip(err)
		}
		return home
	}
	skip.Test(t, "no cgroup v2 here")
	return ""
}

// remove removes a group, once nobody is in it.
func remove(t *testing.T, home string) {
	for end := time.Now().Add(patience); ; pause() {
		err := syscall.Rmdir(home)
		if err == nil {
			return
		}
		if time.Now().After(end) {
			members, _ := os.ReadFile(home + "/cgroup.procs")
			below, _ := filepath.Glob(home + "/ftsh-*")
			t.Errorf("%v: members %q, groups %q", err, members, below)
			return
		}
	}
}

const groupVariable = "PROCESS_TEST_GROUP"

// joinGroup makes this process a member of the group that it is told of.
func joinGroup() {
	home := os.Getenv(groupVariable)
	if home == "" {
		return
	}
	os.Unsetenv(groupVariable)
	if err := os.WriteFile(home+"/cgroup.procs", []byte("0"), 0); err != nil {
		panic(err)
	}
}

// In a delegated group nothing can hide whose it is, and daemons that are wanted stay.
func TestGroups(t *testing.T) {
	home, s := delegate(t), newStage(t)
	playApart(t, "grouped", "PROCESS_TEST_STAGE="+s.name, groupVariable+"="+home)
	if alive := s.alive(); len(alive) != 1 {
		t.Errorf("%d live, want one daemon", len(alive))
	}
	if left, _ := filepath.Glob(home + "/ftsh-*"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	s.end()
}

func playGrouped() {
	joinGroup()
	strays := 0
	cfg := whole
	clock := clock.New()
	cfg.Clock, cfg.Guardian, cfg.KillTimeout = clock, true, 50*time.Millisecond
	cfg.Observe = func(n process.Notice) {
		if n.Happening == process.Unowned {
			strays++
		}
	}
	h, err := process.Open(cfg)
	if err != nil {
		panic(err)
	}
	up, in, _ := os.Pipe()
	command := func(script string) *world.Command {
		script = strings.ReplaceAll(script, "SLEEP", "sleep "+os.Getenv("PROCESS_TEST_STAGE"))
		return &world.Command{Path: "/bin/sh", Args: []string{"sh", "-c", script}, Env: os.Environ(),
			Files: []int{0, 1, 2, int(in.Fd())}}
	}
	h.Run(context.Background(), command("env -i setsid SLEEP & exit 0")) // which stays
	ctx, cancel := context.WithCancelCause(context.Background())
	var other sync.WaitGroup
	other.Go(func() { h.Run(ctx, command("trap '' TERM; (setsid SLEEP &); echo >&3; SLEEP; SLEEP")) })
	up.Read(make([]byte, 1))
	for range 3 {
		h.Run(context.Background(), command(
			"(env -i setsid sh -c 'trap \"\" TERM; (setsid SLEEP &); SLEEP' &); sleep 0.1; exit 1"))
	}
	cancel(errCut)
	other.Wait()
	h.Close()
	clock.Close()
	if strays > 0 {
		panic(fmt.Sprint(strays, " were said to hide"))
	}
}

// The guardian finds by its group what hides in every other way.
func TestGuardianOfGroups(t *testing.T) {
	home, s := delegate(t), newStage(t)
	c := s.shell("(env -i setsid SLEEP &) ; (env -i setsid sh -c 'trap \"\" TERM; (setsid SLEEP &); SLEEP' TAG &); " +
		"sleep 0.2; echo >&3; SLEEP")
	c.Env = append(c.Env, groupVariable+"="+home)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s.wait()
	c.Process.Kill()
	c.Wait()
	s.gone()
	s.childrenEnd()
}
