package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"ftsh/testdata/skip"
)

// jobfile writes a batch script that appends a line to the file of what ran.
func (s *slurm) jobfile(text string) string {
	return s.program("job.sh", "#SBATCH --output=/dev/null\necho $SLURM_JOB_NAME >> $RAN\n"+text)
}

// once wants a key to have run exactly once.
func (s *slurm) once(key string) {
	s.Helper()
	s.idle()
	if runs := s.runs()[key]; runs != 1 {
		s.Errorf("%s ran %d times", key, runs)
	}
}

// TestSlurmDay runs what the manual shows, with a real Slurm: submit, wait, ensure, errors.
func TestSlurmDay(t *testing.T) {
	s := newSlurm(t)
	s.jobfile("exit 3")
	s.run("slurm/submit.ftsh", "night", "job.sh").ends("0").says("1\n")
	s.run("slurm/wait.ftsh", "night").ends("3")
	s.run("slurm/submit.ftsh", "night", "job.sh").ends("0").says("1\n")
	s.run("slurm/ensure.ftsh", "night", "job.sh").ends("3").says("1\n")
	s.once("night")
	s.run("slurm/submit.ftsh", "no", "job.sh",
		"--partition=nowhere").ends("1").says("").complains("Invalid partition name specified")
	s.run("slurm/submit.ftsh", "no", "job.sh", "--nonsense").ends("1").says("").complains("unrecognized option")
	s.run("slurm/submit.ftsh", "no", "job.sh", "--constraint=gold").ends("1").complains("Invalid feature specification")
	s.run("slurm/submit.ftsh", "array", "job.sh", "--array=1-3").ends("0")
	s.idle()
	if runs := s.runs()["array"]; runs != 3 {
		t.Errorf("%d tasks of the array ran", runs)
	}
	s.run("slurm/wait.ftsh", "array").ends("3")
}

// TestSlurmPrograms: a key takes three programs (mkdir, cat, and env, which becomes sbatch), as each costs a
// millisecond or more. A job file that has changed since is told of.
func TestSlurmPrograms(t *testing.T) {
	s := newSlurm(t)
	s.jobfile("")
	s.run("slurm/submit.ftsh", "first", "job.sh").ends("0") // which finds out about the cluster, once
	s.set("FTSH_LOG_LEVEL=40")
	p := s.run("slurm/submit.ftsh", "second", "job.sh").ends("0")
	if n := regexp.MustCompile(`process \d+ started`).FindAllString(p.stderr.String(), -1); len(n) != 3 {
		t.Errorf("%d programs, want 3:\n%s", len(n), &p.stderr)
	}
	s.file("job.sh", s.read("job.sh")+"# changed\n")
	s.set("FTSH_LOG_LEVEL=5")
	s.run("slurm/submit.ftsh", "first", "job.sh").ends("0").says("1\n").complains(
		"job.sh is not what first was submitted with")
}

// TestSlurmEnded: a job that Slurm ends has no status of its own.
func TestSlurmEnded(t *testing.T) {
	s := newSlurm(t)
	s.jobfile("exec sleep 1000")
	s.run("slurm/submit.ftsh", "long", "job.sh").ends("0").says("1\n")
	p := s.begin("slurm/wait.ftsh", "long")
	s.within(patience, "the job runs", func() bool { return s.runs()["long"] == 1 })
	s.ask("scancel", "1")
	p.end().ends("1").complains("the job of long: CANCELLED")
	s.run("slurm/ensure.ftsh", "long", "job.sh").ends("1").complains("CANCELLED")
	s.once("long")
}

// TestSlurmForgets: the controller has lost a job that it had accepted. It is in
// the queue again, unless it has begun to run.
func TestSlurmForgets(t *testing.T) {
	s := newSlurm(t)
	s.jobfile("")
	s.ask("scontrol", "update", "PartitionName=main", "State=DOWN")
	p := s.begin("slurm/ensure.ftsh", "lost", "job.sh")
	s.within(patience, "it is submitted",
		func() bool { return strings.Contains(strings.Join(s.queue(), ""), "lost|PENDING|PartitionDown") })
	s.do("crash")
	s.must(os.RemoveAll(strings.TrimSuffix(s.conf(), "slurm.conf") + "state"))
	s.must(os.Mkdir(strings.TrimSuffix(s.conf(), "slurm.conf")+"state", 0o755))
	s.do("start")
	p.end().ends("0")
	s.once("lost")
}

// TestSlurmExpired: a request that waited in a frozen controller for longer than
// its credential lives is refused, and the next one gets through.
func TestSlurmExpired(t *testing.T) {
	s := newSlurm(t, "CLUSTER_TTL=2")
	s.jobfile("")
	s.do("freeze")
	p := s.begin("slurm/submit.ftsh", "late", "job.sh")
	s.within(patience, "a request has waited for longer than its credential lives",
		func() bool { return strings.Contains(p.stderr.String(), "Socket timed out") })
	s.do("thaw")
	p.end().ends("0").complains("Socket timed out")
	s.once("late")
}

// TestSlurmNoMunge: without munge nothing is submitted, and all goes on when it is back.
func TestSlurmNoMunge(t *testing.T) {
	s := newSlurm(t)
	s.jobfile("")
	s.do("munge_stop")
	p := s.begin("slurm/submit.ftsh", "key", "job.sh")
	s.within(patience, "it has failed for want of munge",
		func() bool { return strings.Contains(p.stderr.String(), "unge") })
	s.do("munge_start")
	p.end().ends("0").complains("unge")
	s.once("key")
}

// TestSlurmTwoUsers: another user's job of the same name is another job.
func TestSlurmTwoUsers(t *testing.T) {
	s := newSlurm(t)
	if os.Getuid() != 0 {
		skip.Test(t, "this test submits as another user, which only root can")
	}
	s.jobfile("")
	cmd := exec.Command("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "sbatch", "--hold",
		"--job-name=same", "--output=/dev/null", "--wrap=true")
	cmd.Env, cmd.Dir = s.env, "/"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.run("slurm/submit.ftsh", "same", "job.sh").ends("0").says("2\n")
	s.once("same")
	if job := s.ask("squeue", "-h", "-j", "1", "-o", "%T %r"); job != "PENDING JobHeldUser\n" {
		t.Errorf("the other user's job is %q", job)
	}
}
