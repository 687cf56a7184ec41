package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// script runs the text of a script.
func (s *scene) script(text string) *play {
	s.Helper()
	return s.beginShell("-c", text)
}

// logged is script with a log for tookAtMost.
func (s *scene) logged(text string) *play {
	s.Helper()
	return s.beginShell("-l", "30", "--log-format", "json", "-f", "log", "-c", text)
}

// tookAtMost holds how long the shell says that something has taken: what a busy machine takes to start the shell,
// and to tell the test that it has ended, is not in it.
func (p *play) tookAtMost(limit time.Duration, event string) {
	p.s.Helper()
	ends := regexp.MustCompile(`"event":"`+event+`",.*"elapsed":([0-9.]+)`).FindAllStringSubmatch(p.s.read("log"), -1)
	if len(ends) != 1 {
		p.s.Fatalf("%s is %d times in the log", event, len(ends))
	}
	if took, _ := strconv.ParseFloat(ends[0][1], 64); took > limit.Seconds() {
		p.s.Errorf("%s after %v s, want %v at most", event, took, limit)
	}
}

// The programs of a batch system that runs each job at once on this machine, in the folder fake of
// the home directory. squeue says of a job the state that a test puts there.
const (
	fakeSbatch = `cd "$HOME/fake"
tasks=; last=0
for word; do
	case $word in
		--job-name=*) name=${word#*=};;
		--array=0-*) last=${word##*-}; tasks=$(seq 0 $last);;
	esac
done
if [ -e most ] && [ $((last+1)) -gt $(cat most) ]; then
	echo 'sbatch: error: Batch job submission failed: Invalid job array specification' >&2; exit 1
fi
if [ -e refusals ]; then
	echo x >> refusals; echo 'sbatch: error: Batch job submission failed: Invalid partition name specified' >&2; exit 1
fi
n=1; until [ ! -e submission-$n ] && mkdir submission-$n 2> /dev/null; do n=$((n+1)); done
cat > submission-$n/script
env > submission-$n/environment
for task in ${tasks:-alone}; do
	id=${n}_$task; [ $task = alone ] && id=$n
	mkdir job-$id
	echo $name > job-$id/name
	echo "$*" > job-$id/options
	cp submission-$n/script job-$id
	if [ -e held ]; then # whoever sees the state may put another there
		cp held job-$id/new; [ -s held ] || echo PENDING > job-$id/new
		mv job-$id/new job-$id/state
		continue
	fi
	echo SLURM_JOB_ID=$id > job-$id/variables
	[ $task = alone ] || echo SLURM_ARRAY_JOB_ID=$n SLURM_ARRAY_TASK_ID=$task >> job-$id/variables
	echo > start-$id
done
if [ -e unanswered ]; then rm unanswered; echo 'sbatch: error: Socket timed out on send/recv operation' >&2; exit 1; fi
echo $n
`
	fakeSqueue = `cd "$HOME/fake"
echo >> lists
for job in job-*; do
	state=COMPLETED
	[ -e start-${job#job-} ] && state=PENDING
	read pid < $job/pid && kill -0 $pid && state=RUNNING
	[ -e $job/state ] && read state < $job/state
	[ -e $job/forgotten ] || { name=; read name < $job/name; echo "${job#job-}|$name|$state|fake|None"; }
done 2> /dev/null
`
	fakeScontrol = `cd "$HOME/fake"
case $* in
*'show job'*) cat shown;;
*) echo "MaxArraySize = $(cat most)";;
esac
`
	fakeScancel = `cd "$HOME/fake"
signal=
for word; do case $word in --name=*) name=${word#*=};; --signal=*) signal=${word#*=};; esac; done
numbers=" $* "
while array=$(expr "$numbers" : '.* \([0-9]*_\)\['); do # 1_[0,2] is 1_0 1_2
	tasks=${numbers#* ${array}[}; tasks=${tasks%%]*}
	each=$(for task in $(echo $tasks | tr , ' '); do printf '%s ' $array$task; done)
	numbers="${numbers%% ${array}[*} $each${numbers#*]}"
done
for job in job-*; do
	case "$numbers" in *" ${job#job-} "*) ;; *) [ "$(cat $job/name)" = "$name" ] || continue;; esac
	if [ "$signal" ]; then # for the runner alone
		kill -$signal $(cat $job/pid) 2> /dev/null
		continue
	fi
	echo CANCELLED > $job/cancelled.$$ && mv $job/cancelled.$$ $job/state
	kill $(cat $job/pid) 2> /dev/null
done
exit 0
`
)

// newFake is a scene with the programs of such a batch system. It runs beside others: most of its time is waiting.
func newFake(t *testing.T) *scene {
	t.Helper()
	s := newScene(t)
	s.must(os.Mkdir(s.dir+"/fake", 0o700))
	for name, text := range map[string]string{"sbatch": fakeSbatch, "squeue": fakeSqueue, "scancel": fakeScancel,
		"scontrol": fakeScontrol} {
		s.program(s.away+"/bin/"+name, text)
	}
	s.file("slurm.conf", "ClusterName=fake\nSlurmctldHost=localhost\n")
	s.startJobs()
	s.set("SLURM_CONF="+s.dir+"/slurm.conf", "FTSH_JOBS="+s.away+"/on", "FTSH_QUEUE_INTERVAL=0.3")
	return s
}

// startJobs starts each job that has a file start-NUMBER in the folder fake, until the test ends; then it waits for
// them.
func (s *scene) startJobs() {
	environ, over, jobs := s.env, make(chan struct{}), sync.WaitGroup{}
	jobs.Go(func() {
		for {
			starts, _ := filepath.Glob(s.dir + "/fake/start-*")
			for _, start := range starts {
				_, number, _ := strings.Cut(filepath.Base(start), "-")
				s.startJob(&jobs, environ, start, "job-"+number)
			}
			select {
			case <-over:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	s.Cleanup(func() {
		close(over)
		late := time.AfterFunc(patience, func() {
			s.Error("jobs run on")
			s.nothingLeft()
		})
		defer late.Stop()
		jobs.Wait()
	})
}

// startJob starts a job in a session of its own, and returns once it has begun. One that was killed before is started
// again.
func (s *scene) startJob(jobs *sync.WaitGroup, environ []string, start, job string) {
	cmd := exec.Command("sh", "-c", `echo $$ > $1/pid; rm "$0"
set -a; SLURMD_NODENAME=fake; . ./$1/variables; exec sh $1/script < /dev/null > $1/log 2>&1`, start, job)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = s.dir+"/fake", environ, &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		s.Error(err)
		return
	}
	ended := make(chan struct{})
	jobs.Go(func() {
		_ = cmd.Wait()
		close(ended)
	})
	for {
		if _, err := os.Stat(start); err != nil {
			return
		}
		select {
		case <-ended:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

func (s *scene) exists(path string) bool {
	_, err := os.Stat(filepath.Join(s.dir, path))
	return err == nil
}

// kill kills the processes whose ids a file holds.
func (s *scene) kill(path string) { s.signal("-KILL", path) }

// signal sends a signal to them.
func (s *scene) signal(signal, path string) {
	for pid := range strings.FieldsSeq(s.read(path)) {
		_ = exec.Command("kill", signal, pid).Run()
	}
}
