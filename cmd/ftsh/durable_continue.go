package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"ftsh/interp"
)

// goOn goes on with the journals that are named, or with all that were interrupted: with one in the
// place of this process, with several each in a shell of its own.
func goOn(o *options) int {
	paths, err := journalPaths(o.args)
	if err != nil {
		return refuseToRun(err, "")
	}
	var list []goingOn
	status := statusSuccess
	for _, path := range paths {
		g, wanted, err := o.findGoingOn(path, len(o.args) > 0)
		if err != nil {
			status = refuseToRun(err, "ftsh --journals lists those that there are")
		}
		if wanted {
			list = append(list, g)
		}
	}
	if len(list) == 1 && status == statusSuccess {
		return refuseToRun(list[0].execShell(), "")
	}
	return max(status, runTogether(list))
}

// goingOn is a journal with which a shell goes on.
type goingOn struct {
	path  string
	begun begunWith
	words []string
}

// findGoingOn looks at a journal; wanted is false if there is nothing to go on with.
func (o *options) findGoingOn(path string, named bool) (g goingOn, wanted bool, err error) {
	image, err := readJournal(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return g, false, fmt.Errorf("there is no journal %s", journalName(path))
	case err != nil && !o.journal.restart:
		return g, false, err
	case image == nil:
		return g, false, fmt.Errorf("%w; what script it is of cannot be read: ftsh --restart --journal %s SCRIPT",
			err, quoteWord(journalName(path)))
	}
	begun, found := readBegun(image)
	_, finished := interp.Finished(image)
	pid, busy := runnerOf(path, image)
	switch {
	case !named && (!found || finished || busy && pid != 0): // of a dead shell the rest is waited for
		return g, false, nil
	case !found:
		return g, false, fmt.Errorf("the journal %s was not begun: ftsh --journal %[1]s SCRIPT", journalName(path))
	}
	return goingOn{path, begun, begun.commandLine(path, o.journal.given)}, true, nil
}

// ownProgram is the file of this shell.
func ownProgram() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("cannot find the shell's own program: %w", err)
	}
	return path, nil
}

// execShell makes this process the shell that goes on. It returns only if that fails.
func (g goingOn) execShell() error {
	path, err := ownProgram()
	if err != nil {
		return err
	}
	if g.begun.inPlace() {
		if err := os.Chdir(string(g.begun.Dir)); err != nil {
			return fmt.Errorf("cannot enter the directory of the script: %w", err)
		}
	}
	return fmt.Errorf("cannot start %s: %w", path, unix.Exec(path, g.words, os.Environ()))
}

// runTogether runs a shell for each journal, hands on to them what signals come, and returns the
// highest of their exit statuses, or dies of the signal that ended them.
func runTogether(list []goingOn) int {
	came := make(chan os.Signal, 8)
	notifyShell(came)
	var shells []*os.Process
	status := statusSuccess
	for _, g := range list {
		shell, err := g.startShell()
		if err != nil {
			status = refuseToRun(err, "")
			continue
		}
		shells = append(shells, shell)
	}
	statuses := make(chan int)
	var waiting sync.WaitGroup
	for _, shell := range shells {
		waiting.Go(func() { statuses <- waitForShell(shell) })
	}
	var last syscall.Signal
	for running := len(shells); running > 0; {
		select {
		case one := <-statuses:
			status = max(status, one)
			running--
		case sig := <-came:
			if number, ok := sig.(syscall.Signal); ok && number != syscall.SIGUSR1 && number != syscall.SIGUSR2 {
				last = number
			}
			for _, shell := range shells {
				_ = shell.Signal(sig)
			}
		}
	}
	waiting.Wait()
	if last != 0 && status == 128+int(last) {
		signal.Stop(came)
		dieOfSignal(last)
	}
	return status
}

func (g goingOn) startShell() (*os.Process, error) {
	path, err := ownProgram()
	if err != nil {
		return nil, err
	}
	attr := &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}}
	if g.begun.inPlace() {
		attr.Dir = string(g.begun.Dir)
	}
	shell, err := os.StartProcess(path, g.words, attr)
	if err != nil {
		return nil, fmt.Errorf("cannot go on with the journal %s: %w", journalName(g.path), err)
	}
	return shell, nil
}

// waitForShell waits for a shell, and gives its exit status, or 128 and the signal that it died of.
func waitForShell(shell *os.Process) int {
	state, err := shell.Wait()
	if err != nil {
		return statusFailed
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
