package main

import (
	"sync"
	"sync/atomic"

	"ftsh/interp/event"
	"ftsh/interp/inject"
	"ftsh/interp/process"
)

// log takes the shell's reports of what happens. A signal may come while it is being closed.
type log struct {
	closing  sync.RWMutex
	output   *event.Output
	observer event.Observer
	screen   *event.Output // standard error, where what matters most goes, too; nil: the log is there
	onScreen *event.Log    // to it
	told     atomic.Bool   // that the log file has lost something
	file     string        // of the log
	weak     bool          // of the options
	named    sync.Map      // what is left behind is named once: every later failure finds it again
	trace    *trace        // nil: no spans are made
	faults   *inject.World // nil: no program fails on purpose
}

// openLog opens what the options name.
func openLog(o *options) (*log, error) {
	l := &log{weak: o.weak}
	if o.logLevel == event.Nothing {
		return l, nil
	}
	if o.logFile == "" {
		l.output = event.OutputTo(2)
	} else {
		output, err := event.OpenOutput(o.logFile)
		if err != nil {
			return nil, err
		}
		l.output = output
	}
	l.observer = event.NewLog(l.output, event.Config{Level: o.logLevel, JSON: o.logJSON, Decimal: o.logDecimal})
	if o.logFile != "" && !l.output.IsFile(2) {
		l.screen = event.OutputTo(2)
		l.onScreen = event.NewLog(l.screen, event.Config{Level: event.Summary, Decimal: o.logDecimal})
		l.observer, l.file = both{l.observer, l.onScreen}, o.logFile
	}
	return l, nil
}

// flushLog writes what the log holds back, before the process ends without closing it.
func (l *log) flushLog() {
	l.closing.RLock()
	defer l.closing.RUnlock()
	if l.output != nil {
		l.output.Flush()
	}
	if l.screen != nil {
		l.tellLost()
		l.screen.Flush()
	}
}

// tellLost says on standard error what the log file has lost for good.
func (l *log) tellLost() {
	if lost, why := l.output.Lost(); lost > 0 && !l.told.Swap(true) {
		l.onScreen.Observe(secrets.Event(event.Event{Kind: event.LogLost, Count: lost, Message: l.file + ": " + why.Error()}))
	}
}

// closeLogs ends trace and log.
func (l *log) closeLogs() {
	if l.trace != nil {
		l.endTrace()
	}
	l.flushLog()
	l.closing.Lock()
	defer l.closing.Unlock()
	for _, output := range []*event.Output{l.output, l.screen} {
		if output != nil {
			_ = output.Close() // what it has lost was told
		}
	}
	l.output, l.screen, l.onScreen, l.observer = nil, nil, nil, nil
}

// tellShell logs an event of the shell as a whole.
func (l *log) tellShell(e event.Event) {
	l.closing.RLock()
	defer l.closing.RUnlock()
	if l.observer != nil && l.observer.Enabled(e.Level()) {
		l.observer.Observe(secrets.Event(e))
	}
}

// noticeProcess logs what happens to processes. What outlives SIGKILL is left behind in weak mode only.
func (l *log) noticeProcess(n process.Notice) {
	e := event.Event{Kind: processKinds[n.Happening], PID: n.PID, Message: n.Command, Signal: n.Signal}
	switch n.Happening {
	case process.Started:
		e.Command = []string{n.Command}
	case process.Ended:
		e.Status, e.Signal, e.Core = n.Status.Code, n.Status.Signal, n.Status.Core
		if n.Status.Signal != 0 {
			e.Status = 128 + int(n.Status.Signal)
		}
	case process.Survivor:
		if l.weak {
			e.Kind = event.ProcessSurvivor
		}
	}
	if e.Kind.Level() <= event.Summary {
		if _, told := l.named.LoadOrStore(leftover{e.Kind, e.PID}, true); told {
			return
		}
	}
	l.tellShell(e)
}

// processKinds are the events of what happens to processes.
var processKinds = [...]event.Kind{
	process.Started: event.ProcessStart, process.Ended: event.ProcessEnd, process.Signalled: event.ProcessSignal,
	process.OutOfReach: event.ProcessForeign, process.Survivor: event.ProcessStuck, process.Unowned: event.ProcessStray,
	process.Blind: event.ProcessBlind, process.Unguarded: event.ProcessAlone,
}

// leftover is a process in the state that a kind of event tells of.
type leftover struct {
	kind event.Kind
	pid  int
}
