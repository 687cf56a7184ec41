package main

import (
	"context"
	"fmt"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/simulate"
)

const tipUsage = `ftshsim tip: the smallest outage after which the clients of a script do not come back

  ftshsim tip --clients 1000 --server SPEC SCRIPT [-- ARGUMENT…]

The script works without an end. The outages of the first server in SPEC are left
out; in their place comes one, whose length is halved until the edge is near, and then
varied around it. Beyond the edge the work done per second never gets back to what it was before, since
the clients ask again and again. Then the same for the number of clients.

`

// tipping are the options of `ftshsim tip`.
type tipping struct {
	Clients int           `default:"500" range:"1 10000000" help:"how many run the script"`
	Server  string        `value-name:"SPEC" help:"what the servers are like"`
	Start   time.Duration `default:"10s" range:"0s 24h" help:"clients start at random moments within this time"`
	At      time.Duration `default:"1m" range:"10s 24h" help:"beginning of the outage"`
	Mode    server.Mode   `default:"refuse" help:"of the outage"`
	Longest time.Duration `default:"5m" range:"1s 24h" help:"outage that is tried"`
	Watch   time.Duration `default:"3m" range:"1m 24h" help:"how long a run goes on after the outage"`
	Assume  assumption    `long:"assume-slots" help:"of servers with \"slots unknown\" in SPEC; none: no limit"`
	output
}

// runTip is `ftshsim tip`.
func runTip(ctx context.Context, args []string) int {
	o := tipping{output: output{Seeds: 3}}
	known := newOptions("ftshsim tip", &o)
	args, behind := behindDashes(args)
	names, status, goOn := known.readCommandLine(args, tipUsage, func([]string) error { return o.checkOutput() })
	if !goOn {
		return status
	}
	tip, err := o.readTip(names, behind)
	if err != nil {
		return complainAt(known, err)
	}
	ctx, room, err := makeRoom(ctx, o.Clients, o.Seeds)
	if err != nil {
		return complainAt(known, err)
	}
	meter := newMeter("tip")
	tip.Progress = func(now, until time.Duration) {
		room.tighten()
		meter.showWithin(now, until)
	}
	report, err := tip.Find(ctx, herd.Runs{Seeds: o.Seeds, First: o.First, Workers: room.workers})
	meter.clearLine()
	if err = overflowOr(ctx, err); err != nil {
		return complainAt(nil, err)
	}
	report.Parameters = []experiment.Setting{{Name: "server", Value: o.Server},
		{Name: "clients", Value: fmt.Sprint(o.Clients)}, {Name: "mode", Value: o.Mode.String()}}
	return o.writeReport(report)
}

// readTip reads the command line.
func (o *tipping) readTip(names, args []string) (*simulate.Tip, error) {
	crowd, err := readCrowd("tip", o.Server, names, args)
	if err == nil {
		crowd.World, err = o.Assume.putInto(crowd.World)
	}
	if err != nil {
		return nil, err
	}
	crowd.Clients, crowd.Start = o.Clients, o.Start
	return &simulate.Tip{Crowd: crowd, At: o.At, Mode: o.Mode, Longest: o.Longest, Watch: o.Watch}, nil
}
