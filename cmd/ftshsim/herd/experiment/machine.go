package experiment

import (
	"slices"
	"sort"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
)

// machine is a processor that processes share evenly: with n of them each runs at an nth of the speed. Work is measured
// in time on an idle processor.
type machine struct {
	*herd.Sim
	discipline discipline    // of the clients among the processes
	probe      time.Duration // the work of ethernet's
	enough     func() bool   // what it finds
	work       func(c *crowd.Client) bool
	collisions int           // attempts of theirs that failed
	deferrals  int           // that were not made since a probe failed
	tasks      []*task       // under way, ordered by end
	had        time.Duration // the work that each process has had since the beginning
	reckoned   time.Duration // when that was
	next       backoff.Timer // for the task that ends first; nil: there was none yet
}

// task is work for the processor.
type task struct {
	end  time.Duration // in work that each process has had
	done func()
}

// discipline says how a client of Thain and Livny's experiments deals with failure.
type discipline int

const (
	fixed    discipline = iota // it tries again at once
	aloha                      // a plain try, with the shell's backoff
	ethernet                   // a try around a cheap probe, and the work
)

var disciplines = []string{"fixed", "aloha", "ethernet"}

// attempt does the work of a client; ethernet's only where a probe finds that there is enough.
func (m *machine) attempt(c *crowd.Client) bool {
	if m.discipline == ethernet {
		if m.compute(c.Process, m.probe); !m.enough() {
			m.deferrals++
			return false
		}
	}
	if m.work(c) {
		return true
	}
	m.collisions++
	return false
}

func (m *machine) compute(p *herd.Process, work time.Duration) {
	m.begin(work, func() { p.Resume(true) })
	p.Wait()
}

// begin adds work; done is called at its end.
func (m *machine) begin(work time.Duration, done func()) *task {
	m.catchUp()
	t := &task{m.had + work, done}
	m.tasks = slices.Insert(m.tasks, sort.Search(len(m.tasks), func(i int) bool { return m.tasks[i].end > t.end }), t)
	m.planNextEnd()
	return t
}

func (m *machine) kill(killed *task) {
	m.catchUp()
	m.tasks = slices.DeleteFunc(m.tasks, func(t *task) bool { return t == killed })
	m.planNextEnd()
}

// catchUp reckons what each process has had up to now.
func (m *machine) catchUp() {
	if n := time.Duration(len(m.tasks)); n > 0 {
		m.had += (m.Now() - m.reckoned) / n
	}
	m.reckoned = m.Now()
}

// planNextEnd sets the event for the task that ends first.
func (m *machine) planNextEnd() {
	if m.next != nil {
		m.next.Stop()
	}
	if n := time.Duration(len(m.tasks)); n > 0 {
		first := m.tasks[0]
		m.next = m.AfterFunc(m.Now()+max(first.end-m.had, 0)*n+n, func() {
			m.kill(first)
			first.done()
		})
	}
}

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

// atOnce is no backoff.
var atOnce = backoff.Backoff{Policy: backoff.Fixed, Initial: -1}

// layers are the try of a client of a discipline.
func (t *tries) layers(d discipline, until time.Duration) []crowd.Layer {
	if d == fixed {
		return []crowd.Layer{{Until: until, Backoff: atOnce}}
	}
	return []crowd.Layer{{Until: until, Backoff: t.with(t.Policy)}}
}
