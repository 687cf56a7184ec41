package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/ast/printer"
	"ftsh/interp"
	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/world"
	"ftsh/parser"
)

// runScript reads, checks and runs what the command line names.
func runScript(o *options) int {
	source, name, args, err := loadScript(o)
	if err != nil {
		return refuseToRun(err, "")
	}
	if len(source.Text) > largeScript {
		defer debug.SetGCPercent(debug.SetGCPercent(800))
	}
	file, err := parser.Parse(source, parser.Config{Check: o.check && !o.print})
	switch {
	case err != nil:
		return reportErrors(err)
	case o.print:
		var text bytes.Buffer
		_ = printer.Print(&text, file)
		return statusOfPrint(printRaw(text.Bytes()))
	case o.check:
		return statusSuccess
	}
	return runFile(o, file, append([]string{name}, args...))
}

// largeScript is from how many bytes on a script is worth other settings of the collector while it is parsed.
// With the usual ones it would go over the growing tree again and again: 0.35 of bash's speed instead of 0.5
// (measured, 1 MB).
const largeScript = 64 << 10

// loadScript finds the text of the script, its $0 and its arguments.
func loadScript(o *options) (source *ast.Source, name string, args []string, err error) {
	switch {
	case o.text != nil:
		name, args = "ftsh", o.args
		if len(args) > 0 {
			name, args = args[0], args[1:]
		}
		return &ast.Source{Name: "-c", Text: *o.text, Typed: true}, name, args, nil
	case len(o.args) == 0 && isTerminal(0):
		return nil, "", nil, errors.New("name a script to run: there is no terminal to draw a prompt on")
	case len(o.args) == 0 || o.args[0] == "-":
		text, err := io.ReadAll(os.Stdin)
		if err != nil {
			return nil, "", nil, fmt.Errorf("cannot read standard input: %w", unwrapped(err))
		}
		return &ast.Source{Name: "stdin", Text: string(text), Typed: true}, "ftsh", o.args[min(1, len(o.args)):], nil
	}
	text, err := readScript(o.args[0])
	if err != nil {
		return nil, "", nil, fmt.Errorf("cannot read %s: %w", o.args[0], err)
	}
	return &ast.Source{Name: o.args[0], Text: text}, o.args[0], o.args[1:], nil
}

// readScript reads a file. It does without os.ReadFile, which sets up the runtime's
// poller for what may be a pipe: 60 µs (measured) that a short script does not need.
func readScript(name string) (string, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = unix.Close(fd) }()
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return "", err
	}
	text := make([]byte, 0, info.Size+512)
	for {
		n, err := unix.Read(fd, text[len(text):cap(text)])
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return string(text), err
		}
		text = slices.Grow(text[:len(text)+n], 512)
	}
}

// unwrapped is an error without the operation and path that a message says anyway.
func unwrapped(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// reportErrors shows syntax errors with the lines they are in.
func reportErrors(err error) int {
	text := err.Error()
	if list, ok := errors.AsType[diag.List](err); ok {
		text = list.Text()
	}
	sayError(text + "\n")
	return statusNotRun
}

// runFile runs a script with its name and arguments, and returns its exit status, or dies of
// the signal that ended it.
func runFile(o *options, file *ast.File, words []string) int {
	s, err := openShell(o)
	if err != nil {
		return refuseToRun(err, "")
	}
	defer s.closeShell()
	s.config.Script.Name, s.config.Script.Args = words[0], words[1:]
	if o.alone != nil && !o.dry {
		leave, status := s.stayAlone(words[0])
		if leave == nil {
			return status
		}
		defer leave()
	}
	var journaled *durableRun
	if o.journal.name != "" {
		if journaled, err = openDurable(o, s); err != nil {
			return notDurably(err, o.journal.name)
		}
		defer journaled.closeJournal()
		if status, runs := journaled.prepareRun(s.config, file); !runs {
			return status
		}
		journaled.beginRun(s, words)
	}
	end, err := s.runToEnd(file, words, journaled != nil && journaled.goesOn())
	if journaled != nil {
		journaled.endRun(err, end.Signal, s.batch.leftAlone())
	}
	if end.Signal != 0 {
		s.closeShell()
		dieOfSignal(end.Signal)
	}
	return end.Status
}

// runToEnd runs a script, as the options want it and until a signal ends it, and tells of its end. continued: it is
// durable, and goes on.
func (s *shell) runToEnd(file *ast.File, words []string, continued bool) (end event.Event, err error) {
	o, config := s.options, &s.config
	ctx, signals := newSignals(s.log, s.host)
	signals.jobs = s.batch.signalJobs
	s.local.Prepared, s.local.Kill = signals.catchSignals, signals.kill
	if o.try != nil {
		config.Mode.ProgramsOnly = true
		config.Observer = noticeRepeats(config.Observer)
	}
	if view := openView(o, continued); view != nil {
		defer view.Close()
		signals.leave, config.View = view.Close, view
		s.local.Exec = func(c *world.Command) error {
			view.Close()
			return s.becomeProgram(c)
		}
	}
	if len(o.faults) > 0 {
		s.local.Exec = nil // the program of an exec is run, and so it can fail on purpose
	}
	s.openWorld()
	counted := func() error { return nil }
	if o.dry {
		counted = s.rehearse(file)
	}
	start := s.clock.Now()
	s.log.tellShell(event.Event{Kind: event.ShellStart, Command: words})
	err = interp.New(*config).Run(ctx, file)
	unprinted := counted()
	signals.leave()
	_ = s.host.Close()
	end = event.Event{Kind: event.ShellEnd, Elapsed: s.clock.Now() - start}
	if end.Signal = syscall.Signal(signals.first.Load()); end.Signal != 0 {
		end.Status = 128 + int(end.Signal)
	} else {
		end.Status = s.log.checkFaults(exitStatus(o, err))
	}
	if unprinted != nil && err == nil && end.Signal == 0 {
		end.Status = refuseToRun(unprinted, "")
	}
	s.log.tellShell(end)
	return end, err
}

// exitStatus is the exit status of a script that ended so.
func exitStatus(o *options, err error) int {
	var exit *interp.Exit
	var failure *interp.Failure
	var suspended *durable.Suspended
	switch {
	case err == nil:
		return statusSuccess
	case errors.As(err, &suspended):
		return statusSuspended
	case errors.As(err, &exit):
		return exit.Status
	case o.try != nil && errors.As(err, &failure):
		return onceStatus(failure)
	}
	return statusFailed
}
