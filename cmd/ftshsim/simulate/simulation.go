package simulate

import (
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/world"
	"ftsh/interp/event"
)

// Crowd says who runs what, and in which world.
type Crowd struct {
	Who      []Part          // who runs what
	World    *world.World    // that they find
	Clients  int             // at most, where the World says when they arrive
	Start    time.Duration   // clients begin at random moments within this time, unless the World says when
	Until    time.Duration   // those that still run then are cut off; more than 0
	Every    time.Duration   // the interval of the series in the Tally; 0: 100 ms, or more if Until is more than 1 h
	Backoff  backoff.Backoff // of tries that name none
	Environ  []string        // of the scripts, as os.Environ gives it
	Dir      string          // where they stand; "": the process's own directory
	Machines int             // on which the clients run; those of one share its resources (via). 0: one
	Steps    int             // how many statements a client may run without time passing; 0: a million
	Most     int             // requests after which it stops early; 0: it does not
	// Progress, if not nil, is told now and then how far a simulation is; by several
	// at the same time, where they are compared.
	Progress func(now, until time.Duration)
	// Observe, if not nil, gives the observer of the client with that number, from
	// 0; nil: none. now is the time in the simulation.
	Observe func(client int, now func() time.Duration) event.Observer
}

// Part is the clients of a crowd that run the same.
type Part struct {
	Name   string // what reports call it; "": they do not tell it from others
	Script *Script
	Share  float64 // of the clients, in any unit
}

// All are clients that all run the same.
func All(script *Script) []Part { return []Part{{Script: script, Share: 1}} }

// part is a [Part], with its script as a tree, and what that can see of the environment.
type part struct {
	Part
	file    *ast.File
	environ []string
}

// simulation is a crowd under way. It is a [herd.World].
type simulation struct {
	*herd.Sim
	Crowd
	Tally
	parts    []part
	standard []int // streams of the scripts
	secrets  event.Mask
	seed     uint64
	servers  []*server.Server
	clients  []client
	now      atomic.Int64
	woken    []*client // to go on after the event
	stacks   stacks    // that tasks run on
	happened int       // events
	patience int       // steps without time passing
	over     bool      // nothing counts any more
	stop     context.CancelFunc
	ctx      context.Context // of all clients
	cancel   context.CancelCauseFunc
	killed   context.Context // cancelled if they must end at once
	kill     context.CancelFunc
	err      error
	shared   map[shareKey]*resource
	held     time.Duration // up to when lacking is counted
}

// What of the events.
const (
	begin uint32 = iota
	stir
	mended  // Who: an outage that has ended
	servers // those of the first server; the others follow
)

// steps says how many statements a client may run without time passing: enough for
// a script that computes, and a tenth of a second.
const steps = 1_000_000

// Run simulates a crowd. All that is random follows from the seed. When ctx is
// cancelled it stops early, and the Tally counts what there was until then. The error
// is a *[Runaway] or an *[Unseen].
func Run(ctx context.Context, crowd Crowd, seed uint64) (*Tally, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &simulation{Sim: herd.New(seed), Crowd: crowd, seed: seed, patience: cmp.Or(crowd.Steps, steps), stop: stop,
		standard: []int{0, 1, 2}, shared: map[shareKey]*resource{}}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.killed, s.kill = context.WithCancel(context.Background())
	if s.Dir == "" {
		s.Dir, _ = os.Getwd() // once for all clients; without it each asks for itself, and says so
	}
	s.Tally = Tally{Tally: measure.New(s.seriesInterval(), len(s.World.Servers)), Failed: map[string]int{},
		Used: map[string]string{}, Unknown: map[string][]int{}, trigger: triggerOf(s.World, s.Crowd.Until)}
	s.lacking.Every, s.Wanted = s.seriesInterval(), s.Clients
	s.divideCrowd()
	s.openServers()
	s.gatherClients()
	_ = s.Sim.Run(ctx, s, s.Crowd.Until) // whoever cancelled it knows
	s.endCounts()
	s.windUp()
	s.Tally.Events = s.Sim.Events()
	return &s.Tally, s.err
}

// divideCrowd makes parts of the crowd, with the scripts that they run, and what these can see of the environment:
// nobody looks at what else their programs are given.
func (s *simulation) divideCrowd() {
	for _, one := range s.Who {
		p := part{Part: one, file: one.Script.parseTree()}
		for _, entry := range s.Environ {
			name, _, _ := strings.Cut(entry, "=")
			if _, is := p.file.Names.Lookup(name); is || name == "HOME" {
				p.environ = append(p.environ, entry)
			}
		}
		s.parts = append(s.parts, p)
	}
	s.Parts = make([]PartTally, len(s.parts))
}

// assignPart gives a client to the part that is furthest behind its share: so they alternate
// also where clients come one after the other.
func (s *simulation) assignPart(n int) int {
	all := 0.0
	for _, part := range s.parts {
		all += part.Share
	}
	best, most := 0, -1.0
	for i, part := range s.parts {
		if behind := part.Share/all*float64(n+1) - float64(s.Parts[i].Wanted); behind > most {
			best, most = i, behind
		}
	}
	s.Parts[best].Wanted++
	return best
}

func (s *simulation) openServers() {
	for i := range s.World.Servers {
		spec := s.World.Servers[i].Spec
		opened := server.New(s.Sim, spec, servers+uint32(i)*server.Kinds, func(a server.Answer) { s.replyTo(i, a) })
		opened.Waits = s.senderWaits
		opened.Forward = func(to int, r server.Request) {
			r.From = uint32(i) + 1
			s.sendRequest(to, r)
		}
		opened.HangUp = func(to int, r server.Request) {
			r.From = uint32(i) + 1
			s.servers[to].Left(r)
		}
		s.servers = append(s.servers, opened)
		for _, o := range spec.Outages {
			s.At(o.To, herd.Event{Who: uint32(len(s.Outages)), What: mended})
			s.Outages = append(s.Outages, Outage{Outage: o, Server: i, Served: math.NaN()})
		}
	}
}

func (s *simulation) gatherClients() {
	s.clients = make([]client, s.Clients)
	at := time.Duration(0)
	for n := range s.clients {
		if len(s.World.Arrivals) == 0 {
			at = time.Duration(s.Dice().Float64() * float64(s.Start))
		} else if at = s.World.Next(at, s.Dice().ExpFloat64()); at > s.Crowd.Until {
			s.clients, s.Wanted = s.clients[:n], n
			break
		}
		s.clients[n].tasks = tasks{sim: s, client: uint32(n)}
		s.clients[n].part = s.assignPart(n)
		s.At(at, herd.Event{Who: uint32(n), What: begin})
	}
}

// Happen implements [herd.World]. Clients go on when the event is over: not in the middle of what a server does.
func (s *simulation) Happen(e herd.Event) {
	s.catchUp()
	if s.happened++; s.happened%(1<<14) == 0 && s.Progress != nil {
		s.Progress(s.virtualTime(), s.Crowd.Until)
	}
	switch e.What {
	case begin:
		if !s.over {
			s.clients[e.Who].beginScript()
			s.woken = append(s.woken, &s.clients[e.Who])
		}
	case stir:
		s.woken = append(s.woken, &s.clients[e.Who])
	case mended:
		s.endOutage(int(e.Who))
	default:
		s.servers[(e.What-servers)/server.Kinds].Happen(e)
	}
	for i := 0; i < len(s.woken); i++ {
		s.woken[i].runTasks()
	}
	s.woken = s.woken[:0]
}

// virtualTime returns the time of the simulation's clock, and catchUp sets it.
func (s *simulation) virtualTime() time.Duration { return time.Duration(s.now.Load()) }
func (s *simulation) catchUp()                   { s.now.Store(int64(s.Sim.Now())) }

func (s *simulation) sendRequest(number int, r server.Request) {
	if !s.over {
		if s.Send(number, s.virtualTime()); s.Requests == s.Most {
			s.stop()
		}
	}
	s.servers[number].Send(r)
	inFlight := 0
	for _, one := range s.servers {
		inFlight += one.InFlight()
	}
	s.InFlight.Peak(s.virtualTime(), float64(inFlight))
}

// senderWaits reports whether whoever has sent a request still waits for the answer.
func (s *simulation) senderWaits(r server.Request) bool {
	if r.From > 0 {
		return s.servers[r.From-1].Calling(r)
	}
	return s.clients[r.Who].waitingCall(r.Tag) != nil
}

// replyTo hands a server's answer to whoever has asked.
func (s *simulation) replyTo(number int, a server.Answer) {
	heard := false
	if a.From > 0 {
		heard = s.servers[a.From-1].Called(a)
	} else if open := s.clients[a.Who].waitingCall(a.Tag); open != nil {
		heard, open.done, open.ok, open.turned, open.limited = true, true, a.OK, a.Turned, a.Limited
		s.clients[a.Who].heard = responseOf(a)
		s.woken = append(s.woken, &s.clients[a.Who])
	}
	if !s.over {
		s.Serve(number, s.virtualTime(), a.Served, heard && a.OK)
		if !heard || a.Turned {
			s.InVain(number, s.virtualTime(), a.Served)
		}
	}
}

// endCounts ends what counts, now.
func (s *simulation) endCounts() {
	if s.over {
		return
	}
	s.catchUp()
	s.countLacking()
	s.over = true
	s.Tally.Until = s.Sim.Now()
	for i, one := range s.servers {
		t, use := &s.PerServer[i], one.Use()
		if err := checkUnseen(&s.World.Servers[i], use); s.err == nil {
			s.err = err
		}
		t.Idle, t.Used, t.Line, t.Longest = use.Idle, use.Slots, use.Line, use.Longest
		t.Wasted += use.Lost
		t.Vain += use.Lost
		one.Serving(func(r server.Request, served time.Duration) { s.UnderWay(i, served, s.senderWaits(r)) })
	}
	for i := range s.clients {
		s.PerClient = append(s.PerClient, s.clients[i].got)
	}
	s.stop()
}

// windUp ends the clients that still run, and lets them clean up: all of it
// ends within the kill timeout.
func (s *simulation) windUp() {
	s.catchUp()
	s.endScripts(s.err != nil)
	for i := range s.clients {
		s.clients[i].runTasks()
	}
	_ = s.Sim.Run(context.Background(), s, s.Sim.Now()+time.Minute)
	for _, one := range s.stacks {
		one.stop()
	}
}

// endScripts ends the scripts: where they stand, and without finally groups if at once.
func (s *simulation) endScripts(atOnce bool) {
	s.cancel(errors.New("the simulation is over"))
	if atOnce {
		s.kill()
	}
}
