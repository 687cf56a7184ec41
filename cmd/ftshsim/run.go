package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/simulate"
	"ftsh/cmd/ftshsim/world"
	"ftsh/interp/event"
)

// scripts are the options of `ftshsim run`.
type scripts struct {
	Clients  []int         `default:"500" range:"1 10000000" help:"how many run the script"`
	Server   string        `value-name:"SPEC" help:"what the servers are like"`
	Start    time.Duration `default:"10s" range:"0s 8760h" help:"clients start at random moments within this time"`
	Until    time.Duration `default:"1h" range:"1s 8760h" help:"who still runs then is cut off;"`
	_        struct{}      `help:"if not said, at least as long as the time limits of the scripts allow"`
	Backoffs clauses       `long:"backoff" help:"of all tries instead of their own,"`
	_        struct{}      `help:"such as \"full from 1 s to 1 m\"; \"script\" keeps them; may be repeated"`
	Mix      []float64     `value-name:"PERCENT,…" range:"0 100" help:"what would be columns (scripts, --backoff)"`
	_        struct{}      `help:"makes one crowd, with these shares"`
	Machines int           `default:"1" range:"1 1000000" help:"on which the clients run;"`
	_        struct{}      `help:"those of one share its resources (via)"`
	Paired   bool          `help:"add the differences of the other columns to the first, run by run"`
	Assume   string        `long:"assume-slots" value-name:"N" help:"of servers with \"slots unknown\" in SPEC;"`
	_        struct{}      `help:"none: no limit"`
	Watch    int           `range:"0 1000000" help:"show what the client of that number does, with the first seed"`
	output
	known *options
}

// clauses are the values of --backoff.
type clauses []string

// Type implements [parameter.Value].
func (*clauses) Type() string { return "CLAUSE" }

// String implements [parameter.Value].
func (c *clauses) String() string { return strings.Join(*c, ", ") }

// Set implements [parameter.Value].
func (c *clauses) Set(text string) error {
	if text != own {
		if err := simulate.CheckBackoff(text); err != nil {
			return err
		}
	}
	*c = append(*c, text)
	return nil
}

// own is the clause that keeps what the script says.
const own = "script"

func runScripts(ctx context.Context, args []string) error {
	var r scripts
	var c *simulate.Comparison
	var room *room
	r.known = newOptions("run", &r)
	args, behind := behindDashes(args)
	err := r.known.readOptions(args, func(names []string) (err error) {
		if c, err = r.comparison(names, behind); err == nil {
			ctx, room, err = makeRoom(ctx, slices.Max(r.Clients), r.Seeds*len(c.Variants))
		}
		if err == nil && r.Watch > 0 {
			err = r.checkWatch(c)
		}
		return err
	})
	if err != nil {
		return err
	}
	if r.Watch > 0 {
		return r.watchOne(ctx, c)
	}
	meter := newMeter("run")
	c.Progress = func(now, until time.Duration) {
		room.tighten()
		meter.showWithin(now, until)
	}
	report, err := c.Compare(ctx, herd.Runs{Seeds: r.Seeds, First: r.First, Workers: room.workers,
		Progress: meter.showDone})
	meter.clearLine()
	if err = overflowOr(ctx, err); err != nil {
		return &misuse{err, ""}
	}
	report.Parameters = r.known.settings("server", "start", "until")
	return r.writeReport(report)
}

// behindDashes cuts off what stands behind --: the arguments of a script.
func behindDashes(args []string) (before, behind []string) {
	if dash := slices.Index(args, "--"); dash >= 0 {
		return args[:dash], args[dash+1:]
	}
	return args, nil
}

// comparison makes variants of what the command line says.
func (r *scripts) comparison(names, args []string) (*simulate.Comparison, error) {
	if err := r.checkOutput(); err != nil {
		return nil, err
	}
	switch {
	case len(names) == 0:
		return nil, errors.New("run wants a script; - is standard input")
	case r.Server == "":
		return nil, errors.New("run wants --server SPEC, a file that says what the server is like; " +
			"ftshsim spec prints one to begin with")
	}
	crowd, err := crowdAt(r.Server, r.Assume)
	if err != nil {
		return nil, err
	}
	r.asSeen(crowd.World.Seen)
	crowd.Start, crowd.Until, crowd.Machines = r.Start, r.Until, r.Machines
	c := &simulate.Comparison{Paired: r.Paired, Crowd: crowd}
	for _, name := range names {
		script, err := readScript(name, args)
		if err != nil {
			return nil, err
		}
		if err := r.addVariants(c, script, len(names) > 1); err != nil {
			return nil, err
		}
	}
	r.followLimits(c)
	return c, r.mixVariants(c)
}

// followLimits makes the run as long as the limits of the scripts, if nobody says how long it is.
func (r *scripts) followLimits(c *simulate.Comparison) {
	if r.known.isGiven("until") || c.World.Seen != nil {
		return
	}
	longest := time.Duration(0)
	for _, v := range c.Variants {
		begins := r.Start
		if len(c.World.Arrivals) > 0 {
			begins = c.World.Arrived(v.Clients)
		}
		if limit := v.Who[0].Script.Limit(); limit > 0 {
			longest = max(longest, begins+limit+time.Minute) // for what follows them
		}
	}
	r.Until = min(max(r.Until, longest.Round(time.Second)), 8760*time.Hour)
	c.Crowd.Until = r.Until
}

// mixVariants makes one crowd of all variants, if that is wanted.
func (r *scripts) mixVariants(c *simulate.Comparison) error {
	if len(r.Mix) == 0 {
		return nil
	}
	mixed := simulate.Variant{Name: "mixed", Clients: r.Clients[0]}
	sum := 0.0
	for i, v := range c.Variants[:min(len(r.Mix), len(c.Variants))] {
		mixed.Who = append(mixed.Who, simulate.Part{Name: v.Name, Script: v.Who[0].Script, Share: r.Mix[i]})
		sum += r.Mix[i]
	}
	switch {
	case len(r.Clients) > 1:
		return errors.New("--mix makes one crowd: wanted one number of clients")
	case len(r.Mix) != len(c.Variants) || len(r.Mix) < 2:
		return fmt.Errorf("--mix has %d shares, and there are %d scripts or --backoff clauses to share the crowd; "+
			"wanted as many, and at least two",
			len(r.Mix), len(c.Variants))
	case math.Abs(sum-100) > 1e-6:
		return fmt.Errorf("the shares of --mix add up to %v percent, wanted 100", sum)
	}
	c.Variants = []simulate.Variant{mixed}
	return nil
}

// asSeen takes what the command line does not say from what SPEC says was seen: how many
// clients there were, and when they began. Where they have all come to an end, the simulation
// waits for that, too.
func (r *scripts) asSeen(s *world.Seen) {
	if s == nil {
		return
	}
	if !r.known.isGiven("clients") {
		r.Clients = []int{s.Clients}
	}
	if !r.known.isGiven("start") {
		r.Start = s.Start
	}
	if !r.known.isGiven("until") && s.Finished < s.Clients {
		r.Until = s.Period
	}
}

// addVariants adds the variants of a script, each named by what makes it different from the others.
func (r *scripts) addVariants(c *simulate.Comparison, script *simulate.Script, several bool) error {
	list := r.Backoffs
	if len(list) == 0 {
		list = clauses{own}
	}
	for _, clause := range list {
		changed := script
		if clause != own {
			var err error
			if changed, err = script.WithBackoff(clause); err != nil {
				return err
			}
		}
		for _, n := range r.Clients {
			var parts []string
			if several || len(r.Backoffs) == 0 && len(r.Clients) == 1 {
				parts = append(parts, script.Name)
			}
			if len(r.Backoffs) > 0 {
				parts = append(parts, clause)
			}
			if len(r.Clients) > 1 {
				parts = append(parts, strconv.Itoa(n))
			}
			c.Variants = append(c.Variants,
				simulate.Variant{Name: strings.Join(parts, ", "), Who: simulate.All(changed), Clients: n})
		}
	}
	return nil
}

// crowdAt is a crowd of clients at the server of a SPEC, with the environment of this program. A server of which the
// SPEC does not know the slots has as many as is assumed.
func crowdAt(spec, assumed string) (crowd simulate.Crowd, err error) {
	crowd.Environ = os.Environ()
	crowd.Dir, _ = os.Getwd()
	text, err := os.ReadFile(spec)
	if err != nil {
		return crowd, fmt.Errorf("cannot read --server: %w", err)
	}
	if crowd.World, err = world.Parse(&ast.Source{Name: spec, Text: string(text)}); err != nil {
		return crowd, err
	}
	if assumed != "" {
		slots, err := strconv.Atoi(assumed) // 0: any number
		if assumed != "none" && (err != nil || slots < 1) {
			return crowd, fmt.Errorf("invalid value %q for --assume-slots: wanted a whole number from 1 on, or none for no "+
				"limit, not %q", assumed, assumed)
		}
		if !slices.ContainsFunc(crowd.World.Servers, func(s world.Server) bool { return s.Spec.Seen > 0 }) {
			return crowd, errors.New("--assume-slots is for a SPEC that says `slots unknown at least N`, and this one does not")
		}
		crowd.World = crowd.World.Changed(func(s *server.Spec) {
			if s.Seen > 0 {
				s.Slots, s.Seen = slots, 0
			}
		})
	}
	crowd.Backoff, err = backoff.FromEnvironment(os.LookupEnv)
	return crowd, err
}

// readScript reads a script; - is standard input.
func readScript(name string, args []string) (*simulate.Script, error) {
	var text []byte
	var err error
	if name == "-" {
		name = "stdin"
		text, err = io.ReadAll(os.Stdin)
	} else {
		text, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the script: %w", err)
	}
	return simulate.Load(name, string(text), args)
}

// watcher is the log of one client. The seconds are those of the simulation.
type watcher struct {
	*event.Log
	now func() time.Duration
}

// Observe implements [event.Observer].
func (w watcher) Observe(e event.Event) {
	e.Time = time.Unix(0, int64(w.now()))
	w.Log.Observe(e)
}

// checkWatch says why one client of a comparison cannot be shown.
func (r *scripts) checkWatch(c *simulate.Comparison) error {
	switch {
	case len(c.Variants) > 1:
		return fmt.Errorf("--watch %d: wanted one script, one number of clients and at most one --backoff", r.Watch)
	case r.Watch > c.Variants[0].Clients:
		return fmt.Errorf("--watch %d: there are %d clients", r.Watch, c.Variants[0].Clients)
	}
	return nil
}

func (r *scripts) watchOne(ctx context.Context, c *simulate.Comparison) error {
	crowd := c.Crowd
	crowd.Who, crowd.Clients = c.Variants[0].Who, c.Variants[0].Clients
	out := event.OutputTo(1)
	crowd.Observe = func(client int, now func() time.Duration) event.Observer {
		if client+1 != r.Watch {
			return nil
		}
		return watcher{event.NewLog(out, event.Config{Level: event.Structures, Decimal: true, Shell: r.Watch}), now}
	}
	if _, err := simulate.Run(ctx, crowd, r.First); err != nil {
		return &misuse{err, ""}
	}
	return nil
}
