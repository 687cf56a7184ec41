package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ftsh/testdata/shelltest"
)

// hostile are texts that do something to a terminal: escape sequences, C1 controls, controls of direction, bytes that
// are not UTF-8.
var hostile = []string{
	"\x1b[2J", "\x1b]0;title\a", "\u009b31m", "\u009d0;title\u009c", "\x9b31m", "a\u202egnp.exe", "\u2066a\u2069",
	"\u200f", "\x7f\b\r", "\xff\xfe",
	"y\nforged: 1", "\nforged: 1", "\ufeff", "$\x1b", "\x1b", "try\x1b[A", "'\x1b[1m", "-\x1b[5m", "\u2028", "a\nb\x1b",
	"\x1bPq\x1b\\",
}

// FuzzSaid feeds names and texts to each tool, and holds that nothing comes out that could move a terminal's cursor.
func FuzzSaid(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if text == "" || len(text) > 100 || strings.ContainsAny(text, "/\x00") || text == "." || text == ".." {
			t.Skip("no name of a file")
		}
		t.Parallel()
		s := &teller{T: t, dir: t.TempDir()}
		s.names(text)
		s.scripts(text)
		s.logs(text)
		s.journals(text)
		s.jobs(text)
	})
}

// teller runs the shell and looks at what it says.
type teller struct {
	*testing.T
	dir string
}

// run runs the shell, and holds that all that it writes shows, and that no line of it comes from a name.
func (s *teller) run(args ...string) {
	s.Helper()
	cmd := exec.Command(shelltest.Shell(s), args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "HOME="+s.dir, "FTSH_JOBS="+s.dir+"/jobs", "FTSH_STATE_DIR="+s.dir+"/state",
		"XDG_STATE_HOME=")
	out, _ := cmd.CombinedOutput()
	if strings.HasPrefix(string(out), "forged") || strings.Contains(string(out), "\nforged") {
		s.Errorf("ftsh %q writes a line that is none of its own:\n%s", args, out)
	}
	for rest := out; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r != '\n' && r != '\t' && !strconv.IsPrint(r) || r == utf8.RuneError && size == 1 {
			s.Errorf("ftsh %q writes %q:\n%q", args, rest[:size], out)
			return
		}
		rest = rest[size:]
	}
}

// file writes a file in the folder, of mode 0600.
func (s *teller) file(name, text string) string {
	s.Helper()
	path := filepath.Join(s.dir, name)
	must(s.T, os.MkdirAll(filepath.Dir(path), 0o700))
	must(s.T, os.WriteFile(path, []byte(text), 0o600))
	return name
}

// names gives a text where options, files and topics are named.
func (s *teller) names(text string) {
	for _, option := range []string{
		"--check", "--explain", "--fmt", "--report", "--manual", "--resources", "--journals", "--continue", "--trace",
		"--inject", "-t", "-l", "-k", "-f", "--log-format", "--seed", "--undefined", "--progress", "--again", "--try", "--",
	} {
		s.run(option, text)
	}
	for _, args := range [][]string{
		{"--" + text}, {"-" + text}, {"--manual", "-k", text}, {"--check", "--format", text, "x"}, {"--jobs", "show", text},
		{"--journal=" + text}, {"--trace=" + text + "/x", "-c", "true"}, {"-f", text + "/x", "-c", "true"},
	} {
		s.run(args...)
	}
}

// scripts gives it as a script, as the name of one, and within one.
func (s *teller) scripts(text string) {
	quoted := "'" + strings.NewReplacer("\\", "", "'", "").Replace(text) + "'"
	for _, script := range []string{
		text, "try " + text + "\nend\n", "echo $" + text + "\n", text + "()\n",
		"for x in " + quoted + "\ncp $nothing " + quoted + "  # " + text + "\nend\n",
		"function f\nend\nf " + quoted + "\nmissing-program " + quoted + "\ntry for 1 hour key " + quoted +
			"\ncurl -d x y\nend\n",
	} {
		name := s.file(text, script)
		for _, args := range [][]string{
			{"--check"}, {"--check", "--format", "json"}, {"--check", "--format", "sarif"}, {"--explain"}, {"--fmt", "-d"},
			{"-n"},
		} {
			s.run(append(args, "./"+name)...)
		}
	}
	s.file(text, "try 2 times every 1 ms\nfailure $1\nend\n")
	s.run("-l", "40", "./"+text, text)
	s.run("-l", "40", "--log-format", "json", "./"+text, text)
}

// logs gives it as what a log tells of.
func (s *teller) logs(text string) {
	var log strings.Builder
	for _, kind := range []string{"shell.start", "command.start", "command.failed", "try.attempt", "forall.branch",
		"script.failed", "shell.end"} {
		line, err := json.Marshal(map[string]any{
			"time": time.Now().Format(time.RFC3339Nano), "event": kind, "level": 10, "shell": 1, "script": text, "line": 3,
			"id":      1,
			"command": []string{text, text}, "name": text, "value": text, "message": text, "stderr": text, "failure": text,
			"reason": text,
		})
		must(s.T, err)
		log.Write(append(line, '\n'))
	}
	s.file("log", log.String())
	s.run("--report", "log")
	s.file("log", text)
	s.run("--report", "log")
}

// journals gives it as the name of a journal, and as a script that is interrupted.
func (s *teller) journals(text string) {
	name := "j" + text
	s.file("interrupted", "x="+strconv.Quote("x")+"\nsh -c 'kill -9 $PPID; exec sleep 100' # "+
		strings.ReplaceAll(text, "\n", "")+"\n")
	s.run("--journal", name, "interrupted", text)
	s.run("--journals")
	s.run("--continue", name)
	s.run("--continue", name, "--happened")
	s.run("--continue", name)
	s.run("--journal", name, "-c", "true")
	s.file(".local/state/ftsh/"+name+".journal", text)
	s.run("--journals")
}

// jobs gives it as what is known of a job.
func (s *teller) jobs(text string) {
	job, err := json.Marshal(map[string]any{"words": []string{text}, "dir": text, "options": []string{text},
		"host": text, "journal": text})
	must(s.T, err)
	result, err := json.Marshal(map[string]string{"kind": text, "why": text, "number": text})
	must(s.T, err)
	folder := "jobs/cluster" + text + "/ticket" + text
	s.file(folder+"/job", string(job))
	s.file(folder+"/result", string(result))
	s.file(folder+"/stderr", strings.ReplaceAll(text, "\n", " ")) // which is shown as it is, in its lines
	s.run("--jobs")
	s.run("--jobs", "failed")
	s.run("--jobs", "show", "ticket")
	s.run("--jobs", "clean")
}
