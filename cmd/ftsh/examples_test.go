package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
	"ftsh/testdata/write"
)

// patience limits the time of a script of the examples before the test ends it. It is only ever
// reached by a shell that hangs.
const patience = 2 * time.Minute

// scene runs a script of examples/: it has an empty directory, a directory of stand-ins that
// comes first in PATH, an environment in which waits are short. When the test ends, nothing may
// be left but the files that were expected.
type scene struct {
	*testing.T
	shell string // the one under test
	dir   string // the script's working directory
	away  string // stand-ins in bin, their calls in calls, TMPDIR in tmp
	env   []string
	mark  string
}

// newScene begins a test of an example, which needs these programs. A test without them is
// skipped, and says so.
func newScene(t *testing.T, programs ...string) *scene {
	t.Helper()
	skip.Without(t, programs...)
	t.Parallel()
	return openScene(t)
}

// openScene begins a test that runs alone.
func openScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{T: t, shell: shelltest.Shell(t), dir: t.TempDir(), away: t.TempDir()}
	for _, name := range []string{"bin", "calls", "tmp"} {
		s.must(os.Mkdir(filepath.Join(s.away, name), 0o700))
	}
	s.mark = fmt.Sprintf("%d%s", os.Getpid(), filepath.Base(filepath.Dir(s.away)))
	s.env = []string{
		"PATH=" + s.away + "/bin:" + shelltest.Path(t), "HOME=" + s.dir, "TMPDIR=" + s.away + "/tmp", "LC_ALL=C",
		"CALLS=" + s.away + "/calls", "FTSH_LOG_LEVEL=10", "FTSH_STATE_DIR=" + s.away + "/state", "FTSH_EXPMIN=0.01",
		shelltest.Marker + "=" + s.mark,
		"GORACE=atexit_sleep_ms=0", // a shell built with -race waits a second else
	}
	t.Cleanup(s.nothingLeft)
	return s
}

func (s *scene) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// nothingLeft fails the test if a process or temporary file outlived it.
func (s *scene) nothingLeft() {
	for pid, name := range shelltest.Remaining(s.mark) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		s.Errorf("left behind: process %d %s", pid, name)
	}
	left, _ := os.ReadDir(s.away + "/tmp")
	for _, entry := range left {
		s.Errorf("left behind: temporary file %s", entry.Name())
	}
}

// set changes the environment of the scripts that run from now on.
func (s *scene) set(variables ...string) { s.env = append(s.env, variables...) }

// place is where a file is to be written: in the working directory, or where path says. Its folder is made.
func (s *scene) place(path string) string {
	s.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.dir, path)
	}
	s.must(os.MkdirAll(filepath.Dir(path), 0o755))
	return path
}

// file writes a file, and returns its path.
func (s *scene) file(path, text string) string {
	s.Helper()
	path = s.place(path)
	write.File(s, path, text, 0o644)
	return path
}

// program writes a shell script that can be run.
func (s *scene) program(path, text string) string {
	s.Helper()
	path = s.place(path)
	write.Program(s, path, "#!/bin/sh\n"+text)
	return path
}

// standIn puts a program on the PATH that counts its calls: in the text, $n is the number of this
// one, and $real runs the program that it stands in for.
func (s *scene) standIn(name, text string) {
	s.Helper()
	outside := "false"
	if path, err := exec.LookPath(name); err == nil {
		outside = path
	}
	s.program(s.away+"/bin/"+name, fmt.Sprintf(
		"real=%s\nprintf '%%s\\n' \"$*\" >> $CALLS/%s\nn=$(wc -l < $CALLS/%s)\n%s\n", outside, name, name, text))
}

// calls are the arguments with which a stand-in was called.
func (s *scene) calls(name string) []string {
	text, _ := os.ReadFile(s.away + "/calls/" + name)
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")[:bytes.Count(text, []byte("\n"))]
}

// called wants a stand-in to have been called so many times.
func (s *scene) called(name string, times int) {
	s.Helper()
	if calls := s.calls(name); len(calls) != times {
		s.Errorf("%s was called %d times, want %d: %q", name, len(calls), times, calls)
	}
}

// read returns the contents of a file in the working directory.
func (s *scene) read(path string) string {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, path))
	if err != nil {
		s.Error(err)
	}
	return string(text)
}

// holds wants a file in the working directory to hold a text.
func (s *scene) holds(path, want string) {
	s.Helper()
	if got := s.read(path); got != want {
		s.Errorf("%s holds %.200q, want %.200q", path, got, want)
	}
}

// leaves wants exactly these files in the working directory.
func (s *scene) leaves(want ...string) {
	s.Helper()
	var got []string
	_ = filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			got = append(got, strings.TrimPrefix(path, s.dir+"/"))
		}
		return nil
	})
	slices.Sort(want)
	if slices.Sort(got); !slices.Equal(got, want) {
		s.Errorf("the files are %q, want %q", got, want)
	}
}

// play is a script under way, or how it ended.
type play struct {
	s              *scene
	cmd            *exec.Cmd
	cancel         context.CancelFunc
	began          time.Time
	stdout, stderr write.Text
	status         string // exit status, or name of a signal
	took           time.Duration
}

// begin starts a script of examples/.
func (s *scene) begin(name string, args ...string) *play {
	s.Helper()
	return s.beginShell(append([]string{example(name)}, args...)...)
}

// beginShell starts the shell with arguments of its own.
func (s *scene) beginShell(args ...string) *play {
	s.Helper()
	return s.beginFor(patience, args...)
}

// beginFor is beginShell for what may take so long.
func (s *scene) beginFor(limit time.Duration, args ...string) *play {
	s.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	p := &play{s: s, cmd: exec.CommandContext(ctx, s.shell, args...), cancel: cancel, began: time.Now()}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = s.dir, s.env, &p.stdout, &p.stderr
	p.cmd.WaitDelay = time.Second // a process that keeps the output open is found by nothingLeft
	s.must(p.cmd.Start())
	return p
}

// example is the path of a script of examples/.
func example(name string) string {
	path, err := filepath.Abs("../../examples/" + name)
	if err != nil {
		panic(err)
	}
	return path
}

// run runs a script of examples/ to its end.
func (s *scene) run(name string, args ...string) *play {
	s.Helper()
	return s.begin(name, args...).end()
}

// end waits for the end of the script.
func (p *play) end() *play {
	p.s.Helper()
	defer p.cancel()
	err := p.cmd.Wait()
	p.status, p.took = shelltest.StatusOf(err), time.Since(p.began)
	p.s.Logf("%s ended with %s after %v\n%s%s", p.cmd.Args, p.status, p.took, p.stdout.String(), p.stderr.String())
	return p
}

// ends wants the script to have ended with a status.
func (p *play) ends(status string) *play {
	p.s.Helper()
	if p.status != status {
		p.s.Errorf("status %s, want %s", p.status, status)
	}
	return p
}

// says wants this on standard output, exactly.
func (p *play) says(want string) *play {
	p.s.Helper()
	if got := p.stdout.String(); got != want {
		p.s.Errorf("stdout %q, want %q", got, want)
	}
	return p
}

// complains wants standard error to hold a text.
func (p *play) complains(want string) *play {
	p.s.Helper()
	if !strings.Contains(p.stderr.String(), want) {
		p.s.Errorf("stderr does not say %q", want)
	}
	return p
}
