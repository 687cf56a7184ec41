package simulate

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

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
	lacks   bool    // the last call had no answer, or a bad one; or a call is under way, or it gave up: see [Tally.judge]
}

// call is a command that waits for a server.
type call struct {
	tag                       uint32
	done, ok, turned, limited bool // how it was answered, as in server.Answer
	server                    int  // its number
	began                     time.Duration
}

func (c *client) beginScript() {
	s := c.sim
	part := &s.parts[c.part]
	c.began = s.virtualTime()
	s.Begun++
	s.Started.Add(c.began, 1)
	s.Running++
	config := interp.Config{
		World: c, Secrets: &s.secrets, Seed: clientSeed(s.seed, c.client), Backoff: s.Backoff,
		Script: interp.Script{
			Name: part.Script.Name, Args: part.Script.Args, Environ: part.environ, Dir: s.Dir,
			PID: int(c.client) + 1, Files: s.standard,
		},
	}
	if s.Observe != nil {
		config.Observer = s.Observe(int(c.client), s.virtualTime)
	}
	runner := interp.New(config)
	c.Go(func() { c.endScript(runner.Run(s.ctx, part.file)) })
}

// clientSeed gives each client a seed of its own (the finalizer of splitmix64).
func clientSeed(seed uint64, number uint32) uint64 {
	x := seed ^ (uint64(number)+1)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return max(x^x>>31, 1)
}

func (c *client) endScript(err error) {
	s := c.sim
	if s.over {
		return
	}
	s.Running--
	now, why := s.virtualTime(), ""
	var exit *interp.Exit
	var failure *interp.Failure
	switch {
	case err == nil, errors.As(err, &exit) && exit.Status == 0:
		took, part := now-c.began, &s.Parts[c.part]
		s.Done++
		s.Last = now
		s.Finished.Add(now, 1)
		s.Took = append(s.Took, took)
		part.Done++
		part.Took = append(part.Took, took)
	case exit != nil:
		why = "exit " + strconv.Itoa(exit.Status)
	case errors.As(err, &failure) && failure.Reason != "":
		why = string(failure.Reason)
	case failure != nil:
		why = string(failure.Kind)
	default:
		why = err.Error()
	}
	if why != "" {
		s.noteFailure(why)
	}
	s.noteLacking(c, why != "" && now >= s.trigger.to)
	if s.Running == 0 && s.Begun == len(s.clients) {
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

// What is different from a machine, as [outside.World] wants it: the time counts from the beginning of 1970, all
// programs are there, and a client goes where the real script would.

func (c *client) Date() time.Time                                        { return time.Unix(0, int64(c.Now())) }
func (c *client) Find(name, _ string, _ files.Directory) (string, error) { return name, nil }
func (c *client) Become(*outside.Command) error                          { return outside.ErrStays }
func (c *client) Umask(int) error                                        { return nil }
func (c *client) Identity() string                                       { return "" }
func (c *client) Prepare()                                               {}
func (c *client) Killed() <-chan struct{}                                { return c.sim.killed.Done() }
func (c *client) Hurried() <-chan struct{}                               { return nil }
func (c *client) Enter(_ files.Directory, name string) (files.Directory, error) {
	return files.Directory{Name: name}, nil
}

// Key implements [outside.World].
func (c *client) Key(random func() uint64) (string, error) {
	return "ftsh-" + strconv.FormatUint(random(), 36) + strconv.FormatUint(random(), 36), nil
}

// Run implements [outside.Programs]: it runs a command, that is, nothing.
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
	for n, text := range []string{output, ending.Says} {
		if fd := n + 1; fd < len(cmd.Files) && text != "" {
			c.find(cmd.Files[fd]).holds += text
		}
	}
	return outside.Status{Code: ending.Status}, nil
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
	c.calls = slices.DeleteFunc(c.calls, func(open *call) bool { return open == waiting })
	count, ending := &s.Errors, route.Server.Error
	switch {
	case !waiting.done:
		s.servers[route.Number].Left(request)
		count, ending = &s.TimedOut, world.Ending{}
	case waiting.ok:
		s.noteSuccess(c, waiting)
		return world.Ending{}, strings.ReplaceAll(output, "{number}", strconv.Itoa(s.Good))
	case waiting.limited:
		count, ending = &s.Limited, route.Server.Limited
	case waiting.turned:
		count, ending = &s.Refused, route.Server.Refused
	}
	s.noteUnanswered(c, route.Number, count)
	return ending, ""
}

// waitingCall returns the call that still waits for the answer to a request; nil: none does.
func (c *client) waitingCall(tag uint32) *call {
	for _, open := range c.calls {
		if open.tag == tag && !open.done {
			return open
		}
	}
	return nil
}
