package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/parameter"
	"ftsh/cmd/ftshsim/herd/picture"
)

// output holds what every experiment can be asked for.
type output struct {
	Seeds int    `short:"n" default:"10" range:"1 1000000" help:"runs of each point, with different seeds"`
	First uint64 `long:"seed" default:"1" range:"0 18446744073709551615" help:"the first of them"`
	Plot  string `value-name:"FILE" help:"draw a picture: FILE.svg or FILE.png"`
	CSV   string `value-name:"FILE" help:"write the tables to FILE, - is standard output"`
	JSON  string `value-name:"FILE" help:"write everything to FILE, - is standard output"`
	HTML  string `value-name:"FILE" help:"write a page with tables, plots and assumptions to FILE, - is standard output"`
	Quiet bool   `short:"q" help:"no tables and no plots on standard output, only what they say in words"`
	All   bool   `help:"all rows of the tables, and all tables, on standard output"`
	Width int    `default:"72" range:"40 1000" help:"of the plot on the terminal, in characters"`
}

// checkOutput finds what is wrong before long runs begin.
func (o *output) checkOutput() error {
	if o.Plot != "" {
		if _, err := picture.Kind(o.Plot); err != nil {
			return fmt.Errorf("invalid value %q for --plot: %w", o.Plot, err)
		}
	}
	for option, file := range map[string]string{"plot": o.Plot, "csv": o.CSV, "json": o.JSON, "html": o.HTML} {
		if _, err := os.Stat(filepath.Dir(file)); err != nil {
			return fmt.Errorf("invalid value %q for --%s: wanted a file in a directory that exists", file, option)
		}
		if err := checkWritable(file); err != nil {
			return fmt.Errorf("invalid value %q for --%s: wanted a file that can be written: %w", file, option, err)
		}
	}
	return nil
}

// checkWritable says why a file cannot be written, without making it.
func checkWritable(file string) error {
	if file == "" || file == "-" {
		return nil
	}
	target := file
	info, err := os.Stat(file)
	switch {
	case err == nil && info.IsDir():
		return unix.EISDIR
	case err != nil:
		target = filepath.Dir(file)
	}
	return unix.Access(target, unix.W_OK)
}

func runPreset(ctx context.Context, p *experiment.Preset, args []string) error {
	o := output{Seeds: p.Seeds}
	known := &options{name: p.Name,
		about: fmt.Sprintf("ftshsim %s: %s\n\n%s\n\n%s\n\n", p.Name, p.Title, p.About, p.Assumed)}
	known.addOptions(p.Parameters...)
	known.addOptions(parameter.Of(&o)...)
	err := known.readOptions(args, func(rest []string) error {
		return cmp.Or(known.checkNoArguments(rest), o.checkOutput())
	})
	if err != nil {
		return err
	}
	meter := newMeter(p.Name)
	report := p.Run(ctx, herd.Runs{Seeds: o.Seeds, First: o.First, Progress: meter.showDone})
	meter.clearLine()
	return o.writeReport(report)
}

// writeReport puts a report wherever it was asked for.
func (o *output) writeReport(r *experiment.Report) error {
	var failures []error
	if !slices.Contains([]string{o.CSV, o.JSON, o.HTML}, "-") {
		said := strings.TrimPrefix(paragraphText(slices.Concat(r.Answer, r.Verdict))+"\n"+reportWords(r), "\n")
		if !o.Quiet {
			said = reportText(r, o.Width, o.All)
		}
		_, err := io.WriteString(os.Stdout, said)
		failures = append(failures, err)
	}
	for _, file := range []struct {
		name  string
		write func(io.Writer, *experiment.Report) error
	}{{o.CSV, writeCSV}, {o.JSON, writeJSON}, {o.HTML, writeHTML}} {
		if file.name != "" {
			failures = append(failures, writeFile(file.name, func(w io.Writer) error { return file.write(w, r) }))
		}
	}
	if o.Plot != "" {
		failures = append(failures, drawAll(o.Plot, r.Figures))
	}
	err := errors.Join(failures...)
	if err == nil && r.Interrupted {
		return errInterrupted
	}
	return err
}

// meter shows on standard error how far a long run is, if that is a terminal. It is
// safe for concurrent use.
type meter struct {
	mu    sync.Mutex
	name  string
	on    bool
	start time.Time
	last  time.Time
	shown bool
}

func newMeter(name string) *meter {
	_, err := unix.IoctlGetTermios(2, unix.TCGETS)
	return &meter{name: name, on: err == nil, start: time.Now(), last: time.Now()}
}

// showDone is called after each run. Runs that take less than half a second in all show nothing.
func (m *meter) showDone(done, all int) {
	m.printAfter(500*time.Millisecond, func() string {
		left := time.Duration(float64(time.Since(m.start)) / float64(done) * float64(all-done))
		return fmt.Sprintf("%d of %d runs, about %v left", done, all, left.Round(time.Second))
	})
}

// showWithin is called while a run takes long.
func (m *meter) showWithin(now, until time.Duration) {
	m.printAfter(2*time.Second, func() string {
		return fmt.Sprintf("a run is at %v of at most %v", now.Round(time.Second), until)
	})
}

// printAfter shows something, if nothing was shown for a while.
func (m *meter) printAfter(quiet time.Duration, text func() string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now := time.Now(); m.on && now.Sub(m.last) >= quiet {
		m.last, m.shown = now, true
		fmt.Fprintf(os.Stderr, "\r%s: %s (Ctrl-C prints what there is) \x1b[K", m.name, text())
	}
}

func (m *meter) clearLine() {
	if m.shown {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
}
