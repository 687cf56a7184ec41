package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

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

// add adds the options that all experiments have.
func (o *output) add(to *options) {
	to.add("n", "seeds", "runs of each point, with different seeds", experiment.Whole(&o.seeds, 1, 1_000_000))
	to.add("", "seed", "the first of them", experiment.Seed(&o.first))
	to.add("", "plot", "draw a picture: FILE.svg or FILE.png", experiment.Text(&o.plot, "FILE"))
	to.add("", "csv", "write the tables to FILE, - is standard output", experiment.Text(&o.csv, "FILE"))
	to.add("", "json", "write everything to FILE, - is standard output", experiment.Text(&o.json, "FILE"))
	to.add("q", "quiet", "no tables and no plots on standard output", experiment.Yes(&o.quiet))
	to.add("", "width", "of the plot on the terminal, in characters", experiment.Whole(&o.width, 40, 1000))
}

// check finds what is wrong before long runs begin.
func (o *output) check() error {
	if o.plot != "" {
		if _, err := picture.Kind(o.plot); err != nil {
			return fmt.Errorf("invalid value %q for --plot: %w", o.plot, err)
		}
	}
	for option, file := range map[string]string{"plot": o.plot, "csv": o.csv, "json": o.json} {
		if _, err := os.Stat(filepath.Dir(file)); err != nil {
			return fmt.Errorf("invalid value %q for --%s: wanted a file in a directory that exists", file, option)
		}
	}
	return nil
}

// runPreset runs an experiment with its options.
func runPreset(ctx context.Context, p *experiment.Preset, args []string) int {
	o := output{seeds: p.Seeds, first: 1, width: 72}
	known := newOptions("ftshsim " + p.Name)
	for _, parameter := range p.Parameters {
		known.add("", parameter.Name, parameter.Usage, parameter.Value)
	}
	o.add(known)
	rest, err := known.parse(args)
	switch {
	case errors.Is(err, errHelp):
		fmt.Printf("ftshsim %s: %s\n\n%s\n\n%s", p.Name, p.Title, p.About, known.help())
		return statusSuccess
	case err != nil:
		return known.complain(err)
	case len(rest) > 0:
		return known.complain(fmt.Errorf("%s takes no arguments, but got %q", p.Name, rest))
	}
	if err := o.check(); err != nil {
		return known.complain(err)
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
