// Package crowd is the clients of all experiments: they do pieces of work, try again by the code of the shell when an
// attempt fails, and are counted. An attempt is a request to a simulated server, or whatever an experiment says. A
// client is a process of the simulation; a try within a try is a function that calls itself.
package crowd

import (
	"context"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
)

// Config says who the clients are and what they do. The zero value of each
// field works; without Clients and Rate there is nobody.
type Config struct {
	Clients int                // each does one piece of work after the other
	Rate    float64            // instead of Clients: pieces of work begun per second, whatever becomes of them
	Start   time.Duration      // clients begin at random moments within this time
	Think   spread.Time        // the pause of a client after a piece of work
	Once    bool               // each client has one piece of work only
	Attempt func(*Client) bool // reports whether it succeeds; nil: a request to the first server
	Timeout time.Duration      // a request that was not answered by then has failed; 0: clients wait for ever
	Layers  []Layer            // outermost first; the last one makes the attempts. None: one attempt
	Every   time.Duration      // the interval of the series in the Tally; 0: 1 s
}

// Layer is one of the programs, one calling the next, that a request passes,
// and that try again.
type Layer struct {
	Limit    time.Duration // 0: no time limit
	Until    time.Duration // instead of Limit, on the clock: clients that it has stopped are gone
	Cut      bool          // the limit also ends a request under way, as that of a script's try does
	Attempts int           // 0: no limit
	Backoff  backoff.Backoff
	Last     backoff.Last
	// What all clients share in this layer; the zero values: nothing.
	Rules    shared.Rules // without slots: nobody waits for another
	Bucket   Bucket
	Throttle Throttle
}

// plan is the try of a layer that begins at that time.
func (l *Layer) plan(now time.Duration) backoff.Plan {
	plan := backoff.Plan{Deadline: backoff.Never, Limit: l.Limit, Attempts: backoff.Unlimited, Backoff: l.Backoff,
		Last: l.Last}
	if l.Attempts > 0 {
		plan.Attempts = l.Attempts
	}
	switch {
	case l.Limit > 0:
		plan.Deadline = now + l.Limit
	case l.Until > 0:
		plan.Deadline = l.Until
	}
	return plan
}

// Crowd is clients, and the servers that they ask.
type Crowd struct {
	Config
	measure.Tally
	sim     *herd.Sim
	servers []*server.Server
	clients []*Client
	guards  []guards  // of the layers
	free    []*Client // that are not there, with a Rate
}

// Client is one of them.
type Client struct {
	*herd.Process
	crowd  *Crowd
	number uint32
	tag    uint32        // of the request that it waits for; odd while it does
	floor  time.Duration // before which the server does not want the next one
	cut    time.Duration // when a limit ends what is under way
	done   uint32
}

// New puts clients and their servers into a simulation.
func New(sim *herd.Sim, config Config, servers ...server.Spec) *Crowd {
	c := &Crowd{Config: config, sim: sim}
	if len(c.Layers) == 0 {
		c.Layers = []Layer{{Attempts: 1}}
	}
	for i := range c.Layers {
		c.guards = append(c.guards, guards{Layer: &c.Layers[i], admission: shared.Admission{Rules: c.Layers[i].Rules}})
	}
	if c.Attempt == nil {
		c.Attempt = func(cl *Client) bool { return cl.Ask(0, "", cl.cut) }
	}
	if c.Every == 0 {
		c.Every = time.Second
	}
	c.Tally = measure.New(c.Every, max(len(servers), 1))
	for i, spec := range servers {
		s := server.New(sim, spec, uint32(i)*server.Kinds, func(a server.Answer) { c.takeAnswer(i, a) })
		s.Waits = c.senderWaits
		c.servers = append(c.servers, s)
	}
	if c.Rate > 0 {
		sim.Go(c.visit)
	}
	for range c.Clients {
		c.enter(func(cl *Client) {
			cl.SleepWithin(c.Start)
			c.live(cl)
		})
	}
	return c
}

// enter adds a client that does that.
func (c *Crowd) enter(live func(cl *Client)) {
	c.sim.Go(func(p *herd.Process) {
		cl := &Client{Process: p, crowd: c, number: uint32(len(c.clients))}
		c.clients = append(c.clients, cl)
		live(cl)
	})
}

// live does one piece of work after the other.
func (c *Crowd) live(cl *Client) {
	for began := c.sim.Now(); (c.work(cl) || c.Layers[0].Until == 0) && !c.Once; began = c.sim.Now() {
		if pause := c.Think.Draw(c.sim.Dice()); pause > 0 || c.sim.Now() == began {
			cl.Sleep(max(pause, moment))
		}
	}
}

// moment passes at least, else nothing else would happen any more.
const moment = time.Microsecond

// visit lets clients come at the Rate: those who have been there before, or others.
func (c *Crowd) visit(p *herd.Process) {
	for p.Sleep(0); ; p.Sleep(time.Duration(c.sim.Dice().ExpFloat64() / c.Rate * float64(time.Second))) {
		if n := len(c.free); n > 0 {
			cl := c.free[n-1]
			c.free = c.free[:n-1]
			cl.Resume(true)
			continue
		}
		c.enter(func(cl *Client) {
			for c.work(cl); ; c.work(cl) {
				c.free = append(c.free, cl)
				cl.Wait()
			}
		})
	}
}

// Run lets the simulation go on until that time and returns what was counted.
// It stops early when ctx is cancelled.
func (c *Crowd) Run(ctx context.Context, until time.Duration) *measure.Tally {
	defer c.sim.Close()
	_ = c.sim.Run(ctx, c, until) // whoever cancelled it knows
	c.Until, c.Wanted, c.Events = c.sim.Now(), c.Begun, c.sim.Events()
	for i, s := range c.servers {
		c.PerServer[i].Idle = s.Use().Idle
		s.Serving(func(r server.Request, served time.Duration) { c.UnderWay(i, served, c.senderWaits(r)) })
	}
	if c.Rate == 0 {
		for _, cl := range c.clients {
			c.PerClient = append(c.PerClient, cl.done)
		}
	}
	return &c.Tally
}

// Happen implements [herd.World].
func (c *Crowd) Happen(e herd.Event) { c.servers[e.What/server.Kinds].Happen(e) }

func (c *Crowd) work(cl *Client) bool {
	began := c.sim.Now()
	c.Begun++
	c.Started.Add(began, 1)
	ok := c.try(cl, 0, backoff.Never)
	now := c.sim.Now()
	if !ok {
		c.GivenUp++
		c.Lost.Add(now, 1)
		return false
	}
	for i := range c.guards {
		c.guards[i].noteOutcome(now, true, false)
	}
	c.Done++
	cl.done++
	c.Finished.Add(now, 1)
	c.Took = append(c.Took, now-began)
	return true
}

// try is the try of a layer, each attempt of which is that of the next layer, or one of the crowd's. If it fails,
// nobody is to try again before the floor of the client. cut is when a limit ends what is under way.
func (c *Crowd) try(cl *Client, layer int, cut time.Duration) bool {
	if layer == len(c.Layers) {
		cl.cut = cut
		return c.Attempt(cl)
	}
	g, plan := &c.guards[layer], c.Layers[layer].plan(c.sim.Now())
	if g.Cut {
		cut = min(cut, plan.Deadline)
	}
	loop := backoff.NewLoop(plan, c.sim.Dice())
	for retry := false; ; retry = true {
		began := c.sim.Now()
		if cl.floor = 0; loop.Begin(began) != "" {
			return false
		}
		admitted := g.letsAttempt(began, retry, c.sim.Dice())
		if !admitted {
			c.Rejected++
		} else if c.try(cl, layer+1, cut) {
			return true
		}
		now := c.sim.Now()
		g.noteOutcome(now, false, !admitted)
		at, stop := loop.Failed(now, cl.floor)
		if stop != "" || !g.allowsRetry(now) {
			return false
		}
		if at > now || now == began { // else the attempt has taken time
			at = max(at, now+moment)
		}
		cl.SleepUntil(at)
	}
}

// Ask sends a request to a server, and waits for the answer until then.
func (cl *Client) Ask(number int, program string, until time.Duration) bool {
	c, now := cl.crowd, cl.crowd.sim.Now()
	cl.tag++
	tag := cl.tag
	c.Send(number, now)
	if c.Timeout > 0 {
		until = min(until, now+c.Timeout)
	}
	c.sim.AfterFunc(until, func() {
		if cl.tag == tag {
			cl.settle(false, 0)
		}
	})
	c.servers[number].Send(server.Request{Who: cl.number, Tag: tag, Program: program})
	c.InFlight.Peak(now, float64(c.servers[number].InFlight()))
	return cl.Wait()
}

// settle ends the wait for an answer.
func (cl *Client) settle(ok bool, floor time.Duration) {
	cl.tag++
	cl.floor = floor
	cl.Resume(ok)
}

func (c *Crowd) takeAnswer(number int, a server.Answer) {
	waited, now := c.senderWaits(a.Request), c.sim.Now()
	c.Serve(number, now, a.Served, waited && a.OK)
	switch {
	case !waited:
		c.Late++
	case a.After > 0:
		c.clients[a.Who].settle(a.OK, now+a.After)
	default:
		c.clients[a.Who].settle(a.OK, 0)
	}
}

// senderWaits reports whether a client still waits for the answer to a request.
func (c *Crowd) senderWaits(r server.Request) bool { return c.clients[r.Who].tag == r.Tag }
