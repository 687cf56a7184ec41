package experiment

import (
	"slices"
	"sort"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
)

// machine is a simulation of processes, each a coroutine, which share a processor.
type machine struct {
	*herd.Sim
	cpu        processor
	discipline discipline // of the clients among the processes
	collisions int        // attempts of theirs that failed
	deferrals  int        // that were not made since a probe failed
}

func newMachine(d discipline, seed uint64) machine {
	sim := herd.New(seed)
	return machine{Sim: sim, cpu: processor{sim: sim}, discipline: d}
}

// process is one of them.
type process struct {
	*herd.Process
	on *machine
}

// start runs a process until it waits.
func (m *machine) start(body func(p *process)) {
	m.Go(func(p *herd.Process) { body(&process{p, m}) })
}

// compute does some work.
func (p *process) compute(work time.Duration) {
	p.on.cpu.begin(work, func() { p.Resume(true) })
	p.Wait()
}

// try does one piece of work after the other, with a pause before each, and counts them.
func (p *process) try(plan backoff.Plan, pause time.Duration, done *int, attempt func() bool) {
	for ; ; *done++ {
		if pause > 0 {
			p.Sleep(pause)
		}
		loop := backoff.NewLoop(plan, p.on.Dice())
		for {
			if loop.Begin(p.on.Now()) != "" {
				return
			}
			if attempt() {
				break
			}
			at, stop := loop.Failed(p.on.Now(), 0)
			if stop != "" {
				return
			}
			p.SleepUntil(at)
		}
	}
}

// senses reports whether a client may do its work: ethernet's only where a probe finds that there is enough.
func (p *process) senses(probe time.Duration, enough func() bool) bool {
	if p.on.discipline != ethernet {
		return true
	}
	p.compute(probe)
	if enough() {
		return true
	}
	p.on.deferrals++
	return false
}

// processor is one that all processes share evenly: with n of them each runs at an nth of the speed. Work is measured
// in time on an idle processor.
type processor struct {
	sim  *herd.Sim
	runs []*task       // ordered by end
	virt time.Duration // the work that each process has had since the beginning
	last time.Duration // when that was reckoned
	turn int           // of the event that counts
}

// task is work for the processor.
type task struct {
	end  time.Duration // on the virtual scale
	done func()
}

// begin adds work; done is called at its end.
func (p *processor) begin(work time.Duration, done func()) *task {
	p.catchUp()
	t := &task{p.virt + work, done}
	p.runs = slices.Insert(p.runs, sort.Search(len(p.runs), func(i int) bool { return p.runs[i].end > t.end }), t)
	p.planNextEnd()
	return t
}

// kill ends a task.
func (p *processor) kill(killed *task) {
	p.catchUp()
	p.runs = slices.DeleteFunc(p.runs, func(t *task) bool { return t == killed })
	p.planNextEnd()
}

// catchUp brings the virtual scale up to now.
func (p *processor) catchUp() {
	now := p.sim.Now()
	if n := time.Duration(len(p.runs)); n > 0 {
		p.virt += (now - p.last) / n
	}
	p.last = now
}

// planNextEnd sets the event for the task that ends first.
func (p *processor) planNextEnd() {
	p.turn++
	if len(p.runs) == 0 {
		return
	}
	turn, n := p.turn, time.Duration(len(p.runs))
	p.sim.AfterFunc(p.sim.Now()+max(p.runs[0].end-p.virt, 0)*n+n, func() {
		if turn == p.turn {
			first := p.runs[0]
			p.kill(first)
			first.done()
		}
	})
}

// discipline says how a client of Thain and Livny's experiments deals with failure.
type discipline int

const (
	fixed    discipline = iota // it tries again at once
	aloha                      // a plain try, with the shell's backoff
	ethernet                   // a try around a cheap probe, and the work
)

var disciplines = []string{"fixed", "aloha", "ethernet"}

// tries is the backoff of a plain try.
type tries struct {
	Policy backoff.Policy `help:"backoff of aloha and ethernet"`
	waits
}

// waits are the numbers of a backoff.
type waits struct {
	Initial time.Duration `long:"from" default:"1s" range:"0s 8760h" help:"first wait T"`
	Max     time.Duration `long:"to" default:"1h" range:"0s 8760h" help:"cap M of the waits"`
	Factor  float64       `long:"by" default:"2" range:"0 1000" help:"factor F"`
}

func (t *tries) backoff() backoff.Backoff { return t.with(t.Policy) }

// with is a backoff of these numbers.
func (w *waits) with(p backoff.Policy) backoff.Backoff {
	return backoff.Backoff{Policy: p, Initial: trueZero(w.Initial), Max: trueZero(w.Max), Factor: trueZero(w.Factor)}
}

// trueZero gives a true zero its name in a [backoff.Backoff].
func trueZero[N time.Duration | float64](n N) N {
	if n == 0 {
		return -1
	}
	return n
}

// plan is the try of a client of a discipline.
func (t *tries) plan(d discipline, deadline time.Duration) backoff.Plan {
	plan := backoff.Plan{Deadline: deadline, Attempts: backoff.Unlimited, Backoff: t.backoff()}
	if d == fixed {
		plan.Backoff = backoff.Backoff{Policy: backoff.Fixed, Initial: -1}
	}
	return plan
}
