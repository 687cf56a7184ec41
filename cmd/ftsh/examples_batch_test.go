package main

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestExampleSubmit uses stand-ins for HTCondor. The queue manager is away at first, then takes
// the job but loses the answer.
func TestExampleSubmit(t *testing.T) {
	s := newScene(t)
	s.standIn("condor_submit", `case $n in
		1) echo "ERROR: Can't find address of local schedd" >&2; exit 1 ;;
		2) echo "$*" >> $CALLS/queue; sleep 3600 & sleep 3600 ;;
		*) echo "$*" >> $CALLS/queue; echo "$n.0 - $n.4" ;;
	esac`)
	s.standIn("condor_q", `[ $n -gt 1 ] || exit 1
		key=$(expr "$*" : '.*SubmitKey == \("[^"]*"\)')
		grep -n "SubmitKey = $key" $CALLS/queue 2> /dev/null | cut -d: -f1`)
	s.set("SUBMIT_EACH=1500ms")
	s.run("submit.ftsh", "one.sub", "two.sub").ends("0").says("one.sub 1\ntwo.sub 3\n")
	s.called("condor_submit", 3)
	s.called("condor_q", 3)
	s.called("queue", 2) // one.sub is there once
	s.leaves()
}

func TestExampleSubmitKnowsWhenToStop(t *testing.T) {
	s := newScene(t)
	s.standIn("condor_submit", `echo "ERROR: \"$4\" doesn't contain any \"queue\" commands -- no jobs queued" >&2; exit 1`)
	s.run("submit.ftsh", "empty.sub", "next.sub").ends("1").says("")
	s.called("condor_submit", 1)
	s.set("SUBMIT_FILES=0", "SUBMIT_LIMIT=1s") // every machine is too busy
	s.run("submit.ftsh", "empty.sub").ends("1").complains("percent of the open files are in use")
	s.called("condor_submit", 1)
}

// cluster puts stand-ins for Slurm on the PATH, that fail the first time they are used.
// The controller takes a submission but loses the answer; a twin appears beside it.
func (s *scene) cluster() {
	s.standIn("sbatch", `printf '%s\n' '102|PENDING|JobHeldUser' '101|PENDING|JobHeldUser' >> $CALLS/jobs
		[ $n -gt 1 ] || { echo "sbatch: error: Socket timed out on send/recv operation" >&2; exit 1; }
		echo 102`)
	s.standIn("squeue", `[ $n -gt 1 ] || { echo "squeue: error: Unable to contact slurm controller" >&2; exit 1; }
		[ ! -e $CALLS/jobs ] || cat $CALLS/jobs`)
	s.standIn("scontrol", `[ $n -gt 1 ] || { echo "Unexpected message received for job $2" >&2; exit 1; }
		sed -i "s/$2|.*/$2|RUNNING|None/" $CALLS/jobs`)
	s.standIn("sacct", `case $n in 1) exit 1 ;; 2) ;; 3) echo PENDING ;; 4) echo RUNNING ;; *) echo ${FATE:-COMPLETED} ;; esac`)
	s.standIn("scancel", `sed -i d $CALLS/jobs`)
	s.set("SLURM_POLL=10ms")
}

func TestExampleSlurm(t *testing.T) {
	s := newScene(t)
	s.cluster()
	s.run("slurm.ftsh", "sim-7", "job.sh", "an argument").ends("0").says("sim-7 is job 101\nsim-7 has ended: COMPLETED\n")
	if got := s.calls("sbatch"); len(got) != 1 || got[0] != "--hold --requeue --parsable --job-name=sim-7 job.sh an argument" {
		t.Errorf("sbatch was called with %q", got)
	}
	if got := s.calls("scontrol"); !slices.Equal(got, []string{"release 101", "release 101"}) {
		t.Errorf("released were %q", got)
	}
	if got := s.calls("scancel"); !slices.Equal(got, []string{"--name=sim-7"}) {
		t.Errorf("cancelled were %q", got)
	}
	s.called("squeue", 4)
	s.called("sacct", 5)
	s.leaves()
}

func TestExampleSlurmFailures(t *testing.T) {
	s := newScene(t)
	s.cluster()
	s.set("FATE=OUT_OF_MEMORY")
	s.run("slurm.ftsh", "sim-8", "job.sh").ends("1").complains("job 101: OUT_OF_MEMORY")
	s.standIn("sbatch", `echo "sbatch: error: Batch job submission failed: Invalid partition name specified" >&2; exit 1`)
	s.must(os.Remove(s.away + "/calls/sbatch"))
	s.run("slurm.ftsh", "sim-9", "job.sh").ends("1").says("")
	s.called("sbatch", 1)
}

func TestExampleSlurmInterrupted(t *testing.T) {
	s := newScene(t)
	s.cluster()
	running := s.signpost("running")
	s.standIn("sacct", `echo RUNNING; echo > `+running.path)
	p := s.begin("slurm.ftsh", "sim-7", "job.sh")
	running.reached(s)
	s.must(p.cmd.Process.Signal(syscall.SIGTERM))
	p.end().ends("TERM").says("sim-7 is job 101\n")
	s.called("scancel", 1)
}

func TestExampleArray(t *testing.T) {
	s := newScene(t)
	s.standIn("work", `last=; for last; do :; done
		tries=$(grep -cx "with care $last" $CALLS/work)
		case $last in
			shaky) echo half; [ $tries -ge 3 ] || exit 75 ;;
			broken) echo half; exit 1 ;;
			stuck) [ $tries -ge 2 ] || sleep 3600 & wait; [ $tries -ge 2 ] || sleep 3600 ;;
		esac
		echo "$last is done"`)
	s.file("list", "easy\nshaky\nbroken\nstuck\ntwo words\n")
	s.set("ARRAY_EACH=2s", "ARRAY_PARALLEL=4")
	s.run("array.ftsh", "list", "results", "work", "with", "care").ends("1").says("broken\n")
	s.called("work", 1+3+3+2+1)
	s.holds("results/shaky", "half\nshaky is done\n")
	s.holds("results/stuck", "stuck is done\n")
	s.leaves("list", "results/easy", "results/shaky", "results/stuck", "results/two words")
	s.file("list", "easy\nbroken\nnew\n")
	s.run("array.ftsh", "list", "results", "work", "with", "care").ends("1").says("broken\n")
	s.called("work", 10+3+1)
}

// TestExampleStage has disks to which cp is cut short, in silence or with an error, one that
// appears late, and one that never does.
func TestExampleStage(t *testing.T) {
	s := newScene(t, "sha256sum")
	s.file("data", strings.Repeat("0123456789abcdef", 10_000))
	var want []string
	for _, dir := range []string{"a", "b", "c", "d", "e", "f"} {
		s.must(os.Mkdir(s.dir+"/"+dir, 0o755))
		want = append(want, dir+"/data")
	}
	s.must(os.Mkdir(s.away+"/calls/under way", 0o755))
	s.standIn("cp", `mkdir "$CALLS/under way/$$"
		case $3 in late/*) mkdir -p late; esac
		if mkdir "$CALLS/$(dirname $3)" 2> /dev/null
		then head -c 1000 $2 > $3; [ ${3%/*} != c ]
		else $real "$@"
		fi
		status=$?
		ls "$CALLS/under way" | wc -l >> $CALLS/most
		rmdir "$CALLS/under way/$$"
		exit $status`)
	s.set("STAGE_LIMIT=3s", "STAGE_PARALLEL=3")
	p := s.run("stage.ftsh", "data", "a", "b", "c", "nowhere", "d", "e", "f", "late").ends("1").says("nowhere\n")
	p.complains("could not stage data to nowhere")
	for _, path := range append(want, "late/data") {
		s.holds(path, s.read("data"))
	}
	s.leaves(append(want, "late/data", "data")...)
	for _, most := range s.calls("most") {
		if strings.TrimSpace(most) > "3" {
			t.Errorf("%s copies were under way at the same time", most)
		}
	}
}
