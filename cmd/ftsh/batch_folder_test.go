package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ftsh/testdata/write"
)

// fakeCluster names the folder of the cluster: its name, and the address of its controller.
const fakeCluster = "fake.localhost"

// TestOnFolder: all of a job is in a folder of its own that nobody else may read, whatever the umask, with what it
// runs, its claim and what it has written; with the result it is gone.
func TestOnFolder(t *testing.T) {
	s := newGate(t)
	p := s.quietly("umask 0;", "-c",
		"x=text\nexport MINE=1\non slurm\nsh -c 'cat; echo began > began; until [ -e go ]; do sleep 0.05; done' -< x -> "+
			"y\nend\necho $y")
	s.within(patience, "it runs", func() bool { return s.sees("began", "began") })
	tickets := 0
	s.must(filepath.WalkDir(s.away+"/on", func(path string, entry fs.DirEntry, err error) error {
		s.must(err)
		info, err := entry.Info()
		s.must(err)
		want := fs.FileMode(0o600)
		switch {
		case entry.IsDir():
			want = fs.ModeDir | 0o700
		case strings.Contains(path, "/.bin/"): // the program
			want = 0o700
		case entry.Name() == "job":
			tickets++
			s.ticketIsWhole(filepath.Dir(path))
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
		}
		return nil
	}))
	if tickets != 1 {
		t.Errorf("%d folders of jobs, want 1", tickets)
	}
	s.file("go", "")
	p.end().ends("0")
	s.holds("out", "text\n")
	s.clean()
}

// ticketIsWhole looks at the folder of a job that runs.
func (s *scene) ticketIsWhole(path string) {
	s.Helper()
	if cluster := filepath.Base(filepath.Dir(path)); cluster != fakeCluster {
		s.Errorf("the folder of the cluster is called %s, want %s", cluster, fakeCluster)
	}
	path, err := filepath.Rel(s.dir, path)
	s.must(err)
	environ := "\x00" + s.read(path+"/environ")
	if !strings.Contains(environ, "\x00MINE=1\x00") || strings.Contains(environ, "\x00FTSH_COMMAND=") {
		s.Errorf("its variables: %q", environ)
	}
	var claim struct{ Number, Submission, Word string }
	s.must(json.Unmarshal([]byte(s.read(path+"/claim-1")), &claim))
	if claim.Number != "1" || !regexp.MustCompile(`^\d{10,}\.\w+$`).MatchString(claim.Submission) || claim.Word == "" {
		s.Errorf("its claim: %+v, want a number, the time of its submission and a random word", claim)
	}
}

// TestOnFolderPlace: without FTSH_JOBS the folder of jobs is among what the user's programs keep.
func TestOnFolderPlace(t *testing.T) {
	s := newFake(t)
	s.set("FTSH_JOBS=")
	s.script("on slurm; true > /dev/null; sh -c ''; end").end().ends("0")
	s.set("XDG_STATE_HOME=" + s.dir + "/kept")
	s.script("on slurm; sh -c ''; end").end().ends("0")
	for _, place := range []string{".local/state", "kept"} {
		if !s.exists(place + "/ftsh/jobs/" + fakeCluster) {
			t.Errorf("no folder in %s", place)
		}
	}
}

// TestOnVersions: the shell keeps a copy of its program for jobs, once for each version; so a job that waits runs the
// one that submitted it when that was replaced meanwhile.
func TestOnVersions(t *testing.T) {
	s := newFake(t)
	copies := func(want int) {
		t.Helper()
		if found, _ := filepath.Glob(s.away + "/on/" + fakeCluster + "/.bin/*"); len(found) != want {
			t.Errorf("copies: %q, want %d", found, want)
		}
	}
	s.script("on slurm; sh -c ''; end").end().ends("0")
	s.script("on slurm; sh -c ''; end").end().ends("0")
	copies(1)
	text, err := os.ReadFile(s.shell)
	s.must(err)
	same := s.away + "/bin/ftsh-size" // a version of the same size as the next
	write.Program(t, same, append(text, '-'))
	s.beginShell("-c", same+" -c 'on slurm; sh -c \"\"; end'").end().ends("0")
	copies(2)
	another := s.away + "/bin/ftsh-next"
	write.Program(t, another, append(text, '\n'))
	s.file("fake/held", "")
	p := s.beginShell("-c", another+" -c 'on slurm; sh -c \"echo ran\"; end'")
	s.within(patience, "it is submitted", func() bool { return s.exists("fake/job-4/state") })
	s.must(os.Remove(another))
	s.program(another, "exit 1\n")
	s.must(os.Remove(s.dir + "/fake/job-4/state"))
	s.file("fake/job-4/variables", "SLURM_JOB_ID=4\n")
	s.file("fake/start-4", "")
	p.end().ends("0").says("ran\n")
	copies(3)
}

// TestOnSubmissions: all shells together submit at most four times at once, and after failures only now and then
// until one succeeds.
func TestOnSubmissions(t *testing.T) {
	s := newGate(t)
	s.program(s.away+"/bin/sbatch-proper", fakeSbatch)
	s.program(s.away+"/bin/sbatch", `cd "$HOME"
touch fake/at-$$
ls fake | grep -c '^at-' >> together
until [ -e go ]; do sleep 0.05; done
rm fake/at-$$
exec sbatch-proper "$@"
`)
	var plays []*play
	for _, shell := range []string{"a", "b"} {
		plays = append(plays, s.script("forall n in 1 2 3 4; on slurm --comment="+shell+
			"$n; sh -c 'echo ran >> ran'; end; end"))
	}
	s.within(patience, "four submit, and four wait",
		func() bool { return strings.Contains(s.resources(), "4 of 4 taken, 4 waiting") })
	s.file("go", "")
	for _, p := range plays {
		p.end().ends("0")
	}
	for n := range strings.FieldsSeq(s.read("together")) {
		if n > "4" {
			t.Errorf("%s submissions at once", n)
		}
	}
	s.holds("ran", strings.Repeat("ran\n", 8))
}

// resources returns the output of ftsh --resources.
func (s *scene) resources() string {
	cmd := exec.Command("ftsh", "--resources")
	cmd.Env = s.env
	out, _ := cmd.Output()
	return string(out)
}

// TestOnSubmissionsBreaker: after five failures only one submission is tried now and then, until one succeeds.
func TestOnSubmissionsBreaker(t *testing.T) {
	s := newFake(t)
	s.program(s.away+"/bin/sbatch-proper", fakeSbatch)
	s.program(s.away+"/bin/sbatch", `cd "$HOME"
[ ! -e back ] || exec sbatch-proper "$@"
echo x >> failures
echo 'sbatch: error: Unable to contact slurm controller (connect failure)' >&2
exit 1
`)
	p := s.script("forall n in 1 2 3 4 5 6; on slurm --comment=$n; sh -c 'echo ran >> ran'; end; end")
	s.within(patience, "the breaker is open", func() bool { return strings.Contains(s.resources(), "open for ") })
	if n := s.lines("failures"); n < 5 {
		t.Errorf("it opened after %d failures", n)
	}
	s.file("back", "")
	p.end().ends("0")
	s.holds("ran", strings.Repeat("ran\n", 6))
}
