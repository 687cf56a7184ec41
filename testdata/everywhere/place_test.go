package everywhere

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ftsh/testdata/shelltest"
	"ftsh/testdata/write"
)

// A place is the folder in which a script runs in one situation.
type place struct {
	testing.TB
	base   string
	mark   string
	random *rand.Rand
	script *script
	took   time.Duration // how long the plain run took
	again  bool          // a unit was under way and has been run again
}

// work is the working folder, which is compared; code holds the script; side the log, the journal and the streams.
func (p *place) work(name ...string) string { return p.below("work", name) }
func (p *place) code(name ...string) string { return p.below("code", name) }
func (p *place) side(name ...string) string { return p.below("side", name) }
func (p *place) temp() string               { return p.below("temp", nil) }

func (p *place) below(folder string, name []string) string {
	return filepath.Join(append([]string{p.base, folder}, name...)...)
}

// mark is in the environment of all that runs for a script.
func (s *script) mark() string { return fmt.Sprintf("everywhere-%d-%s", os.Getpid(), s.name) }

// newPlace makes the folders of a run, which are removed after it.
func newPlace(t testing.TB, s *script, random *rand.Rand) *place {
	t.Helper()
	base, err := os.MkdirTemp("", "everywhere-")
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(base)) })
	p := &place{TB: t, base: base, mark: s.mark(), random: random, script: s}
	for _, folder := range []string{"work", "code", "side", "temp", "state", "home"} {
		must(t, os.Mkdir(filepath.Join(base, folder), 0o700))
	}
	for name, text := range s.files {
		p.put(p.work(name), text)
		p.put(p.code(name), text) // what a script sources is looked for beside it
	}
	input := s.stdin
	if input == "" {
		input = "nobody\nreads\nthis\n"
	}
	p.put(p.side("stdin"), input)
	return p
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (p *place) put(path, text string) {
	p.Helper()
	must(p, os.MkdirAll(filepath.Dir(path), 0o755))
	write.Program(p, path, text)
}

func (p *place) get(path string) string {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.Error(err)
	}
	return string(text)
}

// patience limits the time of a run on the slowest machine; each job of a cluster takes a second.
const patience, patienceWithJobs = 2 * time.Minute, 3 * time.Minute

// command is the shell with the script, as a situation starts it.
func (p *place) command(sit *situation, options ...string) *exec.Cmd {
	p.Helper()
	argv := []string{shelltest.Shell(p), "-t", "10"}
	if sit.log == nil {
		argv = append(argv, "-f", p.side("log"), "-l", "10", "--log-format", "json")
	} else {
		argv = append(argv, sit.log(p)...)
	}
	argv = append(argv, strings.Fields(p.script.flags)...)
	argv = append(append(argv, sit.options...), options...)
	given := `"$SCRIPT" `
	switch {
	case sit.asText:
		given = `-c "$(cat "$SCRIPT")" "$SCRIPT" `
	case sit.asInput:
		given = `- `
	}
	text := fmt.Sprintf(`%s exec %s "$@" %s%s %s`, sit.before, sit.under, given, p.script.args, sit.redirect)
	limit := patience
	if sit.onSlurm {
		limit = patienceWithJobs
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	p.Cleanup(cancel)
	c := exec.CommandContext(ctx, "sh", append([]string{"-c", text, "sh"}, argv...)...)
	c.Dir = p.work()
	c.Env = []string{
		"PATH=" + p.work() + ":" + os.Getenv("PATH"), "HOME=" + p.base + "/home", "TMPDIR=" + p.temp(), "LC_ALL=C", "TZ=UTC",
		"FTSH=" + argv[0], "SCRIPT=" + p.code("script.ftsh"), "SAID=" + p.side("said"), "SIDE=" + p.side(),
		"FTSH_STATE_DIR=" + p.base + "/state",
		"GORACE=atexit_sleep_ms=0 log_path=" + p.side("race"), shelltest.Marker + "=" + p.mark, "EVERYWHERE=" + sit.name,
	}
	c.Env = append(append(c.Env, p.script.environ...), sit.environ...)
	c.Stdin = p.input(sit)
	c.Stdout, c.Stderr = p.stream("stdout"), p.stream("stderr")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return c
}

// stream opens a file that all shells of a run write to.
func (p *place) stream(name string) *os.File {
	p.Helper()
	f, err := os.OpenFile(p.side(name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	must(p, err)
	p.Cleanup(func() { f.Close() })
	return f
}

// input opens the shell's standard input: a file if the script reads or the situation says so, otherwise nothing.
func (p *place) input(sit *situation) *os.File {
	p.Helper()
	name := "/dev/null"
	switch {
	case sit.asInput:
		name = p.code("script.ftsh")
	case sit.stdin == "pipe":
		return p.pipe()
	case p.script.has("reads") || sit.stdin == "file":
		name = p.side("stdin")
	}
	return p.open(name)
}

func (p *place) open(name string) *os.File {
	p.Helper()
	f, err := os.Open(name)
	must(p, err)
	p.Cleanup(func() { f.Close() })
	return f
}

// pipe is a pipe from which the input comes.
func (p *place) pipe() *os.File {
	p.Helper()
	r, w, err := os.Pipe()
	must(p, err)
	_, err = w.WriteString(p.get(p.side("stdin"))) // it is less than a pipe holds
	must(p, errors.Join(err, w.Close()))
	p.Cleanup(func() { r.Close() })
	return r
}

// end waits for a shell and returns its status, or the signal of which it died.
func (p *place) end(c *exec.Cmd) string {
	p.Helper()
	err := c.Wait()
	if c.ProcessState == nil {
		p.Fatal(err)
	}
	return shelltest.StatusOf(err)
}

// outcome holds what a script did.
type outcome struct {
	status string
	stdout string
	stderr string // lines that are not the shell's, sorted
	files  string // what lies in the working folder
	kinds  string // the failures that the log tells of, sorted
	// a structure of the script has dealt with a unit whose outcome is unknown, or that did something else when it was
	// run again
	unknown bool
}

// observe collects what a run has left.
func (p *place) observe(sit *situation, status string) outcome {
	p.Helper()
	o := outcome{status: status, stdout: p.get(p.side("said")) + p.get(p.side("stdout")),
		stderr: ofPrograms(p.get(p.side("stderr"))), files: p.listing()}
	if sit.log == nil {
		o.kinds, o.unknown = p.kinds()
	}
	o.unknown = o.unknown || p.again && p.script.has("counts")
	return o
}

// ofTheShell matches the lines that the shell writes to standard error.
var ofTheShell = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT|ftsh: |\S+:\d+:\d+: |    )`)

// ofPrograms are the lines of standard error that programs wrote, sorted, since the order
// against other streams is free.
func ofPrograms(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if !ofTheShell.MatchString(line) {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// listing tells of all files in the working folder, with what they hold.
func (p *place) listing() string {
	p.Helper()
	var b strings.Builder
	must(p, filepath.WalkDir(p.work(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == p.work() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(p.work(), path)
		fmt.Fprintf(&b, "%s %s\n", name, info.Mode())
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(path)
			fmt.Fprintf(&b, "%s -> %s\n", name, target)
		case info.Mode().IsRegular():
			for line := range strings.Lines(p.get(path)) {
				fmt.Fprintf(&b, "%s | %s\n", name, strings.TrimSuffix(line, "\n"))
			}
		}
		return nil
	}))
	return b.String()
}

// kinds are the failures that the log tells of, and whether one was of a unit whose outcome is unknown.
func (p *place) kinds() (list string, unknown bool) {
	p.Helper()
	var lines []string
	for text := range strings.Lines(p.get(p.side("log"))) {
		var line struct {
			Event, Failure string
			Status         int
			Command        []string
		}
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			p.Errorf("the log has %q: %v", text, err)
		}
		switch line.Event {
		case "command.failed":
			lines = append(lines, fmt.Sprintf("%s %d %s\n", line.Failure, line.Status,
				strings.ReplaceAll(strings.Join(line.Command, " "), p.base, "")))
		case "script.failed":
			lines = append(lines, fmt.Sprintf("script: %s %d\n", line.Failure, line.Status))
		}
		unknown = unknown || line.Failure == "unknown"
	}
	slices.Sort(lines)
	return strings.Join(lines, ""), unknown
}

// checkTidy holds that a run has left no temporary file, that it did not crash, and that there was no data race.
func (p *place) checkTidy() {
	p.Helper()
	entries, err := os.ReadDir(p.temp())
	must(p, err)
	for _, entry := range entries {
		p.Errorf("left behind: temporary file %s", entry.Name())
	}
	for _, race := range must2(filepath.Glob(p.side("race.*"))) {
		p.Errorf("a data race: %s", p.get(race))
	}
	if said := p.get(p.side("stderr")); strings.Contains(said, "goroutine ") || strings.Contains(said, "panic:") {
		p.Errorf("it crashed: %.3000s", said)
	}
}

// A watch is for processes that outlive the script that has started them. A look at all processes takes longer than a
// run, so that one serves several scripts.
type watch struct {
	mu    sync.Mutex
	ended map[string]bool // the marks of scripts that have ended
}

// scriptsPerLook is the number of scripts that end before somebody looks.
const scriptsPerLook = 16

// scriptEnded notes that all runs of a script have ended.
func (w *watch) scriptEnded(t testing.TB, mark string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended[mark] = true
	if len(w.ended)%scriptsPerLook == 0 {
		w.checkNobodyLeft(t)
	}
}

// checkNobodyLeft holds that no process of scripts that have ended is left. The environment names the situation.
func (w *watch) checkNobodyLeft(t testing.TB) {
	t.Helper()
	left := w.left()
	for end := time.Now().Add(10 * time.Second); len(left) > 0 && time.Now().Before(end); left = w.left() {
		time.Sleep(time.Millisecond) // what was killed may not have died yet
	}
	for _, pid := range slices.Sorted(maps.Keys(left)) {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		t.Errorf("left behind: process %d %s, of %s", pid, strings.ReplaceAll(string(name), "\x00", " "), left[pid])
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// left are the processes of scripts that have ended, with the mark and the situation.
func (w *watch) left() map[int]string {
	found := map[int]string{}
	for _, path := range must2(filepath.Glob("/proc/[0-9]*/environ")) {
		environ, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, mark, _ := strings.Cut(string(environ), shelltest.Marker+"=")
		mark, _, _ = strings.Cut(mark, "\x00")
		if w.ended[mark] {
			_, situation, _ := strings.Cut(string(environ), "EVERYWHERE=")
			situation, _, _ = strings.Cut(situation, "\x00")
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			found[pid] = mark + " in " + situation
		}
	}
	return found
}

func must2(list []string, err error) []string {
	if err != nil {
		panic(err)
	}
	return list
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
