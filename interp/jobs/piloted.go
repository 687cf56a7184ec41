package jobs

import (
	"context"
	"time"

	"ftsh/interp/jobs/batch"
)

// piloted is a submission to a pilot.
type piloted struct {
	r        *running
	pilots   *pilots
	pilot    *pilot    // that runs it, or is to; nil: none has it yet
	handover *handover // to it
}

// handover is of a program that is to be run by a pilot.
type handover struct {
	of       *running
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
	if p.r.current.generation == p.r.sought && p.findPilot() {
		return nil, context.Cause(ctx)
	}
	p.release()
	for {
		f := &handover{of: p.r, taken: make(chan pickup, 1), finished: make(chan struct{})}
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
			p.handover, p.pilot, p.r.current.submitted = f, b.pilot, p.r.clock().Now()
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
	d := p.r.cluster.doom(p.r.ticket, p.r.job.Asked.Patience())
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
	if p.r.current.over == 0 {
		p.r.current.over = p.r.clock().Now()
	}
	_, claimed := p.r.ticket.claimed(p.r.current.generation)
	if claimed && p.pilot.result.Kind == batch.Succeeded &&
		p.r.clock().Now()-p.r.current.over < p.r.cluster.grace {
		return finding{} // the status may come to be seen
	}
	why := "its pilot has ended"
	if p.pilot.result.Message != "" {
		why += ": " + p.pilot.result.Message
	}
	lost := p.r.lost(why)
	lost.Number, lost.Node = p.pilot.result.Number, p.pilot.result.Node
	if claimed && p.pilot.result.vanished {
		return p.r.endVanished(lost)
	}
	return p.r.claimForShell(lost)
}

// abandoned reports whether a program was cancelled before its pilot began it. The pilot then passes it over.
func (p *piloted) abandoned() finding {
	// Most have ended within a second: requests to a file server are spared.
	if p.r.clock().Now()-p.r.current.submitted < time.Second {
		return finding{}
	}
	if p.elsewhere() {
		return finding{}
	}
	if result, cancelled := p.r.cancelledBefore(); cancelled {
		return endedAs(result)
	}
	return finding{}
}

// findPilot finds the pilot that has claimed the program; false: none has. It may be one that an earlier shell gave
// it to.
func (p *piloted) findPilot() bool {
	held, made := p.r.ticket.claimed(p.r.current.generation)
	if !made || held.Pilot == "" {
		return false
	}
	if p.pilot == nil || p.pilot.ticket.name != held.Pilot {
		p.release()
		p.pilot, p.r.current.number = p.pilots.adopt(held.Pilot), held.Number
		p.r.current.submitted, p.r.current.over = p.r.clock().Now(), 0
	}
	return true
}

// mayBeTaken is closed when it is time to look whether a pilot has taken a program that an earlier shell may have
// given it; nil if none can have.
func (p *piloted) mayBeTaken() <-chan struct{} {
	if p.r.current.generation != p.r.sought {
		return nil
	}
	waiting := p.pilots.wait(0)
	return after(p.r.clock(), max(longestLook, time.Duration(waiting)*lookShare))
}

// elsewhere reports whether another pilot has the program than the one that took it.
func (p *piloted) elsewhere() bool {
	before := p.pilot
	return p.findPilot() && p.pilot != before
}
