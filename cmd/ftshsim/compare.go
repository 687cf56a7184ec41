package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/measure"
)

//go:generate go run . compare --output testdata/herd.md
//go:generate sh -c "cd ../ftsh/manual/policies && FTSHSIM='go run ../../../ftshsim' sh figures.sh"

// runCompare writes the page that compares with the sources.
func runCompare(ctx context.Context, args []string) error {
	var page struct {
		Seeds  int    `short:"n" range:"0 1000000" help:"runs of each point; 0: as many as each experiment makes anyway"`
		Output string `short:"o" value-name:"FILE" default:"-" help:"write the page to FILE, - is standard output"`
		HTML   string `value-name:"FILE" help:"write it to FILE as HTML, too, with tables, plots and assumptions"`
	}
	presets := experiment.Presets()
	err := newOptions("compare", &page).readOptions(args, func(names []string) error {
		var all []string
		for _, p := range presets {
			all = append(all, p.Name)
		}
		for _, name := range names {
			if !slices.Contains(all, name) {
				return fmt.Errorf("there is no experiment %q: wanted %s", name, strings.Join(all, ", "))
			}
		}
		presets = slices.DeleteFunc(presets, func(p *experiment.Preset) bool {
			return len(names) > 0 && !slices.Contains(names, p.Name)
		})
		return nil
	})
	if err != nil {
		return err
	}
	var reports []*experiment.Report // of those of which something was published
	for _, p := range presets {
		meter := newMeter(p.Name)
		r := p.Run(ctx, herd.Runs{Seeds: cmp.Or(page.Seeds, p.Seeds), First: 1, Progress: meter.showDone})
		meter.clearLine()
		if len(r.Comparisons) > 0 {
			reports = append(reports, r)
		}
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	err = writeFile(page.Output, func(w io.Writer) error { _, err := io.WriteString(w, comparison(reports)); return err })
	if page.HTML != "" {
		err = errors.Join(err, writeFile(page.HTML, func(w io.Writer) error {
			return writePage(w, "What the sources have published, and ours", true, reports...)
		}))
	}
	return err
}

// comparison is the page about them.
func comparison(reports []*experiment.Report) string {
	var page strings.Builder
	page.WriteString(`# What the sources have published, and ours

Made by ` + "`go generate ./cmd/ftshsim`" + `; a test compares parts of it with what the
simulator says today. ± is the interval of 95 % over the runs; the ratio is ours
as a multiple of the published number. How the experiments work, and all that can
be changed about them: ` + "`ftshsim EXPERIMENT --help`" + `.
`)
	for _, r := range reports {
		fmt.Fprintf(&page, "\n## %s\n\n%s. %s of each point.", r.Name, r.Title, pluralOf(r.Seeds, "run", "runs"))
		page.WriteString(summarizeRatios(r.Comparisons) + "\n\n" +
			strings.ReplaceAll(strings.Join(r.Assumed, " "), "\n", " ") + "\n\n")
		for n, row := range comparedRows(r) {
			fmt.Fprintf(&page, "| %s |\n", strings.Join(row, " | "))
			if n == 0 {
				page.WriteString("| --- | --- | --- | --- |\n")
			}
		}
	}
	return page.String()
}

func summarizeRatios(list []experiment.Comparison) string {
	var ratios measure.Sample
	var far []string
	for _, one := range list {
		ratio := one.Ratio()
		if ratios = append(ratios, ratio); ratio < 0.4 || ratio > 2.5 {
			far = append(far, fmt.Sprintf("%s (%.2f)", one.What, ratio))
		}
	}
	if ratios.Known() < 5 {
		return ""
	}
	text := fmt.Sprintf(" The middle one of the %d ratios is %.2f; half of them lie from %.2f to %.2f.",
		ratios.Known(), ratios.Percentile(50), ratios.Percentile(25), ratios.Percentile(75))
	if len(far) > 0 {
		text += fmt.Sprintf(" Far off, by more than two and a half times, are %d: %s.", len(far), strings.Join(far, "; "))
	}
	return text
}
