package crowd

import (
	"context"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/server"
)

// Crowd is clients of one server. It is a [herd.World].
type Crowd struct {
	Config
	measure.Tally
	sim     *herd.Sim
	server  *server.Server
	clients []client
	inner   []inner        // of each client, those of the second layer first
	plans   []backoff.Plan // of the layers, without their deadlines
	guards  []guards       // of the layers
	free    []uint32       // clients that are not there, with a Rate
}

// client is one of them, on one cache line: whatever happens to one of a
// million has to wait for memory, and only once.
type client struct {
	began time.Duration // its piece of work, and the try of the first layer
	outer backoff.State // of that
	tag   uint32        // of the request that it waits for; odd while it does
	done  uint32
	layer uint8 // that makes the next attempt
}

// inner is a try of a further layer.
type inner struct {
	began time.Duration
	state backoff.State
}

// What of the events. The upper bits of hangUp are those of the request's tag.
const (
	begin uint32 = iota
	again
	hangUp
	visit // somebody comes, with a Rate
	servers
	kindBits = 8
)

// New puts clients and their server into a simulation.
func New(sim *herd.Sim, config Config, spec server.Spec) *Crowd {
	c := &Crowd{Config: config, sim: sim}
	if len(c.Layers) == 0 {
		c.Layers = []Layer{{Attempts: 1}}
	}
	for i := range c.Layers {
		l := &c.Layers[i]
		c.plans = append(c.plans, l.tryPlan())
		c.guards = append(c.guards, guards{shared.Admission{Rules: l.Rules}, l.Bucket, l.Throttle})
	}
	if c.Every == 0 {
		c.Every = time.Second
	}
	c.Tally = measure.New(c.Every, 1)
	c.server = server.New(sim, spec, servers, c.takeAnswer)
	c.server.Waits = c.senderWaits
	c.gatherFirst()
	return c
}

// gatherFirst lets the first clients come.
func (c *Crowd) gatherFirst() {
	if c.Rate > 0 {
		c.sim.At(0, herd.Event{What: visit})
		return
	}
	c.clients = make([]client, c.Clients)
	c.inner = make([]inner, c.Clients*(len(c.Layers)-1))
	for who := range c.clients {
		at := time.Duration(c.sim.Dice().Float64() * float64(c.Start))
		c.sim.At(at, herd.Event{Who: uint32(who), What: begin})
	}
}

// Run lets the simulation go on until that time and returns what was counted.
// It stops early when ctx is cancelled.
func (c *Crowd) Run(ctx context.Context, until time.Duration) *measure.Tally {
	_ = c.sim.Run(ctx, c, until) // whoever cancelled it knows
	c.PerServer[0].Idle, c.Until, c.Wanted = c.server.Idle(), c.sim.Now(), c.Begun
	c.server.Serving(func(r server.Request, served time.Duration) { c.UnderWay(0, served, c.senderWaits(r)) })
	if c.Rate == 0 {
		for i := range c.clients {
			c.PerClient = append(c.PerClient, c.clients[i].done)
		}
	}
	return &c.Tally
}

// Happen implements [herd.World].
func (c *Crowd) Happen(e herd.Event) {
	switch kind := e.What & (1<<kindBits - 1); kind {
	case begin:
		c.beginWork(e.Who)
	case again:
		c.makeAttempt(e.Who, int(c.clients[e.Who].layer), true)
	case hangUp:
		c.hangUp(e.Who, e.What>>kindBits)
	case visit:
		c.visitOne()
	default:
		c.server.Happen(e)
	}
}

// visitOne lets somebody come, and the next one after a random while.
func (c *Crowd) visitOne() {
	var who uint32
	if n := len(c.free); n > 0 {
		who, c.free = c.free[n-1], c.free[:n-1]
	} else {
		who = uint32(len(c.clients))
		c.clients = append(c.clients, client{})
		c.inner = append(c.inner, make([]inner, len(c.Layers)-1)...)
	}
	c.beginWork(who)
	c.sim.After(time.Duration(c.sim.Dice().ExpFloat64()/c.Rate*float64(time.Second)), herd.Event{What: visit})
}

// beginWork starts a piece of work.
func (c *Crowd) beginWork(who uint32) {
	c.Begun++
	c.Started.Add(c.sim.Now(), 1)
	c.clients[who].began = c.sim.Now()
	c.clients[who].outer = backoff.State{}
	c.makeAttempt(who, 0, false)
}

// loopOf returns the loop of a layer, and where its state is to be kept.
func (c *Crowd) loopOf(who uint32, layer int) (backoff.Loop, *backoff.State) {
	began, state := c.clients[who].began, &c.clients[who].outer
	if layer > 0 {
		deeper := c.innerTry(who, layer)
		began, state = deeper.began, &deeper.state
	}
	plan := c.plans[layer]
	if limit := c.Layers[layer].Limit; limit > 0 {
		plan.Deadline = began + limit
	}
	return backoff.Resume(plan, c.sim.Dice(), *state), state
}

// innerTry is the try of a layer other than the first.
func (c *Crowd) innerTry(who uint32, layer int) *inner {
	return &c.inner[int(who)*(len(c.Layers)-1)+layer-1]
}

// mayBegin asks a layer for an attempt.
func (c *Crowd) mayBegin(who uint32, layer int, now time.Duration) bool {
	loop, state := c.loopOf(who, layer)
	stop := loop.Begin(now)
	*state = loop.State
	return stop == ""
}

// makeAttempt makes an attempt in a layer, and the first ones in those below.
func (c *Crowd) makeAttempt(who uint32, layer int, retry bool) {
	now := c.sim.Now()
	for ; layer < len(c.Layers); layer++ {
		g := &c.guards[layer]
		if !c.mayBegin(who, layer, now) {
			c.failAttempt(who, layer-1, 0)
			return
		}
		g.noteAttempt(now, retry)
		if !g.letsAttempt(now, c.sim.Dice()) {
			c.Rejected++
			g.noteOutcome(now, false, true)
			c.repeatOrFail(who, layer, 0)
			return
		}
		if retry = false; layer+1 < len(c.Layers) {
			*c.innerTry(who, layer+1) = inner{began: now}
		}
	}
	c.sendRequest(who)
}

// sendRequest sends a request.
func (c *Crowd) sendRequest(who uint32) {
	now := c.sim.Now()
	cl := &c.clients[who]
	cl.tag++
	c.Send(0, now)
	c.sim.At(c.patienceUntil(who, now), herd.Event{Who: who, What: hangUp | cl.tag<<kindBits})
	c.server.Send(server.Request{Who: who, Tag: cl.tag})
	c.InFlight.Peak(now, float64(c.server.InFlight()))
}

// patienceUntil is until when a client waits for the answer to a request.
func (c *Crowd) patienceUntil(who uint32, now time.Duration) time.Duration {
	until := backoff.Never
	if c.Timeout > 0 {
		until = now + c.Timeout
	}
	for i, l := range c.Layers {
		began := c.clients[who].began
		if i > 0 {
			began = c.innerTry(who, i).began
		}
		if l.Cut && l.Limit > 0 {
			until = min(until, began+l.Limit)
		}
	}
	return until
}

// takeAnswer takes in what the server says.
func (c *Crowd) takeAnswer(a server.Answer) {
	cl := &c.clients[a.Who]
	waited := c.senderWaits(a.Request)
	c.Serve(0, c.sim.Now(), a.Served, waited && a.OK)
	if !waited {
		c.Late++
		return
	}
	cl.tag++
	if a.OK {
		c.endWork(a.Who)
		return
	}
	floor := time.Duration(0)
	if a.After > 0 {
		floor = c.sim.Now() + a.After
	}
	c.failAttempt(a.Who, len(c.Layers)-1, floor)
}

// senderWaits reports whether a client still waits for the answer to a request.
func (c *Crowd) senderWaits(r server.Request) bool { return c.clients[r.Who].tag == r.Tag }

// hangUp is the end of the client's patience with a request.
func (c *Crowd) hangUp(who, tag uint32) {
	if cl := &c.clients[who]; cl.tag<<kindBits == tag<<kindBits {
		cl.tag++
		c.failAttempt(who, len(c.Layers)-1, 0)
	}
}

// endWork ends a piece of work.
func (c *Crowd) endWork(who uint32) {
	now := c.sim.Now()
	for i := range c.guards {
		c.guards[i].noteOutcome(now, true, false)
	}
	c.Done++
	c.clients[who].done++
	c.Finished.Add(now, 1)
	c.Took = append(c.Took, now-c.clients[who].began)
	c.restAfterWork(who)
}

// failAttempt is a failed attempt of a layer, and perhaps of those above it.
func (c *Crowd) failAttempt(who uint32, layer int, floor time.Duration) {
	if layer >= 0 {
		c.guards[layer].noteOutcome(c.sim.Now(), false, false)
		c.repeatOrFail(who, layer, floor)
		return
	}
	c.GivenUp++
	c.Lost.Add(c.sim.Now(), 1)
	c.restAfterWork(who)
}

// repeatOrFail has a layer try again, or fail.
func (c *Crowd) repeatOrFail(who uint32, layer int, floor time.Duration) {
	now := c.sim.Now()
	loop, state := c.loopOf(who, layer)
	at, stop := loop.Failed(now, floor)
	*state = loop.State
	if stop != "" || !c.guards[layer].allowsRetry(now) {
		c.failAttempt(who, layer-1, floor)
		return
	}
	c.clients[who].layer = uint8(layer)
	// an attempt takes time, else nothing else would happen any more
	c.sim.At(max(at, now+time.Microsecond), herd.Event{Who: who, What: again})
}

// restAfterWork lets a client think, or leave, after a piece of work.
func (c *Crowd) restAfterWork(who uint32) {
	switch {
	case c.Rate > 0:
		c.free = append(c.free, who)
	case !c.Once:
		c.sim.After(max(c.Think.Draw(c.sim.Dice()), time.Microsecond), herd.Event{Who: who, What: begin})
	}
}
