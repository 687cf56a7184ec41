package jobs

import (
	"context"
	"errors"
	"ftsh/interp/jobs/batch"
)

// dismiss ends a pilot: one that runs is told so, and cancelled only if that does not do; one that waits in the queue
// never begins.
func (p *pilots) dismiss(v *pilot, cancel context.CancelCauseFunc) {
	if isClosed(v.gone) {
		return
	}
	if p.leaves() {
		cancel(errClosed)
		<-v.gone
		return
	}
	_ = v.ticket.write(endName, nil)
	if v.ticket.isUnderWay() {
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
func (p *pilots) over(v *pilot, ran int) {
	p.mu.Lock()
	p.live--
	p.fruitless++
	if ran > 0 {
		p.fruitless = 0
	}
	hopeless := v.result.Kind == batch.Mistake || v.result.Kind == shortage || p.fruitless > repeats
	again := p.waiting > 0 && !hopeless
	p.mu.Unlock()
	switch {
	case p.open.Err() != nil:
	case again:
		p.start()
	case hopeless:
		p.refuse(v.result)
	}
}

// refuse ends the programs that wait, if there is no pilot. One may be about to wait, or be cut off.
func (p *pilots) refuse(result Result) {
	result.Message = "no pilot can run it: " + result.Message
	if result.Kind == batch.Succeeded {
		result.Kind, result.Status = batch.Lost, 1
	}
	_ = rhythm{firstPoll, firstPoll, 1}.await(p.open, p.cluster.Clock, func() (done bool) {
		select {
		case f := <-p.free:
			p.wait(-1)
			f.taken <- pickup{refused: &result}
		default:
		}
		return !p.forsaken()
	})
}

// forsaken reports whether programs wait, and there is no pilot.
func (p *pilots) forsaken() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.live == 0 && p.waiting > 0
}

// settle waits until a pilot is known to have ended that may still be running though it was cancelled; false: ctx
// ended before.
func (v *pilot) settle(ctx context.Context) bool {
	v.settling.Lock()
	defer v.settling.Unlock()
	v.settled = v.settled || v.result.unsettled == nil || v.result.unsettled(ctx)
	return v.settled
}

// errClosed is why the pilots end.
var errClosed = errors.New("the pilots are not needed any more")
