package simulate_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"ftsh/backoff/shared/locked"
	"ftsh/cmd/ftshsim/simulate"
	"ftsh/interp/process/clock"
	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
	"ftsh/testdata/write"
)

func TestMain(m *testing.M) {
	skip.Collections()
	shelltest.Main(m, nil)
}

// get is a program that asks the service of the test, and does as that says.
const get = `#!/bin/bash
exec 3<>/dev/tcp/127.0.0.1/$PORT && echo here >&3 && read answer <&3 && [ "$answer" = ok ]
`

// service answers real shells that ask by way of a resource. Requests wait until they are answered.
type service struct {
	*testing.T
	asked  chan net.Conn
	count  int // of all requests that were taken from asked
	folder *locked.Folder
	shells []*exec.Cmd
	start  func() *exec.Cmd // another shell
}

// serve starts a service, and so many shells that run a script.
func serve(t *testing.T, clients int, script string) *service {
	t.Helper()
	skip.Without(t, "bash")
	shell, dir, clock := shelltest.Shell(t), t.TempDir(), clock.New()
	for name, text := range map[string]string{"get": get, "script.ftsh": script} {
		write.Program(t, filepath.Join(dir, name), text)
	}
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &service{T: t, asked: make(chan net.Conn, 10_000)}
	if s.folder, err = locked.Open(dir+"/state", clock); err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() { s.accept(listen, &serving) })
	t.Cleanup(func() {
		for _, cmd := range s.shells {
			_ = cmd.Process.Signal(syscall.SIGTERM)
		}
		for _, cmd := range s.shells {
			_ = cmd.Wait()
		}
		_ = listen.Close()
		serving.Wait()
		close(s.asked)
		clock.Close()
	})
	env := append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "FTSH_STATE_DIR="+dir+"/state", "TMPDIR="+dir,
		"PORT="+strconv.Itoa(listen.Addr().(*net.TCPAddr).Port))
	s.start = func() *exec.Cmd {
		cmd := exec.Command(shell, "-l", "0", dir+"/script.ftsh")
		cmd.Env = env
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		s.shells = append(s.shells, cmd)
		return cmd
	}
	for range clients {
		s.start()
	}
	return s
}

func (s *service) accept(listen net.Listener, serving *sync.WaitGroup) {
	for {
		conn, err := listen.Accept()
		if err != nil {
			return
		}
		serving.Go(func() {
			if _, err := bufio.NewReader(conn).ReadString('\n'); err == nil {
				s.asked <- conn
			}
		})
	}
}

// round waits for so many requests, and sees that there are no more.
func (s *service) round(n int) (list []net.Conn) {
	s.Helper()
	for len(list) < n {
		select {
		case conn := <-s.asked:
			list = append(list, conn)
		case <-time.After(time.Minute):
			s.Fatalf("%d requests, and no more come; in virtual time these are %d", len(list), n)
		}
	}
	s.count += n
	if more := len(s.asked); more > 0 {
		s.Errorf("%d requests more than the %d in virtual time", more, n)
	}
	return list
}

func (s *service) answer(list []net.Conn, how string) {
	for _, conn := range list {
		fmt.Fprintln(conn, how)
		_ = conn.Close()
	}
}

// until waits for a state of the resource. It looks seldom: each look holds the lock that all shells want.
func (s *service) until(what string, is func(locked.Status) bool) {
	s.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(s.Context(), time.Second)
		status, err := s.folder.Look(ctx, "r")
		cancel()
		switch {
		case err == nil && is(status):
			return
		case time.Now().After(deadline):
			s.Fatalf("%s does not happen: %+v, %v", what, status, err)
		}
	}
}

// succeed waits for all shells.
func (s *service) succeed() {
	s.Helper()
	for _, cmd := range s.shells {
		if err := cmd.Wait(); err != nil {
			s.Errorf("a shell: %v", err)
		}
	}
	s.shells = nil
}

// TestStoppedShell stops a shell that stands first in line: the next goes before it, and it
// has its turn when it goes on.
func TestStoppedShell(t *testing.T) {
	t.Parallel()
	s := serve(t, 1, "resource r\nslots 1\nend\ntry for 10 minutes via r\nget\nend\n")
	holder := s.round(1)
	stopped := s.start()
	s.until("the second waits", func(st locked.Status) bool { return st.Waiting == 1 })
	_ = stopped.Process.Signal(syscall.SIGSTOP)
	s.start()
	s.until("the third waits", func(st locked.Status) bool { return st.Waiting == 2 })
	s.answer(holder, "ok")
	third := s.round(1)
	_ = stopped.Process.Signal(syscall.SIGCONT)
	s.answer(third, "ok")
	s.answer(s.round(1), "ok")
	s.succeed()
}

// virtual gives how many requests begin in each second when as many clients run the
// script in virtual time.
func virtual(t *testing.T, clients int, script, world string) (admitted []int) {
	t.Helper()
	crowd := simulate.Crowd{Who: simulate.All(load(t, script)), World: parseWorld(t, world), Clients: clients,
		Until: 10 * time.Minute, Every: time.Second}
	for _, n := range run(t, crowd, 1).Sent.Values {
		admitted = append(admitted, int(n))
	}
	return admitted
}

// rounds are those seconds in which requests begin.
func rounds(admitted []int) (list []int) {
	for _, n := range admitted {
		if n > 0 {
			list = append(list, n)
		}
	}
	return list
}

// The tests below run a script as real shells and in virtual time, and compare how many
// attempts begin. What takes a second in virtual time is a round of the real service:
// it answers when all requests that there should be have come. So nothing depends on how
// fast the machine is, and the numbers are the same, but where a test says otherwise.

func TestSlotsAsShells(t *testing.T) {
	const clients, script = 20, "resource r\nslots 4\nend\ntry for 10 minutes via r\nget\nend\n"
	s := serve(t, clients, script)
	s.until("all stand in line", func(st locked.Status) bool { return st.Waiting == clients-4 })
	for _, n := range rounds(virtual(t, clients, script, "server\ntakes 1 s\nend")) {
		s.answer(s.round(n), "ok")
	}
	s.succeed()
}

// TestBreakerAsShells has all fail at once, and then one probe succeed: those who wait
// go by ramp, and not all at once. They wait a second before they try again, so that none does before the breaker has
// opened.
func TestBreakerAsShells(t *testing.T) {
	t.Parallel()
	const clients = 20
	const script = "resource r\nbreaker 3 failures in 1 minute probe every 10 s\nend\n" +
		"try for 10 minutes via r backoff fixed from 1 s\nget\nend\n"
	s := serve(t, clients, script)
	how := "no"
	for number, n := range rounds(virtual(t, clients, script, "server\ntakes 1 s\noutage from 0 s to 500 ms fail\nend")) {
		list := s.round(n)
		if number == 1 {
			s.until("all stand in line", func(st locked.Status) bool { return st.Waiting == clients-1 })
			how = "ok"
		}
		s.answer(list, how)
	}
	s.succeed()
	if s.count != 2*clients {
		t.Errorf("%d requests", s.count)
	}
}

func TestBudgetAsShells(t *testing.T) {
	const clients, script = 20, "resource r\nbudget 10 percent\nend\n" +
		"try for 10 minutes via r backoff fixed from 1 ms\nget\nend\n"
	began := time.Now()
	s := serve(t, clients, script)
	firstMinute := 0
	for _, n := range virtual(t, clients, script, "server\ntakes 1 ms\nfailure 100 percent\nend")[:50] {
		firstMinute += n
	}
	for range firstMinute {
		select {
		case conn := <-s.asked:
			s.count++
			s.answer([]net.Conn{conn}, "no")
		case <-time.After(time.Minute):
			t.Fatalf("%d requests; in virtual time these are %d", s.count, firstMinute)
		}
	}
	s.until("all wait for the budget", func(st locked.Status) bool { return st.Retrying == clients })
	if more := len(s.asked); more > 0 && time.Since(began) < time.Minute {
		t.Errorf("%d requests more than the %d in virtual time", more, firstMinute)
	}
}

// TestFreezeAsShells has a service stand still, until attempts that are cut off open the
// breaker. Real attempts are not cut off at the same moment: until the breaker is
// open, as many more may begin as there are slots, and where the machine is busy as many may be cut off before their
// program has asked the service.
func TestFreezeAsShells(t *testing.T) {
	t.Parallel()
	const clients, slots = 20, 3
	const script = "resource r\nslots 3\nbreaker 5 failures in 1 minute probe every 5 s\nend\n" +
		"try for 10 minutes each 3 s via r backoff fixed from 1 ms\nget\nend\n"
	s := serve(t, clients, script)
	frozen := 0
	for _, n := range virtual(t, clients, script, "server\ntakes 1 ms\noutage from 0 s to 12 s freeze\nend")[:12] {
		frozen += n
	}
	s.until("the breaker is open", func(st locked.Status) bool { return st.Open > 0 })
	s.until("nobody is inside", func(st locked.Status) bool {
		return st.Open > 0 && st.Taken == 0 ||
			st.Probe < 2*time.Second
	})
	if real := len(s.asked); real < frozen-slots || real > frozen+slots {
		t.Errorf("%d requests until the breaker was open; in virtual time these are %d", real, frozen)
	}
	go func() {
		for conn := range s.asked {
			s.answer([]net.Conn{conn}, "ok")
		}
	}()
	s.succeed()
}
