package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
)

// What real Slurm cannot be made to answer is answered by stand-ins: faults in the answer.

// answering puts stand-ins for Slurm on the PATH. Jobs are lines of a file, as squeue prints them.
// sbatch runs a text in which `queue` puts a job into the queue and prints its number.
func (s *scene) answering(sbatch string) {
	s.standIn("sbatch", `cat > $CALLS/script
		queue() { echo "104$n|N/A|PENDING|None|${name%% *}|." >> $CALLS/jobs; echo 104$n; }
		name=${*##*--job-name=}
		`+sbatch)
	s.standIn("squeue", `[ ! -e $CALLS/jobs ] || cat $CALLS/jobs`)
	s.standIn("scontrol", `case $* in
		"show config") printf '%s = %s\n' ClusterName any SlurmctldHost[0] 'host(127.0.0.1)' SlurmctldPort 6817 \
			MaxArraySize 1001 ;;
		release*) sed -i "s/^$2|N.A|PENDING|[^|]*/$2|N\/A|PENDING|None/" $CALLS/jobs ;;
		esac`)
	s.set("SLURM_JOBS="+s.away+"/jobs", "SLURM_INTERVAL=1", "SLURM_GRACE=100ms", "FTSH_STATE_DIR="+s.away+"/state")
	s.file("job.sh", "#!/bin/sh\necho ran >> $RAN\n")
}

// records is a path in the folder of the cluster that the stand-ins are.
func (s *scene) records(path string) string { return s.away + "/jobs/any-host-6817/" + path }

// TestSlurmAnswers: whatever sbatch says, one job is in the queue, and its number is printed.
func TestSlurmAnswers(t *testing.T) {
	const error = `echo "sbatch: error: Batch job submission failed: `
	for name, test := range map[string]struct {
		sbatch string
		calls  int
		looks  int
	}{
		"as it should":            {`queue`, 1, 0},
		"with the cluster's name": {`echo "$(queue);any"`, 1, 0},
		"empty":                   {`queue > /dev/null`, 1, 1},
		"text around the number":  {`echo "sbatch: Warning: job $(queue) was queued; welcome to cluster 7"`, 1, 1},
		"empty, and no job":       {`[ $n -lt 3 ] || queue`, 3, 2},
		"lost": {`queue > /dev/null; ` + error +
			`Socket timed out on send/recv operation" >&2; exit 1`, 1, 1},
		"died": {`queue; kill -9 $$`, 1, 1},
		"credential from the future": {`[ $n -gt 2 ] && queue || { ` + error +
			`Invalid authentication credential" >&2; exit 1; }`, 3, 2},
		"munge is gone":                {`[ $n -gt 2 ] && queue || { ` + error + `Munge encode failed" >&2; exit 1; }`, 3, 2},
		"a message that is not listed": {`queue > /dev/null; ` + error + `The weather is bad" >&2; exit 1`, 1, 1},
		"too many jobs of this user": {`[ $n -gt 2 ] && queue || { echo "sbatch: error: AssocMaxSubmitJobLimit" >&2; ` +
			error +
			`Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)" >&2; exit 1; }`, 3, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.answering(test.sbatch)
			p := s.run("slurm/submit.ftsh", "one", "job.sh").ends("0")
			s.called("sbatch", test.calls)
			s.called("squeue", test.looks)
			want := strings.TrimSpace(p.stdout.String()) + "|N/A|PENDING|None|one|."
			if got := s.calls("jobs"); !slices.Equal(got, []string{want}) {
				t.Errorf("printed %q, and the jobs are %q", p.stdout.String(), got)
			}
		})
	}
}

// TestSlurmFederation: in a federation, where a job may move to another cluster, nothing is submitted nor waited for.
func TestSlurmFederation(t *testing.T) {
	s := newScene(t)
	s.answering(`queue`)
	s.standIn("scontrol", `case $* in
		"show federation") printf '%s\n' "Federation: both" "Self:       any:10.0.0.1:6817 ID:1 FedState:ACTIVE Features:" \
			"Sibling:    other:10.0.0.2:6817 ID:2 FedState:ACTIVE Features: PersistConnSend/Recv:Yes/Yes Synced:Yes" ;;
		"show config") printf '%s = %s\n' ClusterName any SlurmctldHost[0] 'host(127.0.0.1)' SlurmctldPort 6817 \
			MaxArraySize 1001 ;;
		esac`)
	for _, args := range [][]string{{"submit.ftsh", "one", "job.sh"}, {"ensure.ftsh", "one", "job.sh"},
		{"wait.ftsh", "one"}} {
		s.run("slurm/"+args[0], args[1:]...).ends("1").says("").complains(
			"in a federation, where jobs move: that is not supported")
	}
	s.called("sbatch", 0)
	s.called("scontrol", 6)
	if _, err := os.Stat(s.away + "/jobs/.clusters"); !os.IsNotExist(err) {
		t.Errorf("the cluster is remembered: %v", err)
	}
}

// TestSlurmQueueCutShort: half an answer of squeue is no answer.
func TestSlurmQueueCutShort(t *testing.T) {
	s := newScene(t)
	s.answering(`queue > /dev/null`)
	s.standIn("squeue", `case $n in 1) head -c 20 $CALLS/jobs ;; 2) head -c 3 $CALLS/jobs ;; *) cat $CALLS/jobs ;; esac`)
	s.run("slurm/submit.ftsh", "one", "job.sh").ends("0").says("1041\n")
	s.called("sbatch", 1)
	s.called("squeue", 3)
}

// TestSlurmSaysNo: what Slurm will never do ends it at once, with what Slurm says.
func TestSlurmSaysNo(t *testing.T) {
	for _, no := range []string{
		"Invalid partition name specified", "Requested node configuration is not available",
		"Invalid account or account/partition combination specified",
		"Invalid job array specification",
		"QOSMaxWallDurationPerJobLimit\nsbatch: error: Job violates accounting/QOS policy (job submit limit, user's size " +
			"and/or time limits)", "Invalid qos specification",
		"Pathname of a file, directory or other parameter too long",
		"Requested time limit is invalid (missing or exceeds some limit)",
	} {
		t.Run(no, func(t *testing.T) {
			s := newScene(t)
			s.answering(`echo "sbatch: error: Batch job submission failed: ` + no + `" >&2; exit 1`)
			s.run("slurm/submit.ftsh", "one", "job.sh").ends("1").says("").complains(no)
			s.called("sbatch", 1)
		})
	}
}

func TestSlurmBadRequests(t *testing.T) {
	s := newScene(t)
	s.answering(`echo "sbatch: unrecognized option '--nonsense'" >&2; exit 255`)
	s.run("slurm/submit.ftsh", "one", "job.sh", "--nonsense").ends("1").complains("unrecognized option")
	s.called("sbatch", 1)
	s.file("text", "no job\n")
	s.run("slurm/submit.ftsh", "one", "text").ends("1").complains("does not look like a batch script")
	s.run("slurm/submit.ftsh", "one", "nothing").ends("1").complains("no such file")
	for _, key := range []string{"", "a b", "a,b", "../a", "-a", ".a", strings.Repeat("a", 201)} {
		s.run("slurm/submit.ftsh", key, "job.sh").ends("1").complains("cannot be a key")
	}
	s.run("slurm/wait.ftsh", "two").ends("1").complains("no job of the key two was submitted")
	s.called("sbatch", 1)
}

// TestSlurmForeignKey: the records of a key belong to one user.
func TestSlurmForeignKey(t *testing.T) {
	s := newScene(t)
	if os.Getuid() != 0 {
		skip.Test(t, "this test makes a folder of another user, which only root can")
	}
	s.answering(`queue`)
	s.must(os.MkdirAll(s.records("one"), 0o700))
	s.must(os.Chown(s.records("one"), 65534, 65534))
	s.run("slurm/submit.ftsh", "one", "job.sh").ends("1").complains("belongs to another user")
	s.called("sbatch", 0)
}

// TestSlurmClaims runs what was submitted as Slurm does: again after a restart, from a second
// submission, and with a full disk.
func TestSlurmClaims(t *testing.T) {
	s := newScene(t)
	s.answering(`queue; cp $CALLS/script $CALLS/script$n`)
	s.set("RAN=" + s.away + "/ran")
	s.run("slurm/submit.ftsh", "one", "job.sh").ends("0")
	s.must(os.Remove(s.away + "/calls/jobs")) // the controller has crashed, and forgotten it
	s.run("slurm/submit.ftsh", "one", "job.sh").ends("0")
	run := func(script, id, want string, limits ...string) {
		t.Helper()
		cmd := exec.Command("sh", "-c", strings.Join(append(limits, "exec sh "+s.away+"/calls/"+script), "\n"))
		cmd.Dir, cmd.Env = s.dir, append(s.env, "SLURM_JOB_ID="+id)
		if got := shelltest.StatusOf(cmd.Run()); got != want {
			t.Errorf("%s: status %s, want %s", script, got, want)
		}
		s.within(patience, "what it has killed is gone", func() bool { return len(shelltest.Carriers(s.mark)) == 0 })
	}
	ran := func(want int) {
		t.Helper()
		text, _ := os.ReadFile(s.away + "/ran")
		if got := strings.Count(string(text), "ran"); got != want {
			t.Errorf("the job ran %d times, want %d", got, want)
		}
	}
	run("script1", "1041", "75", "trap '' XFSZ", "ulimit -f 0") // nothing can be written: nothing has happened
	ran(0)
	run("script2", "1042", "0")
	ran(1)
	run("script1", "1041", "0") // a job of the same key
	ran(1)
	run("script2", "1042", "0") // started again after a crash
	ran(1)
	s.set("SLURM_RESTART_COUNT=1")
	run("script2", "1042", "0") // the same, if the controller thinks that its node has failed
	ran(1)
	s.must(os.Remove(s.records("one/status")))
	run("script2", "1042", "0") // Slurm restarts it, since its node has failed
	ran(2)
	s.must(os.Remove(s.away + "/calls/jobs"))
	s.run("slurm/submit.ftsh", "one", "job.sh").ends("0").says("1042\n") // forgotten, but claimed
	s.file(s.away+"/calls/jobs", "1099|N/A|PENDING|None|one|.\n")        // a request that came late
	s.run("slurm/submit.ftsh", "one", "job.sh").ends("0").says("1042\n")
	s.called("sbatch", 2)
	s.run("slurm/wait.ftsh", "one").ends("0")
	s.must(os.Remove(s.away + "/calls/jobs"))
	s.file("job.sh", "#!/bin/sh\nkill -9 $$\n") // as Slurm does with what it has given up
	s.run("slurm/submit.ftsh", "two", "job.sh").ends("0")
	run("script3", "1043", "137")
	if status, _ := os.Readlink(s.records("two/status")); status != "137 signal" {
		t.Errorf("a job that was killed has the status %q", status)
	}
}

// TestSlurmFullDisk: a key that cannot be recorded is not submitted.
func TestSlurmFullDisk(t *testing.T) {
	s := newScene(t)
	s.answering(`queue`)
	disk := s.away + "/jobs"
	s.must(os.Mkdir(disk, 0o700))
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=32k,nr_inodes=6"); err != nil {
		skip.Test(t, "this test mounts a small disk, which is not allowed here: %v", err)
	}
	defer func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) }()
	for _, name := range []string{"a", "b", "c"} { // beside the folder of the cluster, and what says so
		s.must(os.WriteFile(disk+"/"+name, nil, 0o600))
	}
	s.run("slurm/submit.ftsh", "one", "job.sh").ends("1").complains("No space left on device")
	s.called("sbatch", 0)
	for _, name := range []string{"a", "b", "c"} {
		s.must(os.Remove(disk + "/" + name))
	}
	s.run("slurm/submit.ftsh", "one", "job.sh").ends("0").says("1041\n")
}

// TestSlurmSharedList: many waiters ask once in an interval, and a clock that was set back, or a
// machine that was started again, does not keep them from asking.
func TestSlurmSharedList(t *testing.T) {
	s := newScene(t)
	s.answering(`queue`)
	s.run("slurm/submit.ftsh", "one", "job.sh").ends("0")
	host, err := os.Hostname()
	s.must(err)
	s.file(s.records(".queue."+host+".asked"), "99999999999\n")
	s.set("SLURM_INTERVAL=3") // the scripts read whole seconds: two questions are at least 2 s apart
	before := len(s.calls("squeue"))
	var waiters []*play
	began := time.Now()
	for range 20 {
		waiters = append(waiters, s.begin("slurm/wait.ftsh", "one"))
	}
	s.within(patience, "two questions", func() bool { return len(s.calls("squeue")) >= before+2 })
	s.must(os.Symlink("7", s.records("one/status")))
	for _, p := range waiters {
		p.end().ends("7")
	}
	if asked, most := len(s.calls("squeue"))-before, int(time.Since(began)/(2*time.Second))+1; asked > most {
		t.Errorf("squeue was asked %d times, want %d", asked, most)
	}
}

// TestSlurmEnsure: what the site has ended is submitted again, what has ended by itself is not.
func TestSlurmEnsure(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fates  []string // of the jobs, in turn
		status string
		keys   []string
	}{
		"node failure, then success":  {[]string{"NODE_FAIL", "0"}, "0", []string{"one", "one~1"}},
		"preempted twice, then fails": {[]string{"PREEMPTED", "BOOT_FAIL", "7"}, "7", []string{"one", "one~1", "one~2"}},
		"too slow":                    {[]string{"TIMEOUT"}, "1", []string{"one"}},
		"cancelled":                   {[]string{"CANCELLED"}, "1", []string{"one"}},
		"lost":                        {[]string{"GONE", "0"}, "0", []string{"one", "one~1"}},
		"never begun":                 {[]string{"UNBEGUN", "3"}, "3", []string{"one", "one"}},
		"can never begin": {[]string{"UNBEGUN", "UNBEGUN", "UNBEGUN", "UNBEGUN", "UNBEGUN"}, "1",
			[]string{"one", "one", "one", "one", "one"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			// A job that is submitted begins at once, and has its fate. Those of earlier keys are forgotten.
			s.answering(fmt.Sprintf(`set -- %s
				eval fate=\${$n}; folder=$SLURM_JOBS/any-host-6817/$name; echo "$name" >> $CALLS/keys; echo 104$n
				[ $fate = UNBEGUN ] || ln -s 104$n.x $folder/claim
				case $fate in
				[0-9]*) ln -s $fate $folder/status ;;
				GONE) rm -f $CALLS/jobs ;;
				UNBEGUN) echo "104$n|N/A|FAILED|credential revoked|$name|." > $CALLS/jobs ;;
				*) echo "104$n|N/A|$fate|None|$name|." > $CALLS/jobs ;;
				esac`, strings.Join(test.fates, " ")))
			s.run("slurm/ensure.ftsh", "one", "job.sh").ends(test.status)
			if got := s.calls("keys"); !slices.Equal(got, test.keys) {
				t.Errorf("submitted were %q, want %q", got, test.keys)
			}
		})
	}
}
