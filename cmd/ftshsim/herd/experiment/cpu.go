package experiment

import (
	"slices"
	"time"

	"ftsh/cmd/ftshsim/herd"
)

// processor is one that all processes share evenly: with n of them each runs
// at an nth of the speed. Work is measured in time on an idle processor.
type processor struct {
	sim  *herd.Sim
	what uint32 // events with this What are the processor's
	done func(task)
	runs []task        // ordered by end
	virt time.Duration // the work that each process has had since the beginning
	last time.Duration // when that was reckoned
	turn uint32        // of the event that counts
}

// task is work for the processor.
type task struct {
	event herd.Event
	end   time.Duration // on the virtual scale
}

// beginWork adds work; e happens when it is done.
func (p *processor) beginWork(work time.Duration, e herd.Event) {
	p.bringUpToNow()
	t := task{e, p.virt + work}
	i, _ := slices.BinarySearchFunc(p.runs, t, func(a, b task) int {
		if a.end > b.end {
			return 1
		}
		return -1
	})
	p.runs = slices.Insert(p.runs, i, t)
	p.planNextEnd()
}

// killTasks ends the tasks of that event.
func (p *processor) killTasks(e herd.Event) {
	p.bringUpToNow()
	p.runs = slices.DeleteFunc(p.runs, func(t task) bool { return t.event == e })
	p.planNextEnd()
}

// bringUpToNow brings the virtual scale up to now.
func (p *processor) bringUpToNow() {
	now := p.sim.Now()
	if n := time.Duration(len(p.runs)); n > 0 {
		p.virt += (now - p.last) / n
	}
	p.last = now
}

// planNextEnd sets the event for the task that ends first.
func (p *processor) planNextEnd() {
	p.turn++
	if len(p.runs) > 0 {
		left := max(p.runs[0].end-p.virt, 0) * time.Duration(len(p.runs))
		p.sim.After(left+time.Duration(len(p.runs)), herd.Event{Who: p.turn, What: p.what})
	}
}

// takeEvent is called with the events of the processor.
func (p *processor) takeEvent(e herd.Event) {
	if e.Who != p.turn {
		return
	}
	p.bringUpToNow()
	first := p.runs[0]
	p.runs = slices.Delete(p.runs, 0, 1)
	p.planNextEnd()
	p.done(first)
}
