package main

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// kill kills a submitter.
func (s *storm) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for cmd := range s.living {
		if !s.over && (s.ready == nil || s.ready()) && cmd.Process.Signal(syscall.SIGKILL) == nil {
			s.kills++
		}
		return
	}
}

// signal sends SIGUSR1 to the batch scripts of some jobs that run, if there are any; those of `on slurm` have names of
// their own.
func (s *storm) signal() {
	if s.script == "" {
		return
	}
	runs, sent := s.runs(), 0
	for line, n := range runs {
		if key, begun := strings.CutPrefix(line, "begin "); begun && n > runs["end "+key] {
			s.wg.Go(func() {
				s.ask("scancel", "--batch", "--signal=USR1", "--state=RUNNING", "--name="+strings.Split(key, ".")[0])
			})
			sent++
		}
		if sent == 3 {
			return
		}
	}
}

// repair takes the node back into service: Slurm drains it when it has given the number of a job that
// runs to another one.
func (s *storm) repair() {
	if strings.HasPrefix(s.ask("sinfo", "-h", "-o", "%T"), "drain") {
		s.ask("scontrol", "update", "NodeName=n1", "State=RESUME")
	}
}

// pause waits for a random time.
func (s *storm) pause(least, most time.Duration) {
	time.Sleep(least + time.Duration(s.Int64N(int64(most-least))))
}

// rage does harm to the controller for so long.
func (s *storm) rage(length time.Duration) {
	dice := rand.New(rand.NewPCG(s.Uint64(), 2))
	s.wg.Go(func() {
		for end := time.Now().Add(length); time.Now().Before(end); s.kill() {
			time.Sleep(time.Duration(300+dice.IntN(500)) * time.Millisecond)
			s.signal()
		}
		s.mu.Lock()
		s.over = true
		s.mu.Unlock()
	})
	for end := time.Now().Add(length); time.Now().Before(end); {
		s.pause(50*time.Millisecond, 700*time.Millisecond)
		switch fault := s.fault(); fault {
		case "freeze":
			s.freeze()
		case "restart":
			s.do("stop")
			s.pause(0, 3*time.Second)
			s.do("start")
		case "crash":
			s.do("crash")
			s.pause(0, 3*time.Second)
			s.do("start")
		case "node":
			s.do("node_down")
			s.pause(0, 3*time.Second)
			s.do("node_up")
		case "forget":
			s.do("forget")
		case "full":
			s.disk.fill()
			s.pause(0, 3*time.Second)
			s.disk.empty()
		}
	}
}

// fault chooses one: two crashes, if any, and the rest freezes and restarts.
func (s *storm) fault() string {
	fault := "freeze"
	switch {
	case s.crash && s.faults["crash"] < 2 && s.IntN(2) == 0:
		fault = "crash"
	case s.twice != "" && s.faults[s.twice] < 2 && s.IntN(2) == 0:
		fault = s.twice
	case s.IntN(3) == 0:
		fault = "restart"
	}
	s.faults[fault]++
	return fault
}

// freeze stops the controller for less or longer than its clients wait, and lets
// it sometimes wake for a moment in between.
func (s *storm) freeze() {
	for s.do("freeze"); ; s.do("freeze") {
		s.pause(500*time.Millisecond, 5500*time.Millisecond)
		s.do("thaw")
		if s.IntN(2) == 0 {
			return
		}
		s.pause(10*time.Millisecond, 60*time.Millisecond)
	}
}

// weather runs one storm: 40 keys, each fourth by two shells. They begin while the
// controller is frozen, for longer than its clients wait.
func (s *storm) weather(seed uint64) result {
	s.do("freeze")
	s.faults["freeze"]++
	for n := range keys {
		delay := time.Duration(n) * s.spread
		s.submit(key(n), delay)
		if n%4 == 0 && !s.single {
			s.submit(key(n), delay)
		}
	}
	s.pause(3500*time.Millisecond, 5*time.Second)
	s.do("thaw")
	s.rage(15 * time.Second)
	s.finish()
	s.settle()
	for _, failure := range s.failed {
		s.Errorf("seed %d: %s", seed, failure)
	}
	if !s.crash {
		s.idle()
		return s.count(seed)
	}
	// After a crash Slurm may show jobs as running for ever that it has never started.
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Second) {
		if active, known := s.active(); known && len(active) == 0 {
			break
		}
	}
	active, _ := s.active()
	s.Logf("left in the queue: %q", active)
	return s.count(seed)
}

// settle waits for all jobs as users do. That also releases those that Slurm has put on hold since
// it could not start them.
func (s *storm) settle() {
	if !s.arrays {
		return // there is no script that waits, or it has waited
	}
	cmd := exec.Command("ftsh", example("slurm/wait.ftsh"))
	for n := range keys {
		cmd.Args = append(cmd.Args, key(n))
	}
	cmd.Dir, cmd.Env = s.dir, s.env
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	s.must(cmd.Start())
	limit := time.AfterFunc(4*time.Minute, func() { _ = cmd.Process.Kill() })
	defer limit.Stop()
	_ = cmd.Wait() // the arrays have failed
	for n := range keys {
		line := regexp.MustCompile(`(?m)^` + key(n) + ` (\S+)`).FindStringSubmatch(stdout.String())
		if s.array(key(n)) && (len(line) == 0 || line[1] != "1") || !s.array(key(n)) && len(line) > 0 {
			s.Errorf("%s: wait.ftsh says %q", key(n), line)
		}
	}
}
