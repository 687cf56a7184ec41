// Package crowd is many clients of one simulated server: they do pieces of
// work, try again by the code of the shell when a request fails, and are
// counted. A client is a process of the simulation; a try within a try is a
// function that calls itself.
package crowd

import (
	"context"
	"math/rand/v2"
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
	Clients int           // each does one piece of work after the other
	Rate    float64       // instead of Clients: pieces of work begun per second, whatever becomes of them
	Start   time.Duration // clients begin at random moments within this time
	Think   spread.Time   // the pause of a client after a piece of work
	Once    bool          // each client has one piece of work only
	Timeout time.Duration // a request that was not answered by then has failed; 0: clients wait for ever
	Layers  []Layer       // outermost first; the last one sends the requests. None: one attempt
	Every   time.Duration // the interval of the series in the Tally; 0: 1 s
}

// Layer is one of the programs, one calling the next, that a request passes,
// and that try again.
type Layer struct {
	Limit    time.Duration // 0: no time limit
	Cut      bool          // the limit also ends a request under way, as that of a script's try does
	Attempts int           // 0: no limit
	Backoff  backoff.Backoff
	Last     backoff.Last
	// What all clients share in this layer; the zero values: nothing.
	Rules    shared.Rules // without slots: nobody waits for another
	Bucket   Bucket
	Throttle Throttle
}

// Crowd is clients of one server.
type Crowd struct {
	Config
	measure.Tally
	sim     *herd.Sim
	server  *server.Server
	clients []*client
	guards  []guards  // of the layers
	free    []*client // that are not there, with a Rate
}

// client is one of them.
type client struct {
	*herd.Process
	number uint32
	tag    uint32        // of the request that it waits for; odd while it does
	floor  time.Duration // before which the server does not want the next one
	done   uint32
}

// New puts clients and their server into a simulation.
func New(sim *herd.Sim, config Config, spec server.Spec) *Crowd {
	c := &Crowd{Config: config, sim: sim}
	if len(c.Layers) == 0 {
		c.Layers = []Layer{{Attempts: 1}}
	}
	for i := range c.Layers {
		c.guards = append(c.guards, guards{Layer: &c.Layers[i], admission: shared.Admission{Rules: c.Layers[i].Rules}})
	}
	if c.Every == 0 {
		c.Every = time.Second
	}
	c.Tally = measure.New(c.Every, 1)
	c.server = server.New(sim, spec, 0, c.takeAnswer)
	c.server.Waits = c.senderWaits
	if c.Rate > 0 {
		sim.Go(c.visit)
	}
	for range c.Clients {
		c.enter(func(cl *client) {
			cl.SleepWithin(c.Start)
			for c.work(cl); !c.Once; c.work(cl) {
				cl.Sleep(max(c.Think.Draw(sim.Dice()), time.Microsecond))
			}
		})
	}
	return c
}

// enter adds a client that does that.
func (c *Crowd) enter(live func(cl *client)) {
	c.sim.Go(func(p *herd.Process) {
		cl := &client{Process: p, number: uint32(len(c.clients))}
		c.clients = append(c.clients, cl)
		live(cl)
	})
}

// visit lets clients come at the Rate: those who have been there before, or others.
func (c *Crowd) visit(p *herd.Process) {
	for p.Sleep(0); ; p.Sleep(time.Duration(c.sim.Dice().ExpFloat64() / c.Rate * float64(time.Second))) {
		if n := len(c.free); n > 0 {
			cl := c.free[n-1]
			c.free = c.free[:n-1]
			cl.Resume(true)
			continue
		}
		c.enter(func(cl *client) {
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
	_ = c.sim.Run(ctx, c.server, until) // whoever cancelled it knows
	c.PerServer[0].Idle, c.Until, c.Wanted = c.server.Use().Idle, c.sim.Now(), c.Begun
	c.server.Serving(func(r server.Request, served time.Duration) { c.UnderWay(0, served, c.senderWaits(r)) })
	if c.Rate == 0 {
		for _, cl := range c.clients {
			c.PerClient = append(c.PerClient, cl.done)
		}
	}
	return &c.Tally
}

func (c *Crowd) work(cl *client) {
	began := c.sim.Now()
	c.Begun++
	c.Started.Add(began, 1)
	ok, _ := c.try(cl, 0, backoff.Never)
	now := c.sim.Now()
	if !ok {
		c.GivenUp++
		c.Lost.Add(now, 1)
		return
	}
	for i := range c.guards {
		c.guards[i].noteOutcome(now, true, false)
	}
	c.Done++
	cl.done++
	c.Finished.Add(now, 1)
	c.Took = append(c.Took, now-began)
}

// try is the try of a layer, each attempt of which is that of the next layer, or a request. No attempt waits for an
// answer longer than until then. If it fails, nobody is to try again before floor.
func (c *Crowd) try(cl *client, layer int, until time.Duration) (ok bool, floor time.Duration) {
	if layer == len(c.Layers) {
		return c.request(cl, until)
	}
	g, began := &c.guards[layer], c.sim.Now()
	plan := backoff.Plan{Deadline: backoff.Never, Limit: g.Limit, Attempts: backoff.Unlimited,
		Backoff: g.Backoff, Last: g.Last}
	if g.Attempts > 0 {
		plan.Attempts = g.Attempts
	}
	if g.Limit > 0 {
		plan.Deadline = began + g.Limit
		if g.Cut {
			until = min(until, plan.Deadline)
		}
	}
	loop := backoff.NewLoop(plan, c.sim.Dice())
	for retry := false; loop.Begin(c.sim.Now()) == ""; retry = true {
		admitted := g.letsAttempt(c.sim.Now(), retry, c.sim.Dice())
		if admitted {
			ok, floor = c.try(cl, layer+1, until)
		} else {
			c.Rejected++
			floor = 0
		}
		if ok {
			return true, 0
		}
		now := c.sim.Now()
		g.noteOutcome(now, false, !admitted)
		at, stop := loop.Failed(now, floor)
		if stop != "" || !g.allowsRetry(now) {
			return false, floor
		}
		cl.SleepUntil(max(at, now+time.Microsecond)) // an attempt takes time, else nothing else would happen any more
	}
	return false, 0
}

// request sends a request, and waits for the answer until then.
func (c *Crowd) request(cl *client, until time.Duration) (ok bool, floor time.Duration) {
	now := c.sim.Now()
	cl.tag++
	tag := cl.tag
	c.Send(0, now)
	if c.Timeout > 0 {
		until = min(until, now+c.Timeout)
	}
	c.sim.AfterFunc(until, func() {
		if cl.tag == tag {
			cl.settle(false, 0)
		}
	})
	c.server.Send(server.Request{Who: cl.number, Tag: tag})
	c.InFlight.Peak(now, float64(c.server.InFlight()))
	return cl.Wait(), cl.floor
}

// settle ends the wait for an answer.
func (cl *client) settle(ok bool, floor time.Duration) {
	cl.tag++
	cl.floor = floor
	cl.Resume(ok)
}

func (c *Crowd) takeAnswer(a server.Answer) {
	waited, now := c.senderWaits(a.Request), c.sim.Now()
	c.Serve(0, now, a.Served, waited && a.OK)
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

// Bucket is the token bucket of gRPC (proposal A6): each failure takes a token, each
// success gives a part of one back, and there are no retries while it is half empty.
// The zero Bucket allows all retries.
type Bucket struct {
	Size  float64 // tokens of a full bucket, say 10
	Ratio float64 // tokens given by a success, say 0.1
}

// Throttle rejects attempts without asking the server, the more of them the
// more the server has rejected: with probability max(0, (requests − K·accepts) /
// (requests + 1)) over the window. (Site Reliability Engineering, Google 2016, chapter 21,
// Handling Overload.) The zero Throttle rejects nothing.
type Throttle struct {
	K      float64       // 2: about as many requests reach the server as it accepts, twice over
	Window time.Duration // 2 min
}

// guards is what all clients share in a layer.
type guards struct {
	*Layer
	admission         shared.Admission
	gone              float64       // tokens of the Bucket
	requests, accepts shared.Window // of the Throttle; those that it rejects are among the requests
}

// letsAttempt reports whether an attempt may reach the next layer.
func (g *guards) letsAttempt(now time.Duration, retry bool, dice *rand.Rand) bool {
	if g.Rules.Budgeted {
		g.admission.Count(now, retry)
	}
	if t := g.Throttle; t.K > 0 {
		requests, accepts := g.requests.Sum(now, t.Window), g.accepts.Sum(now, t.Window)
		if p := (requests - t.K*accepts) / (requests + 1); p > 0 && dice.Float64() < p {
			return false
		}
	}
	return g.admission.Admits(now)
}

// noteOutcome takes in how an attempt went. One that was rejected here says nothing about what lies behind.
func (g *guards) noteOutcome(now time.Duration, ok, rejected bool) {
	if g.Throttle.K > 0 {
		g.requests.Add(now, g.Throttle.Window, 1)
		if ok {
			g.accepts.Add(now, g.Throttle.Window, 1)
		}
	}
	switch {
	case rejected:
		return
	case ok:
		g.gone = max(0, g.gone-g.Bucket.Ratio)
	default:
		g.gone = min(g.Bucket.Size, g.gone+1)
	}
	g.admission.End(now, ok)
}

// allowsRetry reports whether the budget and the bucket have something left.
func (g *guards) allowsRetry(now time.Duration) bool {
	return g.admission.Affords(now) && (g.Bucket.Size == 0 || g.gone < g.Bucket.Size/2)
}
