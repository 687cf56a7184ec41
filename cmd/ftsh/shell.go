package main

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/interp"
	"ftsh/interp/inject"
	"ftsh/interp/jobs"
	"ftsh/interp/local"
	"ftsh/interp/process"
	"ftsh/interp/process/clock"
	"ftsh/interp/process/procfs"
	"ftsh/interp/world"
)

// shell holds what a script and the prompt need to run programs and to log.
type shell struct {
	options *options
	log     *log
	clock   *clock.Clock
	host    *process.Host
	engine  *machine
	local   local.Config  // what the world of both is made of
	config  interp.Config // what both run with
	running running       // of a durable script
	journal string        // likewise: its file
	alone   int           // the descriptor that holds the lock of --alone; 0: there is none
	batch   *batchEngines
}

// openShell sets a shell up.
func openShell(o *options) (*shell, error) {
	log, err := openLog(o)
	if err == nil && o.trace != "" {
		err = log.followTrace(o)
	}
	if err != nil {
		return nil, err
	}
	s := &shell{options: o, log: log, clock: clock.New(), engine: &machine{}}
	policy, err := backoff.FromEnvironment(os.LookupEnv)
	if err == nil {
		cfg := process.Config{
			Clock: s.clock, KillTimeout: o.killTimeout, Weak: o.weak, Whole: true, Sessions: !hasTerminal(),
			Guardian: !o.noGuardian,
			Marker:   os.Getenv("FTSH_COMMAND"), Reaped: o.reaped,
			Under: func(number uint64, begins bool) {
				s.engine.countProgram(begins)
				if o.journal.name != "" {
					s.running.noteCommand(number, begins)
				}
			},
		}
		if log.observer != nil {
			cfg.Observe = log.noticeProcess
		}
		s.host, err = process.Open(cfg)
	}
	if err != nil {
		s.closeShell()
		return nil, err
	}
	s.engine.Host = s.host
	parent := os.Getenv("FTSH_PARENT")
	nested := parent != "" && procfs.IsAncestor(parent)
	s.local = local.Config{
		Programs: s.engine, Clock: s.clock, Exec: s.becomeProgram,
		Self:      sync.OnceValue(func() string { return procfs.Identity(os.Getpid()) }),
		Keep:      s.host.Hold,
		AwaitSlot: awaitSlot,
		SetUmask:  func(mask int) { unix.Umask(mask) },
	}
	s.config = interp.Config{
		Observer: log.observer, Secrets: &secrets, Seed: o.seed, Backoff: policy, KillTimeout: o.killTimeout,
		Script: interp.Script{Environ: environment(o, nested), Files: inheritedFiles()},
		Mode:   interp.Mode{Lenient: o.lenient},
	}
	s.batch = &batchEngines{shell: s}
	s.local.Jobs = jobs.Clusters(s.batch.openEngine)
	s.openWorld()
	if nested {
		s.config.Script.Deadline = inheritedDeadline(s.clock)
	}
	return s, nil
}

// openWorld makes the world in which scripts run: this machine, behind what the options put around it.
func (s *shell) openWorld() {
	var w world.World = local.New(s.local)
	if len(s.options.faults) > 0 {
		s.log.faults = inject.New(inject.Config{World: w, Rules: s.options.faults, Seed: s.options.seed,
			Observe: s.log.tellShell})
		w = s.log.faults
	}
	if s.log.trace != nil {
		w = &traced{World: w, trace: s.log.trace} // programs are told of their spans
	}
	s.config.World = w
}

// closeShell ends what belongs to the shell but the host of its programs; it may be called again.
func (s *shell) closeShell() {
	s.clock.Close()
	s.log.closeLogs()
}

// becomeProgram makes the shell another program; it returns only if that fails.
func (s *shell) becomeProgram(c *world.Command) error {
	s.log.leaveTrace(c)
	s.keepAlone(true)
	defer s.keepAlone(false)
	return replaceProcess(s.host, c)
}

// openTerminal opens the terminal that is attached to this process, if one is.
func openTerminal() (fd int, err error) {
	return unix.Open("/dev/tty", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
}

// hasTerminal reports whether a terminal is attached to this process.
func hasTerminal() bool {
	fd, err := openTerminal()
	if err != nil {
		return false
	}
	_ = unix.Close(fd)
	return true
}

// inForeground reports whether the terminal is that of this process group.
func inForeground() bool {
	fd, err := openTerminal()
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(fd) }()
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	return err == nil
}
