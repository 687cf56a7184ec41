package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"ftsh/cmd/ftshsim/choose"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/experiment"
)

// choosing are the options of `ftshsim choose`.
type choosing struct {
	Clients int    `default:"500" range:"1 10000000" help:"how many run the script"`
	Server  string `value-name:"SPEC" help:"what the servers are like"`
	choose.Options
	Start    time.Duration `default:"10s" range:"0s 24h" help:"clients start at random moments within this time"`
	Machines int           `default:"1" range:"1 1000000" help:"on which the clients run; those of one share its"`
	_        struct{}      `help:"resources (via). Not said: the answer for one, and for one for each client"`
	Assume   string        `long:"assume-slots" value-name:"N" help:"of servers with \"slots unknown\""`
	_        struct{}      `help:"in SPEC; none: no limit"`
	output
}

func runChoose(ctx context.Context, args []string) error {
	o := choosing{output: output{Seeds: 5}}
	var questions []*choose.Question
	var room *room
	within, known := ctx, newOptions("choose", &o)
	args, behind := behindDashes(args)
	err := known.readOptions(args, func(names []string) (err error) {
		if questions, err = o.readQuestions(names, behind, known.isGiven("machines")); err == nil {
			within, room, err = makeRoom(ctx, o.Clients, math.MaxInt)
		}
		return err
	})
	if err != nil {
		return err
	}
	var reports []*experiment.Report
	for n, question := range questions {
		meter := newMeter("choose")
		question.Progress = func(time.Duration, time.Duration) { room.tighten() }
		report, err := question.Find(within, herd.Runs{Seeds: o.Seeds, First: o.First, Workers: room.workers,
			Progress: func(done, all int) { meter.showDone(n*all+done, len(questions)*all) }})
		meter.clearLine()
		err = overflowOr(within, err)
		switch {
		case err != nil && ctx.Err() != nil:
			return errInterrupted
		case err != nil:
			return &misuse{err, ""}
		}
		reports = append(reports, report)
	}
	report := joinAnswers(reports, o.Clients)
	report.Parameters = known.settings("server", "clients", "deadline", "share", "load", "outages", "mode", "machines")
	return o.writeReport(report)
}

// joinAnswers makes one report of those for one machine and for one that each client has.
func joinAnswers(reports []*experiment.Report, clients int) *experiment.Report {
	r := reports[0]
	for _, each := range reports[1:] {
		r.Answer = append(r.Answer, each.Answer...)
		r.Notes = slices.Insert(r.Notes, 0, "On 1 machine:")
		r.Note("On %d machines, one for each client:", clients)
		r.Notes = append(r.Notes, each.Notes...)
		for _, t := range each.Tables {
			t.Name, t.Title = t.Name+"-each", t.Title+", with a machine for each client"
			r.Tables = append(r.Tables, t)
		}
		for _, f := range each.Figures {
			f.Name, f.Title, f.Folded = f.Name+"-each", f.Title+", with a machine for each client", true
			r.Figures = append(r.Figures, f)
		}
		r.Events, r.Interrupted = r.Events+each.Events, r.Interrupted || each.Interrupted
	}
	return r
}

// readQuestions reads the command line. Who does not say on how many machines the clients run asks for one and for one
// for each client, where that matters.
func (o *choosing) readQuestions(names, args []string, machinesSaid bool) ([]*choose.Question, error) {
	if err := o.checkOutput(); err != nil {
		return nil, err
	}
	if len(names) != 1 || o.Server == "" {
		return nil, errors.New("choose wants one script, and --server SPEC, a file that says what the server is like")
	}
	crowd, err := crowdAt(o.Server, o.Assume)
	if err != nil {
		return nil, err
	}
	script, err := readScript(names[0], args)
	if err != nil {
		return nil, err
	}
	crowd.Clients, crowd.Start, crowd.Machines = o.Clients, o.Start, o.Machines
	if len(o.Outages) == 0 {
		o.Outages = []time.Duration{0, o.Deadline / 10, o.Deadline / 3, o.Deadline * 2 / 3}
	}
	for _, length := range o.Outages {
		if o.At+length >= o.Start+o.Deadline {
			return nil, fmt.Errorf("an outage of %v beginning at %v ends after the last deadline, %v: "+
				"wanted a shorter one, or a later --deadline", length, o.At, o.Start+o.Deadline)
		}
	}
	var list []*choose.Question
	for _, machines := range []int{o.Machines, o.Clients} {
		crowd.Machines = machines
		q := &choose.Question{Crowd: crowd, Script: script, Options: o.Options}
		q.AddSettings()
		if len(q.Settings) == 0 { // the script as it is would win against nobody
			return nil, errors.New("there is nothing to try: wanted a first wait (--from) that is no longer " +
				"than a cap (--to), and, if --resources wants only slots, a server that has some")
		}
		if list = append(list, q); machinesSaid || o.Clients == 1 || !q.DependsOnMachines() {
			break
		}
	}
	return list, nil
}
