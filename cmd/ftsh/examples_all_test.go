package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// exampleNames are the scripts of examples/, and of the folders in it.
func exampleNames(t *testing.T) []string {
	flat, _ := filepath.Glob("../../examples/*.ftsh")
	deep, _ := filepath.Glob("../../examples/*/*.ftsh")
	paths := append(flat, deep...)
	if len(paths) < 12 {
		t.Fatalf("%d examples", len(paths))
	}
	for i := range paths {
		paths[i] = strings.TrimPrefix(paths[i], "../../examples/")
	}
	return paths
}

// sourced are the files that examples read.
var sourced = []string{
	"slurm/cluster.ftsh", "slurm/records.ftsh", "slurm/options.ftsh", "slurm/jobs.ftsh", "slurm/watch.ftsh",
	"slurm/result.ftsh",
}

// TestExamplesAreInOrder holds what all examples have in common: they can be started, say what
// they are, are laid out as -p does, and tell whoever calls them wrong how to call them.
func TestExamplesAreInOrder(t *testing.T) {
	readme, err := os.ReadFile("../../examples/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range exampleNames(t) {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			source, err := os.ReadFile(example(name))
			s.must(err)
			if slices.Contains(sourced, name) {
				s.canonical(name, string(source))
				return
			}
			if info, err := os.Stat(example(name)); err != nil || info.Mode()&0o111 != 0o111 {
				t.Error("it cannot be started")
			}
			if !strings.HasPrefix(string(source), "#!/usr/bin/env ftsh\n#\n# "+name+" - ") {
				t.Error("it does not begin with what it is")
			}
			if !strings.Contains(string(readme), "["+name+"]("+name+")") {
				t.Error("README.md does not mention it")
			}
			s.beginShell("-n", example(name)).end().ends("0").says("")
			s.canonical(name, string(source))
			if name == "quickstart.ftsh" {
				return
			}
			s.run(name).ends("2").says("").complains("usage: ftsh " + name)
			s.leaves()
		})
	}
}

// canonical wants a script to be laid out as -p prints it, which must mean the same program.
func (s *scene) canonical(name, source string) {
	s.Helper()
	cmd := exec.Command("ftsh", "-p", example(name))
	cmd.Env = s.env
	out, err := cmd.Output()
	if err != nil {
		s.Errorf("-p: %v", err)
	}
	printed := strings.SplitAfter(string(out), "\n")
	for i, line := range strings.SplitAfter(source, "\n") {
		if i >= len(printed) || printed[i] != line {
			s.Fatalf("line %d is %q, which -p prints otherwise", i+1, line)
		}
	}
}

func TestExampleQuickstart(t *testing.T) {
	s := newScene(t)
	p := s.run("quickstart.ftsh").ends("0")
	wanted := []string{
		"attempt 1", "attempt 2", "attempt 3", "got through",
		"asking tokyo", "asking lisbon", "lisbon answered",
		"the limit of 700ms passed", "5 files", "5. finally", "That was ftsh",
	}
	rest := p.stdout.String()
	for _, want := range wanted {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("%q is missing after the lines before", want)
		}
		rest = after
	}
	if strings.Contains(p.stdout.String(), "oslo") {
		t.Error("an alternative too many was tried")
	}
	if p.took > patience/4 { // what it starts would take an hour
		t.Errorf("it took %v", p.took)
	}
	s.leaves()
}

// TestExampleQuickstartInterrupted: the clean-up is promised to those who press Ctrl-C.
func TestExampleQuickstartInterrupted(t *testing.T) {
	s := newScene(t)
	copying := s.signpost("copying")
	s.standIn("cp", "echo > "+copying.path+"; sleep 3600 & sleep 3600")
	p := s.begin("quickstart.ftsh")
	copying.reached(s)
	s.must(p.cmd.Process.Signal(os.Interrupt))
	p.end().ends("INT")
	if !strings.HasSuffix(p.stdout.String(), "5. finally: the work directory is gone.\n") {
		t.Error("finally did not come last")
	}
}
