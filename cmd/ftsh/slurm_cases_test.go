package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Cases that once went wrong, each with a real Slurm.

// records is the path of a record in the folder of the cluster.
func (s *slurm) records(path string) string {
	s.Helper()
	found, _ := filepath.Glob(s.away + "/jobs/*/" + path)
	if len(found) != 1 {
		s.Fatalf("%s is %d times in %s", path, len(found), s.away+"/jobs")
	}
	return found[0]
}

// state is the folder in which the controller keeps its state.
func (s *slurm) state() string { return strings.TrimSuffix(s.conf(), "slurm.conf") + "state" }

// ran waits until the jobs have written a line.
func (s *slurm) wrote(line string) {
	s.Helper()
	s.within(patience, "a job writes "+line, func() bool { return s.runs()[line] > 0 })
}

// TestSlurmArrayForgets: a task that has failed and left the queue before the others is not forgotten.
func TestSlurmArrayForgets(t *testing.T) {
	s := newSlurm(t, "CLUSTER_MEMORY=2")
	s.jobfile("[ $SLURM_ARRAY_TASK_ID != 0 ] || exit 3\nuntil [ -e go ]; do sleep 0.1; done\n")
	s.set("SQUEUE_SORT=-M,t")
	s.run("slurm/submit.ftsh", "array", "job.sh", "--array=0-2").ends("0").says("1\n")
	p := s.begin("slurm/wait.ftsh", "array")
	s.within(patience, "two tasks are left", func() bool { return len(s.queue()) == 2 })
	s.file("go", "")
	p.end().ends("3")
	s.within(patience, "all are forgotten", func() bool { return len(s.queue()) == 0 })
	s.run("slurm/wait.ftsh", "array").ends("3")
	s.run("slurm/list.ftsh", "array").ends("0").says("array 3 1 " + s.records("array") + "/output.*\n")
}

// TestSlurmStartedAgain: after a crash the controller may start a job that has ended.
func TestSlurmStartedAgain(t *testing.T) {
	s := newSlurm(t)
	s.jobfile("exit 4")
	s.ask("scontrol", "update", "PartitionName=main", "State=DOWN")
	s.run("slurm/submit.ftsh", "night", "job.sh").ends("0").says("1\n")
	s.do("stop") // it saves what it knows
	s.must(exec.Command("cp", "-r", s.state(), s.state()+".old").Run())
	s.do("start")
	s.run("slurm/wait.ftsh", "night").ends("4")
	failed := func() bool { return strings.Contains(s.ask("squeue", "-h", "-t", "all", "-o", "%T"), "FAILED") }
	s.within(patience, "the controller knows that it has ended", failed) // or the node is not done with it
	s.do("crash")
	s.must(os.RemoveAll(s.state()))
	s.must(os.Rename(s.state()+".old", s.state()))
	s.do("start")
	s.within(patience, "it has ended once more", failed)
	s.run("slurm/wait.ftsh", "night").ends("4")
	s.once("night")
}

// TestSlurmSignals: what Slurm sends to the batch script alone reaches the job, what it sends to all
// processes comes once.
func TestSlurmSignals(t *testing.T) {
	s := newSlurm(t)
	for name, test := range map[string]struct {
		signal []string
		status string
		wrote  map[string]int
	}{
		"usr1":     {[]string{"--batch", "--signal=USR1"}, "5", map[string]int{"usr1 USR1": 1}},
		"int":      {[]string{"--batch", "--signal=INT"}, "5", map[string]int{"int INT": 1}},
		"term":     {[]string{"--batch", "--signal=TERM"}, "6", map[string]int{"term TERM": 1}},
		"term-all": {[]string{"--full", "--signal=TERM"}, "6", map[string]int{"term-all TERM": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			s.jobfile(`for s in INT USR1 TERM; do trap "echo $SLURM_JOB_NAME $s >> $RAN; last=$s" $s; done
echo $SLURM_JOB_NAME begun >> $RAN
until [ "$last" ]; do sleep 0.2; done
sleep 1
[ $last = TERM ] && exit 6
exit 5
`)
			number := strings.TrimSpace(s.run("slurm/submit.ftsh", name, "job.sh").ends("0").stdout.String())
			p := s.begin("slurm/ensure.ftsh", name, "job.sh")
			s.wrote(name + " begun")
			s.ask("scancel", append(test.signal, number)...)
			p.end().ends(test.status)
			runs := s.runs()
			for _, signal := range []string{"INT", "USR1", "TERM"} {
				if line := name + " " + signal; runs[line] != test.wrote[line] {
					t.Errorf("the job wrote %q %d times", line, runs[line])
				}
			}
			if runs[name] != 1 {
				t.Errorf("the job ran %d times", runs[name])
			}
		})
	}
	s.jobfile("echo $SLURM_JOB_NAME begun >> $RAN; exec sleep 1000")
	p := s.begin("slurm/ensure.ftsh", "deaf", "job.sh")
	s.wrote("deaf begun")
	s.ask("scancel", "--batch", "--signal=TERM", "--name=deaf")
	p.end().ends("143")
	s.once("deaf")
}

// TestSlurmUnbegun: that a job could not begin is not the job's failure.
func TestSlurmUnbegun(t *testing.T) {
	s := newSlurm(t)
	s.jobfile("exit 7")
	p := s.begin("slurm/ensure.ftsh", "late", "job.sh", "--output="+s.dir+"/out/%j")
	s.within(patience, "it could not begin",
		func() bool { return strings.Contains(strings.Join(s.queue(), ""), "late|FAILED") })
	s.must(os.Mkdir(s.dir+"/out", 0o755))
	p.end().ends("7")
	s.once("late")
	s.run("slurm/ensure.ftsh", "never", "job.sh", "--output="+s.dir+
		"/nowhere/%j").ends("1").complains("the job of never: it has ended without having begun")
	if got := strings.Count(strings.Join(s.queue(), "\n"), "never|FAILED"); got != 5 {
		t.Errorf("it was submitted %d times", got)
	}
}

// TestSlurmTwoClusters: two clusters that share the folder of records do not share records.
func TestSlurmTwoClusters(t *testing.T) {
	one := newSlurm(t)
	scene := *one.scene
	scene.env = slices.DeleteFunc(slices.Clone(one.env),
		func(entry string) bool { return strings.HasPrefix(entry, "SLURM_CONF=") })
	two := &slurm{cluster: cluster{scene: &scene}, ran: one.ran}
	two.start(nil)
	one.jobfile("until [ -e go ]; do sleep 0.1; done; exit 2")
	two.program("two.sh", "exit 3")
	one.run("slurm/submit.ftsh", "night", "job.sh").ends("0").says("1\n")
	p := one.begin("slurm/wait.ftsh", "night")
	one.wrote("night")
	two.run("slurm/submit.ftsh", "night", "two.sh").ends("0").says("1\n")
	two.run("slurm/wait.ftsh", "night").ends("3")
	two.run("slurm/submit.ftsh", "other", "two.sh").ends("0").says("2\n")
	one.run("slurm/wait.ftsh", "other").ends("1").complains("no job of the key other was submitted")
	one.file("go", "")
	p.end().ends("2")
	for _, option := range []string{"-Mtwo", "-M", "--clusters=two"} {
		one.run("slurm/submit.ftsh", "m", "job.sh", option, "two").ends("1").complains("the records are about one cluster")
	}
	one.set("SLURM_CLUSTERS=two")
	one.run("slurm/wait.ftsh", "night").ends("1").complains("SLURM_CLUSTERS is set")
}

// TestSlurmSubmitLimit: a limit on how many jobs a user may submit passes.
func TestSlurmSubmitLimit(t *testing.T) {
	s := newSlurm(t, "CLUSTER_LIMIT=2")
	s.jobfile("until [ -e go ]; do sleep 0.1; done")
	s.run("slurm/submit.ftsh", "one", "job.sh").ends("0")
	s.run("slurm/submit.ftsh", "two", "job.sh").ends("0")
	p := s.begin("slurm/submit.ftsh", "three", "job.sh")
	time.Sleep(2 * time.Second) // in which it would have given up
	s.file("go", "")
	p.end().ends("0").complains("AssocMaxSubmitJobLimit")
	s.once("three")
}

// TestSlurmHangs: what would wait for ever is refused, or said.
func TestSlurmHangs(t *testing.T) {
	s := newSlurm(t)
	s.jobfile("exit 1")
	for _, option := range []string{"-W", "-HW", "--wait", "--test-only"} {
		s.run("slurm/submit.ftsh", "hangs", "job.sh", option).ends("1").says("")
	}
	s.run("slurm/submit.ftsh", "bad", "job.sh").ends("0").says("1\n")
	s.run("slurm/submit.ftsh", "next", "job.sh", "--dependency=afterok:1").ends("0")
	s.run("slurm/wait.ftsh", "next").ends("1").complains("the job of next: DependencyNeverSatisfied")
}

// TestSlurmDependency: a key stands for its job, also when Slurm has forgotten that.
func TestSlurmDependency(t *testing.T) {
	s := newSlurm(t, "CLUSTER_MEMORY=2")
	s.jobfile("until [ -e go ]; do sleep 0.1; done")
	good := s.file("good", "#!/bin/sh\n[ -e go ]\n")
	s.run("slurm/submit.ftsh", "first", "job.sh").ends("0").says("1\n")
	s.run("slurm/submit.ftsh", "bad", "job.sh", "-d", "afternotok:first").ends("0").says("2\n")
	s.run("slurm/submit.ftsh", "second", good, "-d", "afterok:first").ends("0").says("3\n")
	s.file("go", "")
	s.run("slurm/wait.ftsh", "second").ends("0")
	s.run("slurm/wait.ftsh", "bad").ends("1").complains("DependencyNeverSatisfied")
	s.within(patience, "the first is forgotten", func() bool { return len(s.queue()) == 1 })
	s.run("slurm/submit.ftsh", "third", good, "--dependency=afterany:first,afterok:first:second").ends("0")
	s.run("slurm/wait.ftsh", "third").ends("0")
	s.run("slurm/submit.ftsh", "never", good,
		"--dependency=afternotok:first").ends("1").complains("it can never be fulfilled, as first is 0")
	s.run("slurm/submit.ftsh", "other", good, "--dependency=afternotok:first?afterok:second").ends("0")
	s.run("slurm/submit.ftsh", "none", good,
		"--dependency=afterok:nobody").ends("1").complains("no job of the key nobody was submitted")
}

// TestSlurmRedo: a job file that was mended is not taken for submitted in silence.
func TestSlurmRedo(t *testing.T) {
	s := newSlurm(t)
	s.jobfile("exit 3")
	s.run("slurm/submit.ftsh", "night", "job.sh").ends("0").says("1\n")
	s.run("slurm/wait.ftsh", "night").ends("3")
	s.jobfile("exit 0")
	s.run("slurm/submit.ftsh", "night",
		"job.sh").ends("0").says("1\n").complains("job.sh is not what night was submitted with")
	s.run("slurm/submit.ftsh", "--redo", "night", "job.sh").ends("0").says("2\n")
	s.run("slurm/wait.ftsh", "night").ends("0")
	s.run("slurm/submit.ftsh", "--redo", "night", "job.sh").ends("0").says("2\n").complains("has ended with 0")
	if runs := s.runs()["night"]; runs != 2 {
		t.Errorf("it ran %d times", runs)
	}
}

// requests counts what the controller was asked for since the last call.
func (s *slurm) requests() map[string]int {
	count := map[string]int{}
	text, _, _ := strings.Cut(s.ask("sdiag"), "by user")
	for _, found := range regexp.MustCompile(`REQUEST_(\S+) .*count:(\d+)`).FindAllStringSubmatch(text, -1) {
		count[found[1]], _ = strconv.Atoi(found[2])
	}
	s.ask("sdiag", "--reset")
	return count
}

// TestSlurmMany: many keys at once, in few requests; what has failed is submitted anew, and no more.
func TestSlurmMany(t *testing.T) {
	s := newSlurm(t)
	s.jobfile("[ $SLURM_JOB_NAME != b ] || exit 3")
	s.file("list", "a job.sh\nb job.sh\nc job.sh\n# two of their own\nd job.sh --comment=d\ne job.sh --comment=e\n")
	s.run("slurm/submit.ftsh", "--list", "nothing").ends("1")
	s.requests()
	p := s.run("slurm/submit.ftsh", "--list", "list").ends("0")
	if r := s.requests(); r["SUBMIT_BATCH_JOB"] != 3 || r["JOB_INFO"] != 0 {
		t.Errorf("the requests were %v, want 3 submissions and no list", r)
	}
	if got := strings.Count(p.stdout.String(), "\n"); got != 5 {
		t.Errorf("%d numbers", got)
	}
	p = s.run("slurm/submit.ftsh", "--list", "list").ends("0")
	if r := s.requests(); r["SUBMIT_BATCH_JOB"] != 0 || r["JOB_INFO"] != 1 {
		t.Errorf("the requests were %v, want one list", r)
	}
	s.run("slurm/wait.ftsh", "--list", "list").ends("1").says("b 3 " + number(p, "b") + " /dev/null\n")
	s.run("slurm/list.ftsh", "--failed", "a", "b").ends("0").says("b 3 " + number(p, "b") + " /dev/null\n")
	s.jobfile("")
	s.requests()
	again := s.run("slurm/submit.ftsh", "--redo", "--list", "list").ends("0").complains("a has ended with 0")
	if r := s.requests(); r["SUBMIT_BATCH_JOB"] != 1 || number(again, "a") != number(p, "a") {
		t.Errorf("the requests were %v, want one submission", r)
	}
	s.run("slurm/wait.ftsh", "--list", "list").ends("0").says("")
	if runs := s.runs(); runs["a"] != 1 || runs["b"] != 2 || runs["e"] != 1 {
		t.Errorf("the jobs ran %v", runs)
	}
	s.run("slurm/clean.ftsh", "--list", "list").ends("0").says("")
	s.run("slurm/wait.ftsh", "a").ends("1").complains("no job of the key a was submitted")
	s.file("list", "a job.sh\na job.sh\n")
	s.run("slurm/submit.ftsh", "--list", "list").ends("1").complains("line 2 of list: a is there twice")
}

// TestSlurmClean: what waits stays, and what has failed if nobody says otherwise.
func TestSlurmClean(t *testing.T) {
	s := newSlurm(t)
	s.jobfile("exit 3")
	s.run("slurm/submit.ftsh", "bad", "job.sh").ends("0").says("1\n")
	s.run("slurm/submit.ftsh", "held", "job.sh", "--hold").ends("0").says("2\n")
	s.run("slurm/wait.ftsh", "bad").ends("3")
	s.run("slurm/clean.ftsh", "bad", "held").ends("0").says("bad 3 1 /dev/null\nheld HELD 2 -\n")
	s.run("slurm/clean.ftsh", "--failed", "bad", "held").ends("0").says("held HELD 2 -\n")
	s.run("slurm/list.ftsh", "bad").ends("1").complains("no job of the key bad")
	s.ask("scontrol", "release", "2")
	s.run("slurm/wait.ftsh", "held").ends("3")
}

// number returns the number that a script has printed for a key.
func number(p *play, key string) string {
	_, rest, _ := strings.Cut("\n"+p.stdout.String(), "\n"+key+" ")
	number, _, _ := strings.Cut(rest, "\n")
	return number
}
