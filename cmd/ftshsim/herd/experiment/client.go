package experiment

import (
	"slices"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
)

// discipline says how a client of Thain and Livny's experiments deals with
// failure.
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

func (t *tries) backoffOf() backoff.Backoff { return t.backoffWith(t.Policy) }

// backoffWith is a backoff of these numbers.
func (w *waits) backoffWith(p backoff.Policy) backoff.Backoff {
	return backoff.Backoff{Policy: p, Initial: trueZero(w.Initial), Max: trueZero(w.Max), Factor: trueZero(w.Factor)}
}

// trueZero gives a true zero its name in a [backoff.Backoff].
func trueZero[N time.Duration | float64](n N) N {
	if n == 0 {
		return -1
	}
	return n
}

// client does one piece of work after the other, each in a try.
type client struct {
	sim     *herd.Sim
	plan    backoff.Plan
	loop    backoff.Loop
	attempt func()
	done    int // pieces of work
}

// newClient returns a client of a discipline. Its attempts are set by the caller.
func newClient(sim *herd.Sim, d discipline, b backoff.Backoff, deadline time.Duration) client {
	if d == fixed {
		b = backoff.Backoff{Policy: backoff.Fixed, Initial: -1}
	}
	plan := backoff.Plan{Deadline: deadline, Attempts: backoff.Unlimited, Backoff: b}
	return client{sim: sim, plan: plan, loop: backoff.NewLoop(plan, sim.Dice())}
}

// tryAgain begins an attempt, unless the limit of the try has passed.
func (c *client) tryAgain() {
	if c.loop.Begin(c.sim.Now()) == "" {
		c.attempt()
	}
}

// tryWithin begins the first attempt within that time.
func (c *client) tryWithin(start time.Duration) {
	c.sim.AfterFunc(time.Duration(c.sim.Dice().Float64()*float64(start)), c.tryAgain)
}

// fail lets the client wait for its next attempt.
func (c *client) fail() {
	if at, stop := c.loop.Failed(c.sim.Now(), 0); stop == "" {
		c.sim.AfterFunc(at, c.tryAgain)
	}
}

// beginNext begins the try of the next piece of work.
func (c *client) beginNext() {
	c.done++
	c.loop = backoff.NewLoop(c.plan, c.sim.Dice())
}

// machine is one on which clients of a discipline work.
type machine struct {
	sim        *herd.Sim
	cpu        processor
	discipline discipline
	collisions int
	deferrals  int
}

func newMachine(d discipline, seed uint64) machine {
	sim := herd.New(seed)
	return machine{sim: sim, cpu: processor{sim: sim}, discipline: d}
}

// after calls a function after that time.
func (m *machine) after(d time.Duration, f func()) { m.sim.AfterFunc(m.sim.Now()+d, f) }

// sense does the work of a client: that of ethernet only where a probe finds that there is enough.
func (m *machine) sense(c *client, probe time.Duration, enough func() bool, work func()) {
	if m.discipline != ethernet {
		work()
		return
	}
	m.cpu.begin(probe, func() {
		if enough() {
			work()
			return
		}
		m.deferrals++
		c.fail()
	})
}

// collide counts a failure.
func (m *machine) collide(c *client) {
	m.collisions++
	c.fail()
}

// processor is one that all processes share evenly: with n of them each runs
// at an nth of the speed. Work is measured in time on an idle processor.
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
	i, _ := slices.BinarySearchFunc(p.runs, t, func(a, b *task) int {
		if a.end > b.end {
			return 1
		}
		return -1
	})
	p.runs = slices.Insert(p.runs, i, t)
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
		if turn != p.turn {
			return
		}
		p.catchUp()
		first := p.runs[0]
		p.runs = slices.Delete(p.runs, 0, 1)
		p.planNextEnd()
		first.done()
	})
}
