package repl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"ftsh/interp/event"
)

// The builtins for what is stopped.

// runForeground is the builtin that goes on with a statement that was stopped.
func (s *shell) runForeground(ctx context.Context, _ int, args []string) error {
	st, err := s.findStopped(args)
	if err != nil {
		return err
	}
	s.printMessage(event.Visible(st.text))
	_ = unix.IoctlSetTermios(s.In, unix.TCSETSW, &st.modes)
	st.job.Continue()
	over, err := s.awaitStatement(st, ctx.Done(), s.Runner.World.Killed())
	if !over {
		s.setAside(st)
		return nil
	}
	s.forgetStopped(st)
	s.settleModes(err)
	if s.wasCancelled(st) {
		s.cancelStatement(s.current, syscall.SIGTERM)
	}
	return err
}

func (s *shell) findStopped(args []string) (*statement, error) {
	switch {
	case len(args) > 1:
		return nil, errors.New("usage: fg [NUMBER]")
	case len(s.aside) == 0:
		return nil, errors.New("nothing is stopped")
	case len(args) == 0:
		return s.aside[len(s.aside)-1], nil
	}
	number := strings.TrimPrefix(args[0], "%") // as in other shells
	at := slices.IndexFunc(s.aside, func(st *statement) bool { return strconv.Itoa(st.number) == number })
	if at < 0 {
		return nil, fmt.Errorf("no stopped statement has the number %s; jobs lists them", number)
	}
	return s.aside[at], nil
}

// namesStopped reports whether a word of a command names a stopped statement, as %1 does, and no process.
func namesStopped(word string) bool { return strings.HasPrefix(word, "%") }

// killStopped is the builtin that ends statements that were stopped, and waits until they are gone.
func (s *shell) killStopped(ctx context.Context, _ int, args []string) error {
	atOnce, numbers, err := readSignal(args)
	if err != nil {
		return err
	}
	var all []*statement
	for _, number := range numbers {
		if !namesStopped(number) {
			return fmt.Errorf("%s is no stopped statement, as %%1 is; end processes by a kill of their own", number)
		}
		st, err := s.findStopped([]string{number})
		if err != nil {
			return err
		}
		all = append(all, st)
	}
	for _, st := range all {
		s.stopStatement(st, syscall.SIGTERM)
		if atOnce {
			s.stopStatement(st, syscall.SIGTERM)
		}
	}
	for _, st := range all {
		for over := false; !over; { // it may stop again meanwhile, by reading from the terminal
			over, _ = s.awaitStatement(st, ctx.Done(), s.Runner.World.Killed())
		}
		s.forgetStopped(st)
		s.printMessage(s.inStyle("ended: "+oneLine(st.text), styleFaint))
	}
	return nil
}

// readSignal reads the options of kill, as far as they mean something for a statement. What is not killed at once is
// cancelled: its programs get SIGTERM, whatever the signal.
func readSignal(args []string) (atOnce bool, rest []string, err error) {
	name, isOption := strings.CutPrefix(args[0], "-")
	rest = args[1:]
	switch {
	case !isOption:
		return false, args, nil
	case name == "s" && len(rest) > 0:
		name, rest = rest[0], rest[1:]
	}
	switch strings.TrimPrefix(name, "SIG") {
	case "TERM", "15", "INT", "2", "HUP", "1":
		return false, rest, nil
	case "KILL", "9":
		return true, rest, nil
	}
	const refusal = "a stopped statement cannot get the signal %s, only be ended, or by -9 be ended at once"
	return false, nil, fmt.Errorf(refusal, name)
}

func (s *shell) forgetStopped(st *statement) {
	s.aside = slices.DeleteFunc(slices.Clone(s.aside), func(other *statement) bool { return other == st })
}

// listStopped is the builtin that lists what is stopped.
func (s *shell) listStopped(_ context.Context, stdout int, args []string) error {
	if len(args) > 0 {
		return errors.New("usage: jobs")
	}
	var list strings.Builder
	for _, st := range s.aside {
		fmt.Fprintf(&list, "%d  stopped  %s\n", st.number, oneLine(st.text))
	}
	return writeAll(stdout, list.String())
}

// stoppedOnes are the numbers of what is stopped, for fg.
func (s *shell) stoppedOnes(w word) (found []candidate) {
	for _, st := range s.aside {
		number := strconv.Itoa(st.number)
		if strings.HasPrefix(w.value, "%") {
			number = "%" + number
		}
		if strings.HasPrefix(number, w.value) {
			found = append(found, candidate{text: number, shown: number, whole: true, about: oneLine(st.text)})
		}
	}
	return found
}
