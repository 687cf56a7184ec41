package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestOnUsage: the log tells what a job has used and what was asked for, and so does `--jobs show` of one that failed.
func TestOnUsage(t *testing.T) {
	s := newFake(t)
	// 60 MB in a child of the program, for a while
	hungry := `sh -c 'head -c 60000000 /dev/zero | tail -c 60000000 | wc -c; sleep 0.3; exit $0'`
	s.beginShell("-l", "30", "-f", "log", "--log-format", "json", "-c", "on slurm --mem=1G --time=5\n"+hungry+
		" 0 > /dev/null\nend").end().ends("0")
	wanted := regexp.MustCompile(`"value":"done","message":"job 1, fake, [0-9.]+ m?s, CPU [0-9.]+ m?s, memory ` +
		`[0-9]+ MB","elapsed":[0-9.]+,` +
		`"asked":\["--mem=1G","--time=5"\],"cpu":[0-9.]+,"memory":[6-9][0-9]{7}\}`)
	if log := s.read("log"); !wanted.MatchString(log) {
		t.Errorf("the log does not tell it: %s", log)
	}
	s.script("on slurm\n" + hungry + " 3\nend").end().ends("1")
	p := s.beginShell("--jobs", "show", "2").end().ends("0")
	if !regexp.MustCompile(`used       ([3-9][0-9][0-9] ms|[0-9.]+ s), CPU [0-9.]+ m?s, memory [5-9][0-9] MB\n`).Match(
		p.stdout.Bytes()) {
		t.Errorf("it is not shown: %s", &p.stdout)
	}
}

// TestOnUsageMemory: the message of kind memory says how much there was, and what was asked for.
func TestOnUsageMemory(t *testing.T) {
	s := newFake(t)
	p := s.script("try; on slurm --mem=1G --time=5; sh -c 'echo $$ > ran; kill -STOP $$'; end; catch; echo " +
		"${error.message}; end")
	s.within(patience, "it runs", func() bool { return s.exists("ran") && s.read("ran") != "" })
	s.file("fake/job-1/state", "OUT_OF_MEMORY\n")
	s.kill("ran")
	p.end().ends("0")
	if !regexp.MustCompile(`; its largest process had [0-9.]+ MB, asked for: --mem=1G \(job 1 on fake\)\n$`).Match(
		p.stdout.Bytes()) {
		t.Errorf("the message: %s", &p.stdout)
	}
}

// TestOnUsagePilots: what a program of a pilot has used is not what those before it had.
func TestOnUsagePilots(t *testing.T) {
	s := newFake(t)
	s.beginShell("-l", "30", "-f", "log", "-c", `on slurm .pilots. 1
sh -c 'head -c 60000000 /dev/zero | tail -c 60000000 | wc -c' > /dev/null
hostname > /dev/null
end`).end().ends("0")
	if log := s.read("log"); !regexp.MustCompile(`JOB sh-\S+ done: \S+ 1, fake, .* memory [5-9][0-9] MB\n`).MatchString(
		log) ||
		!regexp.MustCompile(`JOB hostname-\S+ done: \S+ 1, fake, .* memory [1-4]?[0-9.]+ MB\n`).MatchString(log) {
		t.Errorf("the log: %s", log)
	}
}

// TestOnHeldByLimit: the log tells which commands had to wait for the jobs of others.
func TestOnHeldByLimit(t *testing.T) {
	s := newFake(t)
	s.beginShell("-l", "30", "-f", "log", "--log-format", "json", "-c",
		"on slurm .limit. 1; forall n in 1 2 3; hostname > /dev/null; end; end").end().ends("0")
	if log := s.read("log"); strings.Count(log, `"event":"job.wait"`) != 2 {
		t.Errorf("the log: %s", log)
	}
	p := s.beginShell("--report", "log").end().ends("0")
	for _, want := range []string{`\n  commands +0 ms +0\n`, `\n  jobs  .* 3\n`,
		`\n  jobs in the queue  .* [1-3]\n`, // one that has begun before the queue was asked was in none
		`\n  jobs held by \.limit\.  .* 2\n`, `\n  3     -c:1  - .* MB\n`} {
		if !regexp.MustCompile(want).Match(p.stdout.Bytes()) {
			t.Errorf("the report lacks %s: %s", want, &p.stdout)
		}
	}
}
