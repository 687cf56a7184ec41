package jobs

import (
	"context"
	"time"

	"ftsh/interp/jobs/batch"
)

// piloted is a submission to a pilot.
type piloted struct {
	*running
	pilots   *pilots
	pilot    *pilot    // that runs it, or is to; nil: none has it yet
	handover *handover // to it
}

// handover is of a program that is to be run by a pilot.
type handover struct {
	*piloted
	taken    chan pickup // has room for one
	finished chan struct{}
}

// A pickup tells what came of a handover: a pilot, or why there can be none; neither where the pilot has just ended.
type pickup struct {
	pilot   *pilot
	refused *Result
}

// submit implements carrier: it waits for a pilot that takes the program.
func (p *piloted) submit(ctx context.Context) (refused *Result, err error) {
	if p.generation == p.sought && p.findPilot() {
		return nil, context.Cause(ctx)
	}
	p.release()
	for {
		f := &handover{piloted: p, taken: make(chan pickup, 1), finished: make(chan struct{})}
		p.pilots.wait(1)
		p.pilots.start()
		if !p.offer(ctx, f) {
			p.pilots.wait(-1)
			return nil, context.Cause(ctx)
		}
		b := <-f.taken
		if b.refused != nil {
			return b.refused, nil
		}
		if b.pilot != nil {
			p.handover, p.pilot, p.submitted = f, b.pilot, p.clock().Now()
			return nil, context.Cause(ctx)
		}
	}
}

// offer waits until a pilot takes a program; false: ctx has ended, or a pilot has the program from an earlier shell.
func (p *piloted) offer(ctx context.Context, f *handover) bool {
	for {
		select {
		case p.pilots.free <- f:
			return true
		case <-p.mayBeTaken():
			if p.findPilot() {
				return false
			}
		case <-ctx.Done():
			return false
		}
	}
}

// release implements carrier: the pilot may take another program.
func (p *piloted) release() {
	if p.handover != nil {
		close(p.handover.finished)
		p.handover = nil
	}
}

// explains implements carrier: nobody knows more of a program.
func (p *piloted) explains() (known bool) { return true }

// withdraw implements carrier: pilots pass over what they may not begin.
func (p *piloted) withdraw() (done bool) { return true }

// doomed implements carrier. It may be another pilot that has the program than was thought.
func (p *piloted) doomed() *doomed {
	p.findPilot()
	d := p.cluster.doom(p.ticket, p.job.Patience())
	d.pilot = p.pilot
	return d
}

// judge implements carrier: a pilot may have ended without saying how the program did.
func (p *piloted) judge() finding {
	select {
	case <-p.pilot.gone:
	default:
		return p.abandoned()
	}
	if p.elsewhere() {
		return finding{}
	}
	if p.over == 0 {
		p.over = p.clock().Now()
	}
	_, claimed := p.ticket.claimed(p.generation)
	if claimed && p.pilot.result.Kind == batch.Succeeded &&
		p.clock().Now()-p.over < p.cluster.grace {
		return finding{} // the status may come to be seen
	}
	why := "its pilot has ended"
	if p.pilot.result.Message != "" {
		why += ": " + p.pilot.result.Message
	}
	lost := p.lost(why)
	lost.Number, lost.Node = p.pilot.result.Number, p.pilot.result.Node
	if claimed && p.pilot.result.vanished {
		return p.endVanished(lost)
	}
	return p.claimForShell(lost)
}

// abandoned sees whether somebody has cancelled a program that its pilot had not begun, which passes it over then.
func (p *piloted) abandoned() finding {
	if p.clock().Now()-p.submitted < time.Second { // most have ended by then: requests to a file server are spared
		return finding{}
	}
	if p.elsewhere() {
		return finding{}
	}
	if result, cancelled := p.cancelledBefore(); cancelled {
		return endedAs(result)
	}
	return finding{}
}

// findPilot finds the pilot that has claimed the program; false: none has. It may be one that an earlier shell gave
// it to.
func (p *piloted) findPilot() bool {
	held, made := p.ticket.claimed(p.generation)
	if !made || held.Pilot == "" {
		return false
	}
	if p.pilot == nil || p.pilot.ticket.name != held.Pilot {
		p.release()
		p.pilot, p.number = p.pilots.adopt(held.Pilot), held.Number
		p.submitted, p.over = p.clock().Now(), 0
	}
	return true
}

// mayBeTaken is closed when it is time to look whether a pilot has taken a program that an earlier shell may have
// given it; nil if none can have.
func (p *piloted) mayBeTaken() <-chan struct{} {
	if p.generation != p.sought {
		return nil
	}
	waiting := p.pilots.wait(0)
	return after(p.clock(), max(longestLook, time.Duration(waiting)*lookShare))
}

// elsewhere sees whether another pilot has the program than was thought.
func (p *piloted) elsewhere() bool {
	before := p.pilot
	return p.findPilot() && p.pilot != before
}
