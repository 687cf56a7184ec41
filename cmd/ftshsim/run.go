package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/backoff"
	"ftsh/backoff/herd"
	"ftsh/backoff/herd/experiment"
	"ftsh/interp/simulate"
	"ftsh/interp/simulate/world"
)

// scripts are the options of `ftshsim run`.
type scripts struct {
	output
	spec     string
	clients  []int
	start    time.Duration
	until    time.Duration
	backoffs clauses
	machines int
	watch    int
}

const runUsage = `ftshsim run: real scripts for many clients in virtual time

  ftshsim run --clients 500 --server SPEC SCRIPT… [-- ARGUMENT…]

try, forany, forall, catch, finally, functions and expressions are the shell's
own. Each external command becomes a request to the server that the file SPEC
describes; nothing is started, and no file is written. With several scripts,
numbers of clients or --backoff clauses, the table has a column for each.
"ftshsim spec" prints a SPEC to begin with, "ftsh --manual simulator" has all of it.

`

// options are the options of `ftshsim run`, with their defaults.
func (r *scripts) options() *options {
	r.output = output{seeds: 10, first: 1, width: 72}
	r.clients, r.start, r.until, r.machines = []int{500}, 10*time.Second, time.Hour, 1
	const year = 365 * 24 * time.Hour
	known := newOptions("ftshsim run")
	known.add("", "clients", "how many run the script", experiment.List(&r.clients, func(n *int) experiment.Value { return experiment.Whole(n, 1, 100_000) }))
	known.add("", "server", "what the servers are like", experiment.Text(&r.spec, "SPEC"))
	known.add("", "start", "clients start at random moments within this time", experiment.Time(&r.start, 0, year))
	known.add("", "until", "who still runs then is cut off", experiment.Time(&r.until, time.Second, year))
	known.add("", "backoff", "of all tries instead of their own, such as \"full from 1 s to 1 m\"; \"script\" keeps them; may be repeated", &r.backoffs)
	known.add("", "machines", "on which the clients run; those of one share its resources (via)", experiment.Whole(&r.machines, 1, 1_000_000))
	known.add("", "watch", "show what the client of that number does, with the first seed", experiment.Whole(&r.watch, 0, 1_000_000))
	r.output.add(known)
	return known
}

// clauses are the values of --backoff.
type clauses []string

// Type implements [experiment.Value].
func (*clauses) Type() string { return "CLAUSE" }

// String implements [experiment.Value].
func (c *clauses) String() string { return strings.Join(*c, ", ") }

// Set implements [experiment.Value].
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

// runScripts is `ftshsim run`.
func runScripts(ctx context.Context, args []string) int {
	var r scripts
	known := r.options()
	var behind []string
	if dash := slices.Index(args, "--"); dash >= 0 {
		args, behind = args[:dash], args[dash+1:]
	}
	names, err := known.parse(args)
	if errors.Is(err, errHelp) {
		fmt.Print(runUsage + known.help())
		return statusSuccess
	}
	if err == nil {
		err = r.check()
	}
	if err != nil {
		return known.complain(err)
	}
	c, err := r.comparison(names, behind)
	if err != nil {
		return r.complain(known, err)
	}
	return r.run(ctx, c)
}

// run simulates and shows what comes of it.
func (r *scripts) run(ctx context.Context, c *simulate.Comparison) int {
	debug.SetGCPercent(400) // little is alive but the stacks of the clients, which are looked through each time
	if r.watch > 0 {
		return r.watchOne(ctx, c)
	}
	meter := newMeter("run")
	c.Progress = meter.within
	report, err := c.Compare(ctx, herd.Runs{Seeds: r.seeds, First: r.first, Progress: meter.show})
	meter.clear()
	if err != nil {
		return r.complain(nil, err)
	}
	report.Parameters = []experiment.Setting{{Name: "server", Value: r.spec}, {Name: "start", Value: r.start.String()}, {Name: "until", Value: r.until.String()}}
	return r.write(report)
}

// comparison makes variants of what the command line says.
func (r *scripts) comparison(names, args []string) (*simulate.Comparison, error) {
	switch {
	case len(names) == 0:
		return nil, errors.New("run wants a script; - is standard input")
	case r.spec == "":
		return nil, errors.New("run wants --server SPEC, a file that says what the server is like; ftshsim spec prints one to begin with")
	}
	w, err := readWorld(r.spec)
	if err != nil {
		return nil, err
	}
	standard, err := backoff.FromEnvironment(os.LookupEnv)
	if err != nil {
		return nil, err
	}
	dir, _ := os.Getwd()
	c := &simulate.Comparison{Crowd: simulate.Crowd{
		World: w, Start: r.start, Until: r.until, Machines: r.machines,
		Backoff: standard, Environ: os.Environ(), Dir: dir,
	}}
	for _, name := range names {
		script, err := readScript(name, args)
		if err != nil {
			return nil, err
		}
		if err := r.vary(c, script, len(names) > 1); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// vary adds the variants of a script.
func (r *scripts) vary(c *simulate.Comparison, script *simulate.Script, several bool) error {
	list := r.backoffs
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
		for _, n := range r.clients {
			c.Variants = append(c.Variants, simulate.Variant{Name: r.name(script, clause, n, several), Script: changed, Clients: n})
		}
	}
	return nil
}

// name is what makes a variant different from the others.
func (r *scripts) name(script *simulate.Script, clause string, clients int, several bool) string {
	var parts []string
	if several || len(r.backoffs) == 0 && len(r.clients) == 1 {
		parts = append(parts, script.Name)
	}
	if len(r.backoffs) > 0 {
		parts = append(parts, clause)
	}
	if len(r.clients) > 1 {
		parts = append(parts, strconv.Itoa(clients))
	}
	return strings.Join(parts, ", ")
}

// readWorld reads a SPEC.
func readWorld(name string) (*world.World, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read --server: %w", err)
	}
	return world.Parse(&ast.Source{Name: name, Text: string(text)})
}

// readScript reads a script; - is standard input.
func readScript(name string, args []string) (*simulate.Script, error) {
	read := func() ([]byte, error) { return os.ReadFile(name) }
	if name == "-" {
		read = func() ([]byte, error) { return io.ReadAll(os.Stdin) }
	}
	text, err := read()
	if err != nil {
		return nil, fmt.Errorf("cannot read the script: %w", err)
	}
	if name == "-" {
		name = "stdin"
	}
	return simulate.Load(name, string(text), args)
}

// complain tells what is wrong; what has a place in a file is shown there.
func (r *scripts) complain(known *options, err error) int {
	var list diag.List
	var runaway *simulate.Runaway
	switch {
	case errors.As(err, &list):
		fmt.Fprintln(os.Stderr, list.Text())
	case errors.As(err, &runaway):
		fmt.Fprintln(os.Stderr, runaway.Text())
		return statusFailed
	case known == nil:
		return complain(err, "")
	default:
		return known.complain(err)
	}
	return statusUsage
}
