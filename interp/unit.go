package interp

import (
	"context"
	"syscall"
	"time"

	"ftsh/ast"
	"ftsh/ast/units"
	"ftsh/interp/durable"
)

// recordedCommand runs a command of a durable script: a program as a unit; a builtin only if it
// opens a file; a function so that its statements are recorded, if its redirections allow that.
func (f *frame) recordedCommand(ctx context.Context, n *ast.Command, role role) error {
	if job := f.awaitedJob(); job != nil {
		return f.jobAgain(ctx, job, []*ast.Command{n}, role)
	}
	if err, known := f.unitBefore(n.Pos); known {
		return err
	}
	c := invocation{node: n, pos: n.Pos, test: role.test}
	function := f.place.CalledFunction()
	if function == "" && f.run.durable.IsDry() {
		return f.beginsNothing(n.Pos)
	}
	if function != "" {
		c.args = []string{function}
		return f.runBlock(ctx, n.Pos, n.Redirects, func() error { return f.runInvocation(ctx, c) })
	}
	var err error
	if c.args, err = f.expandWords(n); err != nil {
		return err
	}
	run := func() error { return f.redirected(ctx, c, role) }
	runs := f.runs(c.args)
	switch {
	case runs == units.Function:
		return f.runBlock(ctx, n.Pos, n.Redirects, func() error { return f.runInvocation(ctx, c) })
	case units.OfCommand(runs, n.Redirects) == units.Anew:
		return run()
	case f.jobSite() != nil && len(c.args) > 0 && f.isProgram(c.args[0]):
		return run() // a job, which has a begin and an end of its own
	}
	reads := len(c.args) > 0 && c.args[0] == "read"
	return f.runUnit(ctx, n.Pos, reads || capturesVariables(n.Redirects), run)
}

// runs returns what the first word of a command names, for a journal: a function; a builtin that is just done again,
// all but exec, which runs a program; or a program.
func (f *frame) runs(args []string) units.Runs {
	switch {
	case len(args) == 0 || f.run.ProgramsOnly:
		return units.Program
	case f.run.functions[args[0]] != nil:
		return units.Function
	case args[0] != "exec" && (builtin(args[0]) != nil || f.run.Builtins[args[0]] != nil):
		return units.Builtin
	}
	return units.Program
}

// runUnit runs something as a unit. Its begin is on disk before it starts; if an earlier run has ended
// it, it ends so again, and if that has only begun it, it fails with kind unknown.
func (f *frame) runUnit(ctx context.Context, pos ast.Pos, captures bool, run func() error) error {
	if f.place == nil {
		return run()
	}
	if err, known := f.unitBefore(pos); known {
		return err
	}
	if ctx.Err() != nil {
		return f.cutOff(ctx, pos)
	}
	if f.place.Stops() || f.beginUnit(pos, durable.Unit{Captures: captures}) != nil {
		return f.beginsNothing(pos)
	}
	place := f.place
	f.place, f.said = nil, place.LastLine()
	var err error
	if around := f.run.around; around != nil {
		err = around(f, place, pos, run)
	} else {
		err = run()
	}
	said := f.said
	f.place, f.said = place, nil
	if !f.leavesOpen(err) {
		place.End(f, pos, f.ending(err), f.keepWritten(said.End())...)
	} else if failure := asFailure(err); failure == nil || failure.cut == nil { // else it is as good as under way
		place.Lose(pos, statusOf(err))
	}
	return err
}

// ending gives how a unit ended for the journal.
func (f *frame) ending(err error) durable.Ending {
	return durable.Ending{Value: f.run.saveEnding(err), Status: statusOf(err)}
}

// statusOf gives the status that something ended with. Leaving a function or a loop is a success.
func statusOf(err error) int {
	switch err := err.(type) {
	case *Exit:
		return err.Status
	case *Failure:
		return err.Status
	}
	return 0
}

// unitBefore returns how a unit ended for an earlier run.
func (f *frame) unitBefore(pos ast.Pos) (err error, known bool) {
	var end savedEnding
	switch past, text := f.place.Before(&end); past {
	case durable.HasEnded:
		return end.restoreError(f), true
	case durable.WasUnderWay:
		if f.place.Abandoned() {
			return f.cutOff(f.run.durable.Context(), pos), true
		}
		failure := leftUnderWay(text)
		failure.Pos, failure.open = pos, f.place.Open()
		return f.announceFailure(failure), true
	}
	return nil, false
}

// beginsNothing is the error of what does not begin since the script is suspended, or the run is dry.
func (f *frame) beginsNothing(pos ast.Pos) error {
	if f.run.durable.IsDry() {
		return &Exit{} // nothing handles it, and a branch that could go on is none that has failed
	}
	return f.cutOff(f.run.durable.Context(), pos)
}

// leftUnderWay is the failure of a unit that an earlier run has only begun.
func leftUnderWay(text string) *Failure {
	failure := newFailure(KindUnknown, ast.Pos{}, "was under way when the shell ended; whether it did its work is unknown")
	failure.Command = text
	return failure
}

// beginUnit writes that a unit begins.
func (f *frame) beginUnit(pos ast.Pos, u durable.Unit) error {
	if f.try != nil {
		u.Attempt = f.try.number
	}
	u.Item = durable.Text(f.shownItem())
	return f.place.Begin(f, pos, u)
}

// suspicion is the time within which the death of a unit by a signal and one that the shell receives may
// explain it: a shutdown sends both at about the same time.
const suspicion = time.Second

// leavesOpen reports whether a unit that came back so counts as under way, since the script is
// suspended. A success in a finally group, which had its share of the kill timeout, is one. One that a signal of a
// shutdown may have ended waits for that of the shell.
func (f *frame) leavesOpen(err error) bool {
	d := f.run.durable
	if d.Abandon {
		return false
	}
	if failure := asFailure(err); failure != nil && diesOfShutdown(failure) {
		late := make(chan struct{})
		timer := f.run.clock.AfterFunc(f.run.clock.Now()+suspicion, func() { close(late) })
		defer timer.Stop()
		select {
		case <-d.Context().Done():
		case <-late:
		}
	}
	return d.Suspending() && !(f.place.Repeats() && succeeded(err))
}

// diesOfShutdown reports whether a failure looks like that of a program which was told to end.
func diesOfShutdown(failure *Failure) bool {
	if failure.Kind != KindSignal && failure.Kind != KindExit {
		return false
	}
	switch syscall.Signal(failure.Status - 128) {
	case syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGXCPU, syscall.SIGKILL:
		return true
	}
	return false
}
