package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"ftsh/backoff/herd"
	"ftsh/backoff/herd/experiment"
	"ftsh/backoff/herd/picture"
)

// output is what every experiment can be asked for.
type output struct {
	seeds int
	first uint64
	plot  string
	csv   string
	json  string
	quiet bool
	width int
}

// flags adds the options that all experiments have.
func (o *output) flags(set *pflag.FlagSet) {
	set.VarP(experiment.Whole(&o.seeds, 1, 1_000_000), "seeds", "n", "runs of each point, with different seeds")
	set.Uint64Var(&o.first, "seed", o.first, "the first of them")
	set.StringVar(&o.plot, "plot", "", "draw a picture: `FILE`.svg or .png")
	set.StringVar(&o.csv, "csv", "", "write the tables to `FILE`, - is standard output")
	set.StringVar(&o.json, "json", "", "write everything to `FILE`, - is standard output")
	set.BoolVarP(&o.quiet, "quiet", "q", false, "no tables and no plots on standard output")
	set.Var(experiment.Whole(&o.width, 40, 1000), "width", "of the plot on the terminal, in characters")
}

// runPreset runs an experiment with its options.
func runPreset(ctx context.Context, p *experiment.Preset, args []string) int {
	o := output{seeds: 10, first: 1, width: 72}
	set := pflag.NewFlagSet(p.Name, pflag.ContinueOnError)
	set.SortFlags = false
	set.SetOutput(io.Discard)
	for _, parameter := range p.Parameters {
		set.Var(parameter.Value, parameter.Name, parameter.Usage)
	}
	o.flags(set)
	switch err := set.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Printf("ftshsim %s: %s\n\n%s\n\n%s", p.Name, p.Title, p.About, set.FlagUsages())
		return statusSuccess
	case err != nil:
		return complain(err, "ftshsim "+p.Name+" --help shows the options")
	case set.NArg() > 0:
		return complain(fmt.Errorf("%s takes no arguments, but got %q", p.Name, set.Args()), "ftshsim "+p.Name+" --help shows the options")
	}
	if o.plot != "" {
		if _, err := picture.Kind(o.plot); err != nil {
			return complain(fmt.Errorf("--plot %s: %w", o.plot, err), "ftshsim "+p.Name+" --help shows the options")
		}
	}
	meter := newMeter(p.Name)
	report := p.Run(ctx, herd.Runs{Seeds: o.seeds, First: o.first, Progress: meter.show})
	meter.clear()
	return o.write(report)
}

// write puts a report wherever it was asked for.
func (o *output) write(r *experiment.Report) int {
	var failures []error
	if !o.quiet && o.csv != "-" && o.json != "-" {
		_, err := io.WriteString(os.Stdout, text(r, o.width))
		failures = append(failures, err)
	}
	if o.csv != "" {
		failures = append(failures, save(o.csv, func(w io.Writer) error { return writeCSV(w, r) }))
	}
	if o.json != "" {
		failures = append(failures, save(o.json, func(w io.Writer) error { return writeJSON(w, r) }))
	}
	if o.plot != "" {
		failures = append(failures, drawAll(o.plot, r.Figures))
	}
	if err := errors.Join(failures...); err != nil {
		fmt.Fprintln(os.Stderr, "ftshsim:", err)
		return statusFailed
	}
	if r.Interrupted {
		return statusInterrupted
	}
	return statusSuccess
}
