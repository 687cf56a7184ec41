package everywhere

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"ftsh/testdata/shelltest"
)

// durable are the situations with a journal.
func durable() []*situation {
	kill, term := interrupted(syscall.SIGKILL), interrupted(syscall.SIGTERM)
	all := []*situation{
		{name: "journal", run: withJournal},
		{name: "journal, function", wrap: inFunction, run: withJournal},
		{name: "journal, forall", wrap: inForall, run: withJournal},
		{name: "journal, hedge", wrap: inHedge, run: withJournal},
		{name: "journal, last stage", wrap: lastStage, run: withJournal},
		{name: "journal, stdin a pipe", stdin: "pipe", run: withJournal},
		{name: "journal, stdout closed", wrap: toFile, redirect: ">&-", run: withJournal},
		{name: "killed", run: kill},
		{name: "killed, function", wrap: inFunction, run: kill},
		{name: "killed, forall", wrap: inForall, run: kill},
		{name: "killed, to a file", wrap: toFile, run: kill},
		{name: "killed, continued by cron", run: interruptedThenBy("/dev/null", syscall.SIGKILL)},
		{name: "terminated", run: term},
		{name: "terminated, try", wrap: inTry, run: term},
	}
	for _, sit := range all {
		sit.not = append(sit.not, unparsed)
		if sit.wrap != nil {
			sit.not = append(sit.not, topLevel)
		}
	}
	return all
}

func withJournal(p *place, sit *situation) string {
	p.Helper()
	c := p.command(sit, "--journal", p.side("journal"))
	must(p, c.Start())
	return p.end(c)
}

// interrupted returns the run in which the shell gets a signal at a random moment, mostly one,
// and is continued until it has ended by itself. Where nobody can decide, what was under way is run again.
func interrupted(sig syscall.Signal) func(*place, *situation) string {
	return interruptedThenBy("", sig)
}

// interruptedThenBy returns the same, with another standard input for the shells that continue, if it is named.
func interruptedThenBy(input string, sig syscall.Signal) func(*place, *situation) string {
	return func(p *place, sit *situation) string {
		p.Helper()
		options := []string{"--journal", p.side("journal")}
		kills := 1 + p.random.IntN(4)/3
		for range 20 {
			c := p.command(sit, options...)
			if begun, err := os.ReadFile(p.side("journal")); input != "" && err == nil &&
				bytes.Contains(begun, []byte(`"kind":"script"`)) { // or this one begins the script, and reads what it is given
				c.Stdin = p.open(input)
			}
			must(p, c.Start())
			if kills--; kills >= 0 {
				wait := time.Duration(p.random.Float64() * 3 * float64(p.took))
				p.Logf("%v after %v", sig, wait)
				p.signalAfter(c, wait, sig)
			}
			status := p.end(c)
			undecided := status == "2" && strings.Contains(p.get(p.side("stderr")), "whether it did its work is unknown")
			switch {
			case undecided:
				p.again = true
				options = append(options[:2:2], "--again")
			case status == signalName(sig) && !p.script.has("signals"):
				options = options[:2]
			default:
				return status
			}
		}
		p.Error("it was continued 20 times, and has not ended")
		return ""
	}
}

func signalName(sig syscall.Signal) string {
	return map[syscall.Signal]string{syscall.SIGKILL: "KILL", syscall.SIGTERM: "TERM"}[sig]
}

// signalAfter sends signals to the shell after that time.
func (p *place) signalAfter(c *exec.Cmd, wait time.Duration, signals ...syscall.Signal) {
	time.Sleep(wait)
	for _, sig := range signals {
		_ = c.Process.Signal(sig)
	}
}

// disturbed are the situations in which processes are stopped and go on.
func disturbed() []*situation {
	return []*situation{
		{name: "stopped", run: stopped(false)},
		{name: "all stopped", run: stopped(true)},
		{name: "stopped, last stage", wrap: lastStage, run: stopped(false), not: []exception{topLevel}},
		{name: "stopped, guardian", run: stoppedGuardian},
	}
}

// stopped returns the run in which the shell, or all processes, are stopped three times.
func stopped(everything bool) func(*place, *situation) string {
	return func(p *place, sit *situation) string {
		p.Helper()
		c := p.command(sit)
		must(p, c.Start())
		for range 3 {
			time.Sleep(time.Duration(p.random.Float64() * float64(p.took)))
			pids := []int{c.Process.Pid}
			if everything {
				pids = append(pids, slices.Collect(keys(shelltest.Carriers(p.mark)))...)
			}
			p.stop(pids, time.Duration(20+p.random.IntN(150))*time.Millisecond)
		}
		return p.end(c)
	}
}

// stop stops processes for that time.
func (p *place) stop(pids []int, pause time.Duration) {
	p.Logf("stopped for %v", pause)
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	time.Sleep(pause)
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
}

// stoppedGuardian stops the shell's first child, which is the guardian, for a while.
func stoppedGuardian(p *place, sit *situation) string {
	p.Helper()
	c := p.command(sit)
	must(p, c.Start())
	time.Sleep(time.Duration(p.random.Float64() * float64(p.took)))
	var guardians []int
	for pid, line := range shelltest.Carriers(p.mark) {
		if strings.Contains(line, "guardian") {
			guardians = append(guardians, pid)
		}
	}
	p.stop(guardians, 100*time.Millisecond)
	return p.end(c)
}

// keys goes over the keys of a map.
func keys[K comparable, V any](m map[K]V) func(yield func(K) bool) {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
