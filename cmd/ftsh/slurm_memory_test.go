package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"ftsh/testdata/skip"
)

// newKilling is a cluster that kills jobs which use more memory than they have asked for.
func newKilling(t *testing.T) *slurm {
	t.Helper()
	const controller = "/sys/fs/cgroup/memory"
	probe, err := os.MkdirTemp(controller, "ftsh-test-")
	if err == nil {
		_, err = os.Stat(probe + "/memory.memsw.limit_in_bytes")
		_ = os.Remove(probe)
	}
	if err != nil {
		skip.Test(t, "this test needs a memory controller of cgroup v1, and root: %v", err)
	}
	return newOn(t, "CLUSTER_KILL=1")
}

// uses is a command that holds so many megabytes.
func uses(megabytes string) string {
	return "head -c " + megabytes + "M /dev/zero | tail -c " + megabytes + "M > /dev/null"
}

// TestOnSlurmMemory: what the kernel kills since a job has used up its memory has the kind memory, whether it is the
// program, one of a pipeline, or the process that was to say so. A program that is killed otherwise, or fails by
// itself has not; one that goes on without what was killed has.
func TestOnSlurmMemory(t *testing.T) {
	s := newKilling(t)
	for name, c := range map[string]struct{ command, says string }{
		"program":        {"--mem=60M; sh -c '" + uses("200") + "'", "memory 137\n"},
		"pipeline":       {"--mem=60M; " + uses("200"), "memory 137\n"},
		"runner":         {"--mem=60M; sh -c 'echo 1000 > /proc/$PPID/oom_score_adj; " + uses("200") + "'", "memory 137\n"},
		"enough":         {"--mem=500M; sh -c '" + uses("200") + "'", ""},
		"killed":         {"--mem=500M; sh -c 'kill -KILL $$'", "signal 137\n"},
		"failed":         {"--mem=500M; sh -c 'exit 3'", "exit 3\n"},
		"goes on":        {"--mem=60M; sh -c '" + uses("200") + "; exit 0'", "memory 137\n"},
		"of an inner on": {"--mem=500M; on slurm --mem=60M; sh -c '" + uses("200") + "'; end", "memory 137\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s.script("try; on slurm " + c.command +
				"; end; catch; echo ${error.kind} ${error.status}; end").end().ends("0").says(c.says)
		})
	}
	s.idle()
}

// TestOnSlurmMemoryExample: align.ftsh asks for more memory for the sample that had too little, and for no other.
func TestOnSlurmMemoryExample(t *testing.T) {
	s := newKilling(t)
	sbatch, err := exec.LookPath("sbatch")
	s.must(err)
	s.program(s.away+"/bin/sbatch", `for word; do # this site's GB are MB
	shift
	case $word in --mem=*G) word=${word%G}M;; esac
	set -- "$@" "$word"
done
exec `+sbatch+` "$@"
`)
	s.program(s.away+"/bin/align", `echo $1 >> $RAN
case $1 in
	large.fq) `+uses("90")+` || exit;;
	killed.fq) [ $(grep -cx $1 $RAN) = 2 ] || kill -KILL $$;;
esac
tr a-z A-Z < $1
`)
	names := []string{"small", "large", "killed"}
	for _, name := range names {
		s.file(name+".fq", name+"\n")
	}
	s.set("ALIGN=align", "MEMORY=60", "FTSH_EXPMIN=0.01")
	s.run("align.ftsh", names...).ends("1").complains("killed: align killed.fq: died of signal 9")
	for name, want := range map[string]int{"small": 1, "large": 2, "killed": 1} {
		if ran := s.runs()[name+".fq"]; ran != want {
			t.Errorf("%s was aligned %d times, want %d", name, ran, want)
		}
	}
	s.holds("large.sam", "LARGE\n")
	asked := strings.Fields(s.ask("squeue", "--noheader", "--array", "--states=all", "--format=%m"))
	slices.Sort(asked)
	if want := []string{"120M", "60M", "60M", "60M"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
	s.idle()
}
