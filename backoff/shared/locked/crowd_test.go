package locked_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff/shared/locked"
	"ftsh/interp/process/clock"
	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
)

// visitors are shells that share a service by a resource, and the service.
type visitors struct {
	*testing.T
	shell  string
	dir    string
	env    []string
	folder *locked.Folder
	clock  *clock.Clock
	listen net.Listener
	gate   chan struct{} // closed: the service answers

	mu     sync.Mutex
	inside map[net.Conn]bool
	most   int
}

// visitScript has one attempt at the service by way of four slots. The service
// answers when it likes.
const visitScript = `resource service
    slots 4
end
try for 10 minutes via service
    bash -c 'exec 3<>/dev/tcp/127.0.0.1/$0 && echo here >&3 && read answer <&3' $1
end
`

// newVisitors starts the service and builds the shell.
func newVisitors(t *testing.T) *visitors {
	skip.Without(t, "bash")
	v := &visitors{T: t, shell: shelltest.Shell(t), dir: t.TempDir(), gate: make(chan struct{}), clock: clock.New(),
		inside: map[net.Conn]bool{}}
	must(t, os.WriteFile(v.dir+"/visit.ftsh", []byte(visitScript), 0o666))
	mark := strconv.Itoa(os.Getpid()) + filepath.Base(filepath.Dir(v.dir))
	v.env = append(os.Environ(), "FTSH_STATE_DIR="+v.dir+"/state", "TMPDIR="+v.dir, shelltest.Marker+"="+mark)
	var err error
	v.listen, err = net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	v.folder, err = locked.Open(v.dir+"/state", v.clock)
	must(t, err)
	var served sync.WaitGroup
	served.Go(func() { v.serve(&served) })
	t.Cleanup(func() {
		_ = v.listen.Close()
		served.Wait()
		v.clock.Close()
		for pid, name := range shelltest.Carriers(mark) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Errorf("left behind: process %d %s", pid, name)
		}
	})
	return v
}

func (v *visitors) serve(served *sync.WaitGroup) {
	for {
		conn, err := v.listen.Accept()
		if err != nil {
			return
		}
		served.Go(func() { v.visit(conn) })
	}
}

// visit serves one client.
func (v *visitors) visit(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewReader(conn)
	if _, err := lines.ReadString('\n'); err != nil {
		return
	}
	v.count(conn)
	gone := make(chan struct{})
	go func() {
		_, _ = lines.ReadByte() // nothing comes: it returns when the client is gone
		close(gone)
	}()
	select {
	case <-v.gate:
		fmt.Fprintln(conn, "served")
		<-gone
	case <-gone:
	}
	v.mu.Lock()
	delete(v.inside, conn)
	v.mu.Unlock()
}

// count counts who is inside: what the kernel says, since this process may learn later
// that somebody has hung up than that the next has come.
func (v *visitors) count(conn net.Conn) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.inside[conn] = true
	connected := 0
	for other := range v.inside {
		raw, err := other.(*net.TCPConn).SyscallConn()
		must(v.T, err)
		_ = raw.Control(func(fd uintptr) {
			n, _, err := unix.Recvfrom(int(fd), make([]byte, 1), unix.MSG_PEEK|unix.MSG_DONTWAIT)
			if n > 0 || err == unix.EAGAIN {
				connected++
			}
		})
	}
	v.most = max(v.most, connected)
}

// neverFive holds what the service has seen.
func (v *visitors) neverFive() {
	v.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.most > 4 {
		v.Errorf("%d at once", v.most)
	}
}

// start starts a shell that logs to its own file.
func (v *visitors) start(n int) *exec.Cmd {
	v.Helper()
	port := v.listen.Addr().(*net.TCPAddr).Port
	log := fmt.Sprintf("%s/log.%d", v.dir, n)
	cmd := exec.Command(v.shell, "--log-format=json", "-l", "30", "-f", log, v.dir+"/visit.ftsh", strconv.Itoa(port))
	cmd.Env = v.env
	must(v.T, cmd.Start())
	return cmd
}

// until waits for a state of the resource.
func (v *visitors) until(what string, is func(locked.Status) bool) {
	v.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(v.Context(), time.Second)
		status, err := v.folder.Look(ctx, "service")
		cancel()
		switch {
		case err == nil && is(status):
			return
		case time.Now().After(deadline):
			v.Fatalf("%s does not happen: %+v, %v", what, status, err)
		}
	}
}

// turn is when a shell came, and when it had its turn.
type turn struct {
	before int    // how many stood before it; -1: it did not have to wait
	began  string // the time
}

// turns reads the logs of so many shells.
func (v *visitors) turns(size int) (turns []turn) {
	for n := range size {
		text, err := os.ReadFile(fmt.Sprintf("%s/log.%d", v.dir, n))
		must(v.T, err)
		t := turn{before: -1}
		for line := range strings.Lines(string(text)) {
			var e struct {
				Time, Event string
				Count       int
			}
			must(v.T, json.Unmarshal([]byte(line), &e))
			switch {
			case e.Event == "resource.wait" && t.before < 0:
				t.before = e.Count
			case e.Event == "try.attempt":
				t.began = e.Time
			}
		}
		turns = append(turns, t)
	}
	slices.SortFunc(turns, func(a, b turn) int { return strings.Compare(a.began, b.began) })
	return turns
}

// TestCrowd has 500 shells share four slots of a service, which sees for itself that
// there are never five. They have their turns in the order in which they came.
// While nothing changes, they do nothing.
func TestCrowd(t *testing.T) {
	t.Parallel()
	v := newVisitors(t)
	size := 50
	if skip.Long() && !skip.UnderRace {
		size = 500
	} else {
		skip.Say(t, "only %d shells and not 500, unless FTSH_TEST=long, without the race detector", size)
	}
	shells := make([]*exec.Cmd, size)
	for n := range size {
		shells[n] = v.start(n)
	}
	v.until("all stand in line", func(s locked.Status) bool { return s.Taken == 4 && s.Waiting == size-4 })
	v.isQuiet(shells)
	close(v.gate)
	for _, shell := range shells {
		if err := shell.Wait(); err != nil {
			t.Error(err)
		}
	}
	v.neverFive()
	worst := 0
	for place, turn := range v.turns(size) {
		if turn.began == "" {
			t.Error("a shell had no turn")
		}
		if turn.before >= 0 {
			worst = max(worst, turn.before+4-place, place-turn.before-4)
		}
	}
	t.Logf("out of order by %d places at most", worst)
	if worst > 10 {
		t.Errorf("out of order by %d places", worst)
	}
	v.until("all is free", func(s locked.Status) bool { return s.Taken+s.Waiting == 0 })
}

// isQuiet measures what all shells together do in three seconds in which nothing
// happens.
func (v *visitors) isQuiet(shells []*exec.Cmd) {
	const span = 3 * time.Second
	time.Sleep(span) // what a shell does when a wait turns out to be long is done by then
	ticks, wakes := usage(shells)
	time.Sleep(span)
	ticks2, wakes2 := usage(shells)
	v.Logf("%d shells that wait: %d ms of processor time and %d wake-ups in %v", len(shells), 10*(ticks2-ticks),
		wakes2-wakes, span)
	// A look makes a Go program wake up some fifty times.
	if woke := wakes2 - wakes; woke > 3*6*len(shells) {
		v.Errorf("%d shells that wait woke %d times in %v", len(shells), woke, span)
	}
}

// usage is the processor time in hundredths of a second, and the number of wake-ups.
func usage(shells []*exec.Cmd) (ticks, wakes int) {
	for _, shell := range shells {
		proc := fmt.Sprintf("/proc/%d/", shell.Process.Pid)
		stat, _ := os.ReadFile(proc + "stat")
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 13 {
			user, _ := strconv.Atoi(fields[11])
			system, _ := strconv.Atoi(fields[12])
			ticks += user + system
		}
		tasks, _ := filepath.Glob(proc + "task/*/status")
		for _, task := range tasks {
			text, _ := os.ReadFile(task)
			_, rest, _ := strings.Cut(string(text), "\nvoluntary_ctxt_switches:\t")
			number, _, _ := strings.Cut(rest, "\n")
			n, _ := strconv.Atoi(number)
			wakes += n
		}
	}
	return ticks, wakes
}

// TestCrowdDies has shells killed at random, those that wait and those that have a slot:
// no slot is lost, none is given twice while the program of a killed shell still
// runs, and the others have their turn.
func TestCrowdDies(t *testing.T) {
	v := newVisitors(t)
	close(v.gate)
	const size = 60
	shells, ended := map[int]*exec.Cmd{}, make(chan int, size)
	for n := range size {
		shells[n] = v.start(n)
	}
	for n, shell := range shells {
		go func() {
			_ = shell.Wait()
			ended <- n
		}()
	}
	killed := map[int]bool{}
	for len(shells) > 0 {
		select {
		case n := <-ended:
			if code := shells[n].ProcessState.ExitCode(); code != 0 && !killed[n] {
				t.Errorf("shell %d ended with %v", n, shells[n].ProcessState)
			}
			delete(shells, n)
		case <-time.After(time.Duration(rand.IntN(5)) * time.Millisecond):
			for n, shell := range shells { // at random
				if len(killed) < size/2 && !killed[n] {
					killed[n] = true
					_ = shell.Process.Kill()
				}
				break
			}
		}
	}
	v.neverFive()
	v.until("all is free", func(s locked.Status) bool { return s.Taken+s.Waiting == 0 })
	t.Logf("%d of %d were killed", len(killed), size)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
