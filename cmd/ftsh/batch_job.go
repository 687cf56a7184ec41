package main

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp"
	"ftsh/interp/engine"
	slurmengine "ftsh/interp/engine/slurm"
	"ftsh/parser"
)

// runJob is what a job of a batch system does: it claims its folder, runs what the shell has put
// there as a script of one command, and writes how it ended. A job with nothing to do has succeeded.
func runJob(args []string) int {
	assignment, err := engine.Begin(args, slurmengine.New(slurmengine.Config{}))
	if errors.Is(err, engine.ErrNotMine) {
		return statusSuccess
	}
	if err != nil {
		return complain(err, "")
	}
	ending := perform(assignment)
	if err := assignment.End(ending); err != nil {
		return complain(err, "")
	}
	return ending.Status
}

// perform runs the programs of a job.
func perform(a *engine.Assignment) engine.Ending {
	file, err := parser.Parse(&ast.Source{Name: "job", Text: a.Script}, parser.Config{})
	if err != nil {
		return engine.Ending{Kind: string(interp.KindError), Status: statusFailed, Message: err.Error()}
	}
	s, err := openShell(&options{killTimeout: defaultKillTimeout, progress: "never"})
	if err != nil {
		return engine.Ending{Kind: string(interp.KindSystem), Status: statusFailed, Message: err.Error()}
	}
	defer s.close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return engine.Ending{Kind: string(interp.KindSystem), Status: statusFailed, Message: err.Error()}
	}
	defer null.Close()
	ctx, signals := newSignals(s.log, s.host)
	signals.catch()
	unix.Umask(a.Umask)
	config := s.config
	config.Name, config.Args, config.Kill, config.ProgramsOnly = a.Folder(), a.Words, signals.kill, true
	config.Environ, config.Dir, config.Jobs = a.Environ, a.Dir, nil
	config.Files = []int{int(null.Fd()), int(a.Stdout.Fd()), int(a.Stderr.Fd())}
	ending := endingOf(interp.New(config).Run(ctx, file))
	_ = s.host.Close()
	ending.Signal = int(signals.first.Load())
	if ending.Signal != 0 {
		ending.Message = context.Cause(ctx).Error()
	}
	return ending
}

// endingOf says how the programs ended.
func endingOf(err error) engine.Ending {
	var failure *interp.Failure
	if !errors.As(err, &failure) {
		return engine.Ending{}
	}
	return engine.Ending{
		Kind: string(failure.Kind), Status: failure.Status, Message: failure.Message, Command: failure.Command}
}
