package interp

import (
	"context"
	"time"

	"ftsh/ast"
	"ftsh/interp/durable"
)

// runUnit runs something as a unit. Its begin is on disk before it starts; if an earlier run has ended
// it, it ends so again, and if that has only begun it, it fails with kind unknown. Within it nothing is recorded.
func (f *frame) runUnit(ctx context.Context, pos ast.Pos, captures bool, run func(*frame) error) error {
	if f.place == nil {
		return run(f)
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
	inner := f.inside()
	inner.place, inner.said = nil, f.place.LastLine()
	var err error
	if around := f.run.around; around != nil {
		err = around(inner, f.place, pos, func() error { return run(inner) })
	} else {
		err = run(inner)
	}
	if !f.leavesOpen(err) {
		f.place.End(f, pos, f.ending(err), f.keepWritten(inner.said.End())...)
	} else if failure := asFailure(err); failure == nil || failure.cut == nil { // else it is as good as under way
		f.place.Lose(pos, statusOf(err))
	}
	return err
}

// ending gives how a unit ended for the journal.
func (f *frame) ending(err error) durable.Ending {
	return durable.Ending{Value: f.run.saveEnding(err), Status: statusOf(err)}
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

// runRecorded runs a script with its journal.
func (r *Runner) runRecorded(f *frame, file *ast.File, run func(*frame) error) error {
	d := r.durable
	top, leave, err := d.Begin(f, func() { f.beginKept("", false) }, f.io.files[:], r.Script.PID, r.Script.Args)
	defer leave()
	f = f.at(top)
	if err == nil && !d.IsDry() && d.Continued() {
		err = f.startOver(d.Context(), &file.Body, top)
	} else if err != nil {
		return err
	}
	if err == nil {
		err = run(f)
	}
	return d.End(top, f, file, func() any { return r.saveEnding(err) }, err)
}

// Finished gives what a finished journal says of how the script ended; false: it has not.
// The error is nil, a *[Failure] or an *[Exit].
func Finished(image *durable.Image) (err error, finished bool) {
	var e savedEnding
	finished = durable.Result(image, &e)
	return e.restoreError(nil), finished
}
