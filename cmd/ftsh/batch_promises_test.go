package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// quietly starts the shell with its standard output and error in the files out and err, which can be read while it
// runs. The words may be `sh -c`'s before the shell.
func (s *scene) quietly(before string, args ...string) *play {
	s.Helper()
	script := before + ` exec ftsh "$@" > out 2> err`
	return s.beginShell(append([]string{"-c", `sh -c "$@"`, "x", script, "sh"}, args...)...)
}

// sees reports whether a file is there and holds a text.
func (s *scene) sees(path, text string) bool {
	return s.exists(path) && strings.Contains(s.read(path), text)
}

// newGate is a scene whose jobs end at the latest with the test: they wait for a file go.
func newGate(t *testing.T) *scene {
	s := newFake(t)
	t.Cleanup(func() { s.file("go", "") })
	s.file("fake/lists", "")
	return s
}

// TestOnStays: what a cancelled job that does not end may still do is said, and neither a further attempt of a try
// around nor its verify begins before the job is gone.
func TestOnStays(t *testing.T) {
	t.Parallel()
	const work = `forall n in wait work
    if $n .eq. work
        on slurm
            sh -c 'echo run >> ran; [ $(wc -l < ran) = 2 ] || until [ -e go ]; do sleep 0.05; done'
        end
    else
        while .not. .exists. fail
            sleep 50ms
        end
        on here
            sh -c 'echo attempt >> attempts; [ $(wc -l < attempts) -gt 1 ]'
        end
    end
end
`
	for name, script := range map[string]string{
		"try":       "try 2 times every 0s\n" + work + "end",
		"outer try": "try 2 times every 0s\ntry\n" + work + "end\nend",
		"verify": "try 2 times every 0s unknown on exit\n" + work +
			"verify\non here\nsh -c 'echo asked >> attempts'\nend\nabsent\nend",
	} {
		t.Run(name, func(t *testing.T) {
			s := newGate(t)
			s.program(s.away+"/bin/scancel", "exit 0\n") // nothing that the job would notice
			p := s.quietly("", "-t", "1", "-c", script)
			s.within(patience, "it runs", func() bool { return s.sees("ran", "run") })
			s.signal("-STOP", "fake/job-1/pid") // a node that hangs
			t.Cleanup(func() { s.signal("-CONT", "fake/job-1/pid") })
			s.file("fail", "")
			s.within(patience, "it says so", func() bool { return s.sees("err", "job 1 may still be running") })
			s.asksAgain(3)
			s.holds("attempts", "attempt\n")
			s.holds("ran", "run\n")
			s.file("go", "")
			s.signal("-CONT", "fake/job-1/pid")
			p.end().ends("0")
			s.holds("ran", "run\nrun\n")
			if s.lines("attempts") < 2 {
				t.Error("there was no second attempt")
			}
		})
	}
}

// TestOnUmask: the umask travels.
func TestOnUmask(t *testing.T) {
	s := newFake(t)
	s.quietly("umask 027;", "-c", "on slurm; sh -c 'umask; echo > made'; true > opened; end").end().ends("0")
	s.holds("out", "0027\n")
	for _, name := range []string{"made", "opened"} {
		info, err := os.Stat(s.dir + "/" + name)
		if s.must(err); info.Mode() != 0o640 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
	}
}

// TestOnOutputComes: what a job writes comes while it runs.
func TestOnOutputComes(t *testing.T) {
	s := newGate(t)
	p := s.quietly("", "-c", "on slurm; sh -c 'echo 1; echo 2 >&2; until [ -e go ]; do sleep 0.05; done; echo 3; echo "+
		"4 >&2'; end")
	s.within(patience, "the first lines come", func() bool { return s.sees("out", "1\n") && s.sees("err", "2\n") })
	s.file("go", "")
	p.end().ends("0")
	s.holds("out", "1\n3\n")
	s.holds("err", "2\n4\n")
}

// TestOnLimits: of all limits around a job each holds.
func TestOnLimits(t *testing.T) {
	s := newGate(t)
	s.file("began", "")
	const job = `sh -c 'echo $0 >> began; until [ -e go ]; do sleep 0.05; done' `
	p := s.script("on slurm .limit. 3\nforall g in a b\non slurm .limit. 2\nforall n in 1 2 3 4\n" + job +
		"$g $n\nend\nend\nend\nend")
	s.within(patience, "three run", func() bool { return s.lines("began") == 3 })
	s.asksAgain(3)
	if n := s.lines("began"); n != 3 {
		t.Errorf("%d run at once, want 3", n)
	}
	for _, group := range []string{"a", "b"} {
		if n := strings.Count(s.read("began"), group); n > 2 {
			t.Errorf("%d of the group %s run at once, want 2", n, group)
		}
	}
	s.file("go", "")
	p.end().ends("0")
	if n := s.lines("began"); n != 8 {
		t.Errorf("%d ran, want 8", n)
	}
}

// TestOnOptions: options add up from the outside in, so that the innermost win, also across an `on here`; they are
// expanded when the statement is reached.
func TestOnOptions(t *testing.T) {
	s := newFake(t)
	s.script(`mem=1G
on slurm --mem=$mem --time=5
    mem=2G
    on here
        on slurm --mem=$mem
            true > /dev/null
            sh -c ''
        end
    end
    sh -c ''
end`).end().ends("0")
	for job, want := range map[string]string{
		"fake/job-1/options": " --mem=1G --time=5 --mem=2G --parsable", "fake/job-2/options": " --mem=1G --time=5 --parsable",
	} {
		if got := s.read(job); !strings.Contains(got, want) {
			t.Errorf("submitted with %s, want %s", got, want)
		}
	}
}

// TestOnRepeated: each kind that the batch system gives is one that a script can wait out, and repeat.
func TestOnRepeated(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]string{
		"NODE_FAIL": "lost 1", "BOOT_FAIL": "lost 1", "CANCELLED": "cancelled 1", "TIMEOUT": "timeout 124",
		"DEADLINE":      "timeout 124",
		"OUT_OF_MEMORY": "memory 137",
	} {
		t.Run(state, func(t *testing.T) {
			s := newFake(t)
			kind, _, _ := strings.Cut(want, " ")
			p := s.script(`try 2 times every 0s only on ` + kind + `
    if ${try.attempt} .gt. 1
        echo ${last.kind} ${last.status}
    end
    on slurm
        sh -c 'echo $$ >> ran; [ $(wc -l < ran) = 2 ] || while :; do sleep 0.05; done'
    end
end`)
			s.within(patience, "it runs", func() bool { return s.sees("ran", "\n") })
			s.file("fake/job-1/state", state+"\n")
			s.kill("fake/job-1/pid")
			s.kill("ran")
			p.end().ends("0").says(want + "\n")
		})
	}
}

// TestPromisesNamed: each test and each case that the map of promises names exists. Of a name that ends in … at least
// one does.
func TestPromisesNamed(t *testing.T) {
	text, err := os.ReadFile("../../testdata/slurm/promises.md")
	if err != nil {
		t.Fatal(err)
	}
	var sources strings.Builder
	err = filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, "_test.go") {
			source, _ := os.ReadFile(path)
			sources.Write(source)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile(`Test[A-Z]\w*(…|\b)`).FindAllString(string(text), -1) {
		want := "\nfunc " + name + "("
		if prefix, several := strings.CutSuffix(name, "…"); several {
			want = "\nfunc " + prefix
		}
		if !strings.Contains(sources.String(), want) {
			t.Errorf("there is no %s", name)
		}
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, " | ")
		for _, match := range regexp.MustCompile("`([a-z' ]+)`").FindAllStringSubmatch(cells[len(cells)-1], -1) {
			name := match[1]
			_, isCase := onCases[name]
			if !isCase && !strings.Contains(sources.String(), `"`+name+`"`) {
				t.Errorf("there is no case %q", name)
			}
		}
	}
}
