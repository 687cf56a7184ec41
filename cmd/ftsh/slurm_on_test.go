package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// newOn is a cluster for scripts that say `on slurm`.
func newOn(t *testing.T, settings ...string) *slurm {
	s := newSlurm(t, settings...)
	s.set("FTSH_JOBS="+s.away+"/on", "FTSH_QUEUE_INTERVAL=1")
	return s
}

// script runs the text of a script.
func (s *slurm) script(text string) *play {
	s.Helper()
	return s.beginShell("-c", text)
}

// tickets are the folders of jobs that are there.
func (s *slurm) tickets() []string {
	found, _ := filepath.Glob(s.away + "/on/*/*/job")
	return found
}

// TestOnSlurm: programs are jobs; all else means what it means without `on`.
func TestOnSlurm(t *testing.T) {
	s := newOn(t)
	for name, c := range map[string]struct{ script, says, status string }{
		"capture":     {"on slurm; sh -c 'echo $SLURM_JOB_ID' -> id; end; if $id .gt. 0; echo job; end", "job\n", "0"},
		"output":      {"on slurm; printf '%s.' a 'b c' '$x' '\\n' \\\\; end", `a.b c.$x.\n.\.`, "0"},
		"status":      {"try; on slurm; sh -c 'echo why >&2; exit 7'; end; catch; echo ${error.kind} ${error.status} ${error.stderr}; end", "exit 7 why\n", "0"},
		"signal":      {"try; on slurm; sh -c 'kill -USR2 $$'; end; catch; echo ${error.kind} ${error.status}; end", "signal 140\n", "0"},
		"missing":     {"try; on slurm; no-such-program; end; catch; echo ${error.kind} ${error.status}; end", "missing 127\n", "0"},
		"pipeline":    {"on slurm; printf 'b\\na\\n' | sort | sh -c 'cat; echo $SLURM_JOB_ID >&2' 2-> id; end", "a\nb\n", "0"},
		"first fails": {"try; on slurm; sh -c 'exit 4' | cat; end; catch; echo ${error.status} ${error.command}; end", "4 sh -c exit 4\n", "0"},
		"input":       {"x=text; on slurm; cat -< x; cat << EOT\nhere $x\nEOT\nend", "texthere text\n", "0"},
		"no input":    {"on slurm; wc -c -> n; end; echo $n", "0\n", "0"},
		"both":        {"on slurm; sh -c 'echo out; echo err >&2' ->& v; end; echo $v", "out err\n", "0"},
		"append":      {"v=old.; on slurm; printf new ->> v; end; echo $v", "old.new\n", "0"},
		"builtins":    {"on slurm; echo $$ -> a; end; if $a .eq. $$; echo same; end", "same\n", "0"},
		"function":    {"function f\nsh -c 'echo ${SLURM_JOB_ID:+job}'\nend\non slurm; f; end; f", "job\n\n", "0"},
		"here":        {"on slurm; on here; sh -c 'echo ${SLURM_JOB_ID:-here}'; end; end", "here\n", "0"},
		"finally":     {"on slurm; try; true; finally; sh -c 'echo ${SLURM_JOB_ID:-here}'; end; end", "here\n", "0"},
		"test":        {"on slurm; if try grep -q x /dev/null; echo yes; else; echo no; end; end", "no\n", "0"},
		"export":      {"export MINE=1; on slurm; sh -c 'echo $MINE[$FTSH_COMMAND]' -> v; end; if $v .matches. '^1.[^]]'; echo own; end", "own\n", "0"},
		"key":         {"try key work; on slurm; sh -c 'echo $FTSH_KEY $FTSH_ATTEMPT'; end; end", "work 1\n", "0"},
		"refused":     {"o=--wrap=x; try; on slurm $o; true; end; catch; echo ${error.kind}; end", "error\n", "0"},
		"never":       {"try; on slurm --partition=nowhere; hostname; end; catch; echo ${error.kind}; end", "error\n", "0"},
		"block":       {"try; on slurm; cat; end < /etc/hostname; catch; echo ${error.kind} ${error.message}; end", "error on slurm: descriptor 0 is of the block around, which a job cannot share; write < FILE after the program, or < /dev/null\n", "0"},
		"mixed":       {"function f; true; end; try; on slurm; f | cat; end; catch; echo ${error.kind}; end", "error\n", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			p := s.script(c.script)
			p.end().ends(c.status).says(c.says)
		})
	}
	s.idle()
}

// TestOnSlurmFiles: files are opened where the job runs, and atomic output counts only after a success.
func TestOnSlurmFiles(t *testing.T) {
	s := newOn(t)
	s.file("in", "3\n1\n2\n")
	s.script("cd " + s.dir + "; on slurm; sort < in => out; sh -c 'echo more' >> out; end").end().ends("0")
	s.holds("out", "1\n2\n3\nmore\n")
	s.script("cd " + s.dir + "; on slurm; sh -c 'echo broken; exit 1' => out; end").end().ends("1")
	s.holds("out", "1\n2\n3\nmore\n")
	s.script("cd " + s.dir + "; try; on slurm; true-not; cat < missing; end; catch; end; on slurm; sh -c 'cat <&3' 3< in; end").end().ends("0").says("3\n1\n2\n")
}

// TestOnSlurmLimit: what a limit cuts off is gone, and nothing is left in the queue.
func TestOnSlurmLimit(t *testing.T) {
	s := newOn(t)
	s.file("began", "")
	p := s.script("try for 4 s; on slurm; sh -c 'echo $SLURM_JOB_ID >> began; exec sleep 1000'; end; catch; echo ${error.kind} ${error.reason}; end")
	p.end().ends("0").says("timeout deadline\n")
	s.idle()
	if s.read("began") == "" {
		t.Error("the job did not begin")
	}
	if left := s.tickets(); len(left) > 0 {
		t.Errorf("folders left: %q", left)
	}
}

// TestOnSlurmWaiting: a job that a limit cuts off while it waits in the queue never begins.
func TestOnSlurmWaiting(t *testing.T) {
	s := newOn(t)
	s.file("began", "")
	s.ask("scontrol", "update", "PartitionName=main", "State=DOWN")
	s.script("try for 2 s; on slurm; sh -c 'echo x >> began'; end; catch; echo ${error.kind}; end").end().ends("0").says("timeout\n")
	s.ask("scontrol", "update", "PartitionName=main", "State=UP")
	s.idle()
	if s.read("began") != "" {
		t.Error("the job began after all")
	}
}

// TestOnSlurmCancelled: what somebody else cancels is an ordinary failure.
func TestOnSlurmCancelled(t *testing.T) {
	s := newOn(t)
	s.file("began", "")
	p := s.script("try; on slurm; sh -c 'echo $SLURM_JOB_ID >> began; exec sleep 1000'; end; catch; echo ${error.kind} ${error.status}; end")
	s.within(patience, "the job runs", func() bool { return s.read("began") != "" })
	s.ask("scancel", strings.TrimSpace(s.read("began")))
	p.end().ends("0").says("cancelled 1\n")
}

// TestOnSlurmInterrupted: a signal to the shell ends its jobs.
func TestOnSlurmInterrupted(t *testing.T) {
	s := newOn(t)
	s.file("began", "")
	p := s.script("on slurm; sh -c 'echo $$ >> began; exec sleep 1000'; end")
	s.within(patience, "the job runs", func() bool { return s.read("began") != "" })
	s.must(p.cmd.Process.Signal(syscall.SIGTERM))
	p.end().ends("TERM")
	s.idle()
	if exec.Command("kill", "-0", strings.TrimSpace(s.read("began"))).Run() == nil {
		t.Error("the program lives on")
	}
}

// TestOnSlurmUntrusted: a folder of jobs that is open to others is refused before anything is submitted.
func TestOnSlurmUntrusted(t *testing.T) {
	s := newOn(t)
	s.must(os.Mkdir(s.away+"/on", 0o755))
	s.must(os.Chmod(s.away+"/on", 0o755))
	s.script("on slurm; hostname; end").end().ends("1").complains("is open to others")
	if left := s.queue(); len(left) > 0 {
		t.Errorf("submitted: %q", left)
	}
}
