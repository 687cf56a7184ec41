package simulate

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/world"
	"ftsh/interp"
	"ftsh/interp/files"
	outside "ftsh/interp/world"
)

// client is the world of a script: it runs as it would on a machine.
type client struct {
	tasks
	streams
	outside.NoJobs
	part    int // of the crowd
	began   time.Duration
	calls   []*call // that are not answered
	tag     uint32  // of the last call
	trouble []int   // the servers whose last answer to it was none, or a bad one
	got     uint32  // calls that succeeded
	failing bool    // the last call had no answer, or a bad one
	lacks   bool    // that, or a call is under way, or it gave up: see [Tally.judge]
}

// call is a command that waits for a server.
type call struct {
	tag     uint32
	done    bool
	ok      bool // how it was answered, as in server.Answer
	turned  bool
	limited bool
	server  int // its number
	began   time.Duration
}

// beginScript starts the client's script.
func (c *client) beginScript() {
	s := c.sim
	c.began = s.virtualTime()
	s.Begun++
	s.Started.Add(s.virtualTime(), 1)
	s.under++
	script := s.parts[c.part].Script
	runner := interp.New(interp.Config{
		World: c, Secrets: &s.secrets, Seed: clientSeed(s.seed, c.client), Backoff: s.Backoff,
		Observer: s.observerOf(c.client),
		Script: interp.Script{
			Name: script.Name, Args: script.Args, Environ: s.environs[c.part], Dir: s.Dir, PID: int(c.client) + 1,
			Files: s.standard,
		},
	})
	c.Go(func() { c.endScript(runner.Run(s.ctx, s.files[c.part])) })
}

// clientSeed gives each client a seed of its own (the finalizer of splitmix64).
func clientSeed(seed uint64, number uint32) uint64 {
	x := seed ^ (uint64(number)+1)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return max(x^x>>31, 1)
}

// endScript notes how the script ended.
func (c *client) endScript(err error) {
	s := c.sim
	s.under--
	if s.over {
		return
	}
	done := s.Done
	var exit *interp.Exit
	var failure *interp.Failure
	switch {
	case err == nil, errors.As(err, &exit) && exit.Status == 0:
		s.Done++
		s.Last = s.virtualTime()
		s.Finished.Add(s.virtualTime(), 1)
		s.Took = append(s.Took, s.virtualTime()-c.began)
		part := &s.Parts[c.part]
		part.Done++
		part.Took = append(part.Took, s.virtualTime()-c.began)
	case exit != nil:
		s.noteFailure("exit " + strconv.Itoa(exit.Status))
	case errors.As(err, &failure) && failure.Reason != "":
		s.noteFailure(string(failure.Reason))
	case failure != nil:
		s.noteFailure(string(failure.Kind))
	default:
		s.noteFailure(err.Error())
	}
	s.noteLacking(c, s.Done == done && s.virtualTime() >= s.trigger.to)
	if s.under == 0 && s.Begun == len(s.clients) {
		s.ended = true
		s.endCounts()
	}
}

// Now implements [backoff.Clock]. Contexts that are cancelled ask from goroutines of their own.
func (c *client) Now() time.Duration { return c.sim.virtualTime() }

// AfterFunc implements [backoff.Clock].
func (c *client) AfterFunc(at time.Duration, f func()) backoff.Timer {
	return c.sim.Sim.AfterFunc(at, func() {
		c.sim.catchUp()
		f()
		c.runTasks()
	})
}

// Date implements [world.Time]: the time since the beginning of 1970.
func (c *client) Date() time.Time { return time.Unix(0, int64(c.Now())) }

// Find implements [world.Programs]: all programs are there.
func (c *client) Find(name, _ string, _ files.Directory) (string, error) { return name, nil }

// Become implements [world.Programs].
func (c *client) Become(*outside.Command) error { return outside.ErrStays }

// Umask implements [world.Programs].
func (c *client) Umask(int) error { return nil }

// Identity implements [world.Programs].
func (c *client) Identity() string { return "" }

// Prepare implements [world.World].
func (c *client) Prepare() {}

// Killed implements [world.World].
func (c *client) Killed() <-chan struct{} { return c.sim.kill }

// Hurried implements [world.World].
func (c *client) Hurried() <-chan struct{} { return nil }

// Key implements [world.World].
func (c *client) Key(random func() uint64) (string, error) {
	return "ftsh-" + strconv.FormatUint(random(), 36) + strconv.FormatUint(random(), 36), nil
}

// Enter implements [world.World]: a client goes where the real script would.
func (c *client) Enter(_ files.Directory, name string) (files.Directory, error) {
	return files.Directory{Name: name}, nil
}

// Resource implements [world.World].
func (c *client) Resource(name string, _ func(string) (string, bool)) (outside.Gate, error) {
	return gate{c.sim.resourceNamed(int(c.client)%max(c.sim.Machines, 1), name), c}, nil
}

// Run implements [world.Programs]: it runs a command, that is, nothing.
func (c *client) Run(ctx context.Context, cmd *outside.Command) (outside.Status, error) {
	if ctx.Err() != nil {
		return outside.Status{}, context.Cause(ctx)
	}
	route := c.sim.World.Route(cmd.Args)
	status, output, known := evaluateProgram(cmd.Dir.Name, cmd.Args)
	ending := world.Ending{Status: status}
	if known && route.Command == nil {
		route = world.Route{}
	}
	c.sim.noteRoute(cmd.Args[0], route, known, int(c.at.Line))
	switch {
	case route.Server != nil:
		ending, output = c.callServer(ctx, route)
	case route.Command != nil:
		ending, output = c.runLocal(ctx, route.Command)
	}
	if ctx.Err() != nil {
		return outside.Status{}, context.Cause(ctx)
	}
	c.writeOutput(cmd, 1, output)
	c.writeOutput(cmd, 2, ending.Says)
	return outside.Status{Code: ending.Status}, nil
}

func (c *client) writeOutput(cmd *outside.Command, fd int, text string) {
	if fd < len(cmd.Files) && text != "" {
		c.add(cmd.Files[fd], text)
	}
}

// runLocal runs a command that only takes time.
func (c *client) runLocal(ctx context.Context, command *world.Command) (world.Ending, string) {
	dice := c.sim.Dice()
	c.Await(c.sim.virtualTime()+command.Takes.Draw(dice), func() bool { return ctx.Err() != nil })
	if command.Failure > 0 && dice.Float64() < command.Failure {
		return command.Error, ""
	}
	return world.Ending{}, command.Output
}

// callServer sends a request and waits for the answer. Whoever is cut off meanwhile hangs up.
func (c *client) callServer(ctx context.Context, route world.Route) (world.Ending, string) {
	s := c.sim
	c.tag++
	waiting := &call{tag: c.tag, server: route.Number, began: s.virtualTime()}
	c.calls = append(c.calls, waiting)
	s.noteLacking(c, true)
	request, output := server.Request{Who: c.client, Tag: c.tag}, route.Server.Output
	if route.Program != nil {
		request.Program, output = route.Program.Name, route.Program.Output
	}
	if !s.over {
		s.Parts[c.part].Requests++
	}
	s.sendRequest(route.Number, request)
	c.Await(backoff.Never, func() bool { return waiting.done || ctx.Err() != nil })
	c.forgetCall(waiting)
	if !waiting.done {
		s.servers[route.Number].Left(request)
		s.noteUnanswered(c, route.Number, &s.TimedOut)
		return world.Ending{}, ""
	}
	switch {
	case waiting.ok:
		s.succeeded(c, waiting)
		return world.Ending{}, strings.ReplaceAll(output, "{number}", strconv.Itoa(s.Good))
	case waiting.limited:
		s.noteUnanswered(c, route.Number, &s.Limited)
		return route.Server.Limited, ""
	case waiting.turned:
		s.noteUnanswered(c, route.Number, &s.Refused)
		return route.Server.Refused, ""
	}
	s.noteUnanswered(c, route.Number, &s.Errors)
	return route.Server.Error, ""
}

func (c *client) forgetCall(done *call) {
	c.calls = slices.DeleteFunc(c.calls, func(open *call) bool { return open == done })
}

// waitsFor reports whether the client still waits for the answer to a request.
func (c *client) waitsFor(tag uint32) bool {
	return slices.ContainsFunc(c.calls, func(open *call) bool { return open.tag == tag && !open.done })
}

// takeAnswer takes in what a server says; false if nobody waits for it any more.
func (c *client) takeAnswer(a server.Answer) bool {
	for _, open := range c.calls {
		if open.tag == a.Tag && !open.done {
			open.done, open.ok, open.turned, open.limited = true, a.OK, a.Turned, a.Limited
			c.heard = responseOf(a)
			return true
		}
	}
	return false
}

var errOver = errors.New("the simulation is over")

// Runaway is a script that runs on and on while no time passes.
type Runaway struct {
	Pos   ast.Pos // where it was found
	Steps int     // statements and turns of loops by then
}

// Error says what can be done.
func (r *Runaway) Error() string { return r.Pos.String() + ": " + r.describeRunaway() }
