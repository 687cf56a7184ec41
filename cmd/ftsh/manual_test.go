package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ftsh/ast"
	"ftsh/parser"
	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
	"ftsh/testdata/write"
)

// update makes the tests write what really happens into the pages:
//
//	go test ./cmd/ftsh -run TestManual -update
var update = flag.Bool("update", false, "write real output into manual pages and README")

// A page's code blocks are checked by what stands after their fence:
//
//	ftsh           a script that must parse
//	ftsh FILE      the same, and it is saved under that name for later blocks
//	ftsh wrong FILE  a script with syntax errors, saved under that name
//	ftsh run       a script that is run and must succeed
//	output         what the script before it wrote to standard output
//	output all     the same with standard error, in the order written
//	console        commands after "$ " (continued after "> ") and what they wrote to both;
//	               those of go itself are not run, .ci/run does that
//	console slurm  the same in a private Slurm cluster, where Slurm is installed
//	sh             a script for sh, which must parse
//	text           anything
//
// In output … stands for any text within a line, and a line of only … for any
// lines. Times, process ids and the scratch folder (/home/ann) need not be the same.

// block is one code block of a page.
type block struct {
	label string
	text  string
	line  int // of its fence, from 1
	first int // offset of text in the page
}

// TestManual runs or parses every code block of the manual and of the README.
func TestManual(t *testing.T) {
	t.Parallel()
	simulator := simulator(t)
	for _, path := range manualPages(t) {
		page := strings.TrimSuffix(filepath.Base(path), ".md")
		t.Run(page, func(t *testing.T) {
			if page == "policies" || page == "simulator" {
				skip.UnlessLong(t, "this page simulates for half a minute")
			}
			t.Parallel()
			newSession(t, path, simulator).run()
		})
	}
}

// manualPages are the files whose blocks are checked.
func manualPages(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("manual/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	if _, err := os.Stat("../../README.md"); err == nil {
		paths = append(paths, "../../README.md")
	}
	return paths
}

// session runs the blocks of one page, in a folder of its own.
type session struct {
	t       *testing.T
	path    string
	page    string
	mark    string
	home    string // the scratch folder
	temp    string // TMPDIR
	environ []string
	status  int    // of the last command of a console
	output  string // of the script in the block before
	cluster *slurm // in which the page runs its commands, once one of them needs it
	told    bool   // that there is none
	changes []change
}

// change is a text of the page that -update replaces.
type change struct {
	first, last int
	text        string
}

func newSession(t *testing.T, path string, simulator func() (string, error)) *session {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	top := t.TempDir()
	s := &session{t: t, path: path, page: string(page), home: top + "/home", temp: top + "/temp"}
	s.mark = strconv.Itoa(os.Getpid()) + t.Name()
	bin := top + "/bin"
	for _, dir := range []string{s.home, s.temp, bin} {
		must(t, os.MkdirAll(dir, 0o755))
	}
	for name, text := range standIns {
		write.Program(t, bin+"/"+name, "#!/bin/sh\n"+text)
	}
	if strings.Contains(s.page, "$ ftshsim ") {
		path, err := simulator()
		must(t, err)
		must(t, os.Symlink(path, bin+"/ftshsim"))
	}
	if strings.Contains(s.page, "ftsh --trace ") {
		shelltest.Tracer(t)
	}
	if files := strings.TrimSuffix(path, ".md"); isFolder(files) {
		must(t, os.CopyFS(s.home, os.DirFS(files)))
	}
	s.environ = []string{
		"PATH=" + bin + ":" + shelltest.Path(t), "HOME=" + s.home, "TMPDIR=" + s.temp, "PWD=" + s.home,
		"FTSH_STATE_DIR=" + top + "/state", "LC_ALL=C", "TZ=UTC", "USER=ann", shelltest.Marker + "=" + s.mark,
		"GORACE=atexit_sleep_ms=0", // it would be a second for each run
	}
	return s
}

// simulator returns what builds ftshsim, once, when that is first needed.
func simulator(t *testing.T) func() (path string, err error) {
	path := t.TempDir() + "/ftshsim"
	return sync.OnceValues(func() (string, error) {
		cmd := exec.Command("go", "build", "-o", path, "../ftshsim")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w\n%s", err, out)
		}
		return path, nil
	})
}

// isFolder tells whether a page has files of its own: those of manual/NAME.md
// are in manual/NAME.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run checks all blocks of the page, and that nothing is left of them.
func (s *session) run() {
	before := ""
	for _, b := range blocks(s.page) {
		s.block(before, b)
		before = b.label
	}
	if *update && len(s.changes) > 0 {
		s.rewrite()
	}
	shelltest.CheckNothingLeft(s.t, s.mark, s.temp)
}

// blocks finds the code blocks of a page.
func blocks(page string) []block {
	var found []block
	inside, offset := false, 0
	number := 0
	for line := range strings.Lines(page) {
		number++
		fence := strings.HasPrefix(line, "```")
		switch {
		case fence && inside:
			last := &found[len(found)-1]
			last.text = page[last.first:offset]
			inside = false
		case fence:
			found = append(found, block{label: strings.TrimSpace(line[3:]), line: number, first: offset + len(line)})
			inside = true
		}
		offset += len(line)
	}
	if inside {
		found[len(found)-1].label = "without an end"
	}
	return found
}

// block checks one block by its label and that of the block before.
func (s *session) block(before string, b block) {
	label, rest, _ := strings.Cut(b.label, " ")
	switch {
	case b.label == "ftsh run":
		s.parse(b)
		s.script(b)
	case strings.HasPrefix(b.label, "ftsh wrong "):
		s.save(strings.TrimPrefix(rest, "wrong "), b)
		if s.parses(b) == nil {
			s.t.Errorf("%s:%d: nothing is wrong here", s.path, b.line)
		}
	case label == "ftsh" && !strings.Contains(rest, " "):
		s.parse(b)
		s.save(rest, b)
	case label == "output" && before == "ftsh run" && (rest == "" || rest == "all"):
		s.compare(b, b.first, b.text, s.output)
	case b.label == "console":
		s.console(b)
	case b.label == "console slurm":
		if s.joinCluster() {
			s.console(b)
		}
	case b.label == "sh":
		s.parseSh(b)
	case b.label == "text":
	case b.label == "" && filepath.Base(s.path) == referencePage: // its blocks show forms, not whole scripts
	default:
		s.t.Errorf("%s:%d: a block cannot be labelled %q here", s.path, b.line, b.label)
	}
}

// save makes a script of a block, if it has a name.
func (s *session) save(name string, b block) {
	if name != "" {
		write.Program(s.t, s.home+"/"+name, b.text)
	}
}

// parse wants a script without syntax errors.
func (s *session) parse(b block) {
	if err := s.parses(b); err != nil {
		s.t.Errorf("%s:%d: %v", s.path, b.line, err)
	}
}

// parses returns the syntax errors of a script, nil if there are none.
func (s *session) parses(b block) error {
	source := &ast.Source{Name: filepath.Base(s.path), Text: strings.Repeat("\n", b.line) + b.text}
	read := func(path string) ([]byte, error) { return fs.ReadFile(os.DirFS(s.home), filepath.Clean(path)) }
	_, err := parser.Parse(source, parser.Config{ReadFile: read})
	return err
}

func (s *session) parseSh(b block) {
	cmd := exec.Command("sh", "-n")
	cmd.Stdin = strings.NewReader(b.text)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Errorf("%s:%d: sh -n: %v: %s", s.path, b.line, err, out)
	}
}

// script runs a script, which must succeed. Standard error is kept where the next block is `output all`.
func (s *session) script(b block) {
	name := "script.ftsh"
	must(s.t, os.WriteFile(s.home+"/"+name, []byte(b.text), 0o644))
	defer os.Remove(s.home + "/" + name)
	var output, errors bytes.Buffer
	cmd := s.command(shelltest.Shell(s.t), name)
	cmd.Stdout, cmd.Stderr = &output, &errors
	if strings.HasPrefix(s.page[b.first+len(b.text):], "```\n\n```output all\n") {
		cmd.Stderr = &output
	}
	if err := cmd.Run(); err != nil {
		s.t.Errorf("%s:%d: %v\n%s%s", s.path, b.line, err, &output, &errors)
	}
	s.output = output.String()
}

// command prepares a program that finds nothing but the scratch folder.
func (s *session) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = s.home, s.environ
	return cmd
}

// console runs the commands of a session one by one and compares what each wrote.
func (s *session) console(b block) {
	s.status = 0
	var command string
	first, offset := b.first, b.first
	for line := range strings.Lines(b.text) {
		switch {
		case strings.HasPrefix(line, "$ "):
			s.typed(b, command, first, offset)
			command, first = line[2:], offset+len(line)
		case strings.HasPrefix(line, "> ") && first == offset:
			command, first = command+line[2:], offset+len(line)
		}
		offset += len(line)
	}
	if command == "" {
		s.t.Errorf("%s:%d: a console without a command", s.path, b.line)
	}
	s.typed(b, command, first, offset)
}

// typed runs a command of a console; what it should write stands between two offsets of the page.
func (s *session) typed(b block, command string, first, last int) {
	if command == "" || strings.HasPrefix(command, "go ") {
		return
	}
	cmd := s.command("sh", "-c", fmt.Sprintf("(exit %d)\n%s", s.status, command))
	out, err := cmd.CombinedOutput()
	s.status = 0
	if err != nil {
		s.status, _ = strconv.Atoi(shelltest.StatusOf(err))
	}
	s.compare(b, first, s.page[first:last], string(out))
}

// compare wants a text to be as the page says.
func (s *session) compare(b block, first int, want, got string) {
	got = strings.ReplaceAll(got, s.home, "/home/ann")
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	if matches(want, got) {
		return
	}
	if *update {
		s.changes = append(s.changes, change{first, first + len(want), got})
		return
	}
	s.t.Errorf("%s:%d: the page says\n%sand it is\n%s", s.path, b.line, want, got)
}

// changing matches what is different in each run: times, process ids, durations, and
// how long something took, which the log tells only where it is known.
var changing = []*regexp.Regexp{
	regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d) \[\d+\]`),
	regexp.MustCompile(`\d{10}\.\d{6} \[\d+\]`),
	regexp.MustCompile(`, after [\d.]+ (ms|s|min|h)( \d+ (s|min))?\b`),
	regexp.MustCompile(`\btried \d+ times in [\d.]+ (ms|s|min|h)( \d+ (s|min))?\b`),
	regexp.MustCompile(`sleeping [\d.]+ (ms|s|min|h)( \d+ (s|min))?\b`),
	regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`),
	regexp.MustCompile(`\b\d+m?s ago\b`),
	regexp.MustCompile(`open for \d+s, next probe in \d+s`),
	regexp.MustCompile(`process \d+`),
	regexp.MustCompile(`"time":"[^"]*"`),
	regexp.MustCompile(`"(shell|pid)":\d+`),
	regexp.MustCompile(`,"(elapsed|wait|remaining)":[\d.]+`),
	// Whichever a nested shell meets first when a limit passes.
	regexp.MustCompile(`the shell received signal SIGTERM|the inherited deadline passed`),
}

// matches tells whether output is as a page says.
func matches(want, got string) bool {
	for _, c := range changing {
		want, got = c.ReplaceAllString(want, ""), c.ReplaceAllString(got, "")
	}
	var pattern strings.Builder
	for line := range strings.Lines(want) {
		if line == "…\n" {
			pattern.WriteString(`(?:.*\n)*`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*"))
	}
	return regexp.MustCompile(`\A` + pattern.String() + `\z`).MatchString(got)
}

// rewrite puts real output into the page.
func (s *session) rewrite() {
	slices.SortFunc(s.changes, func(a, b change) int { return b.first - a.first })
	page := s.page
	for _, c := range s.changes {
		page = page[:c.first] + c.text + page[c.last:]
	}
	must(s.t, os.WriteFile(s.path, []byte(page), 0o644))
}
