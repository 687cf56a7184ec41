package jobs

import (
	"context"
	"ftsh/interp/jobs/batch"
	"time"
)

// dismiss ends a pilot: one that runs is told so, and cancelled only if that does not do; one that waits in the queue
// never begins.
func (p *Pilots) dismiss(v *pilot, cancel context.CancelCauseFunc) {
	select {
	case <-v.gone:
		return
	default:
	}
	if p.leaves() {
		cancel(errClosed)
		<-v.gone
		return
	}
	_ = v.ticket.write(endName, nil)
	if held, made := v.ticket.claimed(v.ticket.generation()); made && !held.Shell {
		select {
		case <-v.gone:
			return
		case <-after(p.cluster.Clock, p.like.Patience()/2):
		}
	}
	cancel(errClosed)
	<-v.gone
}

// over sees what follows from the end of a pilot. One that could not run, as the next could not either, is not
// replaced; when the last of these has ended, so do the programs that wait.
func (p *Pilots) over(v *pilot, ran int) {
	p.mu.Lock()
	p.live--
	p.fruitless++
	if ran > 0 {
		p.fruitless = 0
	}
	hopeless := v.result.Kind == batch.Mistake || v.result.Kind == shortage || p.fruitless > repeats
	again := p.waiting > 0 && !hopeless
	p.mu.Unlock()
	select {
	case <-p.closing:
		return
	default:
	}
	switch {
	case again:
		p.start()
	case hopeless:
		p.refuse(v.result)
	}
}

// refuse ends the programs that wait, if there is no pilot. One may be about to wait, or be cut off.
func (p *Pilots) refuse(result Result) {
	result.Message = "no pilot can run it: " + result.Message
	if result.Kind == batch.Succeeded {
		result.Kind, result.Status = batch.Lost, 1
	}
	for p.forsaken() {
		select {
		case f := <-p.free:
			p.wait(-1)
			f.taken <- pickup{refused: &result}
		case <-p.closing:
			return
		case <-after(p.cluster.Clock, firstPoll):
		}
	}
}

// forsaken reports whether programs wait, and there is no pilot.
func (p *Pilots) forsaken() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.live == 0 && p.waiting > 0
}

// crashed deals with a program whose pilot has ended without saying how the program did.
func (r *running) crashed() finding {
	select {
	case <-r.pilot.gone:
	default:
		return r.abandoned()
	}
	if r.elsewhere() {
		return finding{}
	}
	if r.over == 0 {
		r.over = r.clock().Now()
	}
	if _, claimed := r.ticket.claimed(r.generation); claimed && r.pilot.result.Kind == batch.Succeeded &&
		r.clock().Now()-r.over < r.cluster.Grace {
		return finding{} // the status may come to be seen
	}
	why := "its pilot has ended"
	if r.pilot.result.Message != "" {
		why += ": " + r.pilot.result.Message
	}
	lost := r.lost(why)
	lost.Number, lost.Node = r.pilot.result.Number, r.pilot.result.Node
	return r.claimForShell(lost)
}

// abandoned sees whether somebody has cancelled a program that its pilot had not begun, which passes it over then.
func (r *running) abandoned() finding {
	if r.clock().Now()-r.submitted < time.Second { // most have ended by then: requests to a file server are spared
		return finding{}
	}
	if r.elsewhere() {
		return finding{}
	}
	if result, cancelled := r.cancelledBefore(); cancelled {
		return endedAs(result)
	}
	return finding{}
}

// settle waits until a pilot is known to have ended that may still be running though it was cancelled; false: ctx
// ended before.
func (v *pilot) settle(ctx context.Context) bool {
	v.settling.Lock()
	defer v.settling.Unlock()
	v.settled = v.settled || v.result.Unsettled == nil || v.result.Unsettled(ctx)
	return v.settled
}

// closed is why the pilots end.
type closed struct{}

func (closed) Error() string { return "the pilots are not needed any more" }

var errClosed = closed{}
