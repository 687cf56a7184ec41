// Command walk counts the functions of this project that the shell passes on its way from main to the fork of
// a program, for the smallest script that shows what ftsh is for. Those who read the code to understand such a script
// have to read them; so there should be few.
//
//	go run ./testdata/performance/walk [-on] [-list] [-most N]
//
// With -on it is the way of a program that runs as a job of Slurm, on the shell's side: from main to the end of the
// shell, with a batch system that starts each job at once.
//
// The start of the guardian, which the shell forks on the way, is a walk of its own: those functions are counted apart.
//
// It builds the shell with coverage, and with one line changed: where it would fork, it exits. -list names the
// functions. With -most, more than N of them are a failure.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	script   = "try for 1 hour\n    curl x => y\nend\n"
	onScript = "on slurm\n    curl x => y\nend\n"
)

// sbatch starts a job. Its variables are those of the shell but for GOCOVERDIR, so that the job counts nothing.
const sbatch = "#!/bin/sh\nPATH=$PATH:/usr/bin:/bin\ncat > job\nsh job > log 2>&1 < /dev/null &\necho 1\n"

// The place of the fork.
const (
	forkFile = "interp/process/launch.go"
	forkLine = "func forkExec(d files.Directory, path string, args []string, attr *syscall.ProcAttr) " +
		"(pid int, err error) {\n"
)

func main() {
	on := flag.Bool("on", false, "count the way of a job")
	list := flag.Bool("list", false, "name the functions")
	most := flag.Int("most", 0, "how many there may be; 0: any number")
	flag.Parse()
	passed, err := walk(*on)
	if err != nil {
		fmt.Fprintln(os.Stderr, "walk:", err)
		os.Exit(1)
	}
	if *list {
		fmt.Println(strings.Join(passed, "\n"))
	}
	guardian := 0
	for _, name := range passed {
		if strings.Contains(name, "interp/process/guardian/") {
			guardian++
		}
	}
	count := len(passed) - guardian
	end := "fork"
	if *on {
		end = "the end of a job"
	}
	fmt.Printf("%d functions from main to %s, and %d that start the guardian\n", count, end, guardian)
	if *most > 0 && count > *most {
		fmt.Fprintf(os.Stderr, "walk: wanted at most %d\n", *most)
		os.Exit(1)
	}
}

// walk returns the functions that are passed.
func walk(on bool) ([]string, error) {
	dir, err := os.MkdirTemp("", "walk-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	shell := filepath.Join(dir, "ftsh")
	if err := build(dir, shell, on); err != nil {
		return nil, err
	}
	counters := filepath.Join(dir, "counters")
	if err := os.Mkdir(counters, 0o700); err != nil {
		return nil, err
	}
	files := map[string]string{"curl": "#!/bin/sh\n", "script": script}
	if on {
		files["script"], files["sbatch"] = onScript, sbatch
		files["slurm.conf"] = "ClusterName=walk\nSlurmctldHost=localhost\n"
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			return nil, err
		}
	}
	run := exec.Command(shell, "script")
	run.Dir, run.Env = dir, []string{"PATH=" + dir, "HOME=" + dir, "GOCOVERDIR=" + counters,
		"SLURM_CONF=" + dir + "/slurm.conf"}
	if out, err := run.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the shell: %w\n%s", err, out)
	}
	return covered(counters)
}

// build builds the shell with coverage, from a copy of the sources in which it ends where it would fork, unless it may
// fork. (An overlay would do, but the go command does not look there for what it measures.)
func build(dir, program string, forks bool) error {
	sources := filepath.Join(dir, "sources")
	for _, room := range []string{"ast", "backoff", "cmd", "interp", "lexer", "parser"} {
		if err := os.CopyFS(filepath.Join(sources, room), os.DirFS(room)); err != nil {
			return fmt.Errorf("%w: run this in the top folder of the repository", err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum", forkFile} {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		changed := string(text)
		if name == forkFile && !forks {
			changed = strings.Replace(changed, forkLine, forkLine+"\tos.Exit(0)\n", 1)
			if changed == string(text) {
				return errors.New(forkFile + " has no function forkExec any more: change testdata/performance/walk")
			}
		}
		if err := os.WriteFile(filepath.Join(sources, name), []byte(changed), 0o600); err != nil {
			return err
		}
	}
	build := exec.Command("go", "build", "-cover", "-coverpkg=ftsh/...", "-o", program, "./cmd/ftsh")
	build.Dir, build.Env = sources, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build the shell: %w\n%s", err, out)
	}
	return nil
}

// covered reads counters: the functions of which some statement was executed.
func covered(counters string) (list []string, err error) {
	out, err := exec.Command("go", "tool", "covdata", "func", "-i="+counters).Output()
	if err != nil {
		return nil, fmt.Errorf("go tool covdata: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) == 3 && strings.HasPrefix(fields[0], "ftsh/") && fields[2] != "0.0%" {
			list = append(list, fields[0]+" "+fields[1])
		}
	}
	return list, nil
}
