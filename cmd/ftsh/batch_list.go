package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"ftsh/interp/event"
	"ftsh/interp/jobs"
)

// jobTable is a table that one reads at a glance.
func jobTable(left []*jobs.Left) string {
	if len(left) == 0 {
		return "no jobs\n"
	}
	replaces := slices.ContainsFunc(left, func(l *jobs.Left) bool { return len(l.Origin.Targets) > 0 })
	cells := "TICKET\tJOB\tSTATE\tNODE\tAGE\tPLACE\tCOMMAND\n"
	if replaces {
		cells = "TICKET\tJOB\tSTATE\tNODE\tAGE\tPLACE\tTARGET\tCOMMAND\n"
	}
	for _, l := range left {
		row := []string{l.Ticket, l.Number, l.Shown(), l.Node, largestUnit(time.Since(l.Since)), l.Origin.String()}
		if replaces {
			row = append(row, strings.Join(l.Origin.Targets, " "))
		}
		for _, cell := range row {
			cells += inLine(cmp.Or(cell, "-")) + "\t"
		}
		cells += inLine(l.Command()) + "\n"
	}
	return alignColumns(cells)
}

// alignColumns lays out a table: lines of cells with tabs between them.
func alignColumns(cells string) string {
	var aligned, text strings.Builder
	table := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	_, _ = table.Write([]byte(cells)) // a Builder takes all
	_ = table.Flush()
	for line := range strings.Lines(aligned.String()) {
		text.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return text.String()
}

// byOrigin puts jobs in the order of scripts, lines and items. Those of one item of several runs follow each other.
func byOrigin(left []*jobs.Left) []*jobs.Left {
	slices.SortStableFunc(left, func(a, b *jobs.Left) int {
		return cmp.Or(strings.Compare(a.Origin.Script, b.Origin.Script), cmp.Compare(a.Origin.Line, b.Origin.Line),
			cmp.Compare(a.Origin.Number, b.Origin.Number), a.Since.Compare(b.Since))
	})
	return left
}

// failedTable is the table, and below it how each job has failed, with the last line that it wrote to standard error.
func failedTable(failed []*jobs.Left) string {
	text, gap := jobTable(failed), "\n"
	for _, l := range failed {
		text += gap + inLine(l.Ticket) + ": " + event.VisibleLine(l.Message)
		if said := lastWords(l); said != "" {
			text += "; it wrote: " + inLine(said)
		}
		text, gap = text+"\n", ""
	}
	return text
}

// lastWords is the last line that a job wrote to standard error.
func lastWords(l *jobs.Left) string {
	_, stderr := l.Output()
	stderr = strings.TrimRight(stderr, " \t\r\n")
	return strings.TrimSpace(stderr[strings.LastIndexAny(stderr, "\r\n")+1:])
}

// largestUnit is a time in its largest unit.
func largestUnit(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(0, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// inLine is a text for one line of a table: at most 60 characters, none that moves the cursor.
func inLine(text string) string {
	const most = 60
	return cutTo(event.VisibleLine(text), most)
}

// jobText is all that is known of a job.
func jobText(l *jobs.Left) string {
	var text strings.Builder
	for _, line := range [][2]string{
		{"ticket", l.Ticket}, {"cluster", l.Cluster}, {"state", l.Shown()}, {"why", l.Message},
		{"job", l.Number}, {"pilot", pilotOf(l)}, {"node", l.Node}, {"used", l.Used.String()},
		{"place", l.Origin.String()}, {"target", strings.Join(l.Origin.Targets, " ")},
		{"submitted", l.Since.Format(time.RFC3339)}, {"options", strings.Join(l.Options, " ")},
		{"directory", string(l.Dir)}, {"folder", l.Path}, {"journal", l.Journal},
	} {
		if line[1] != "" {
			fmt.Fprintf(&text, "%-10s %s\n", line[0], event.VisibleLine(line[1]))
		}
	}
	for i, word := range l.Words {
		fmt.Fprintf(&text, "%-10s %q\n", fmt.Sprintf("word %d", i+1), word)
	}
	stdout, stderr := l.Output()
	for _, output := range [][2]string{{"stdout", stdout}, {"stderr", stderr}} {
		if output[1] != "" {
			fmt.Fprintf(&text, "%s:\n%s\n", output[0], strings.TrimRight(output[1], "\n"))
		}
	}
	return text.String()
}

// pilotOf says what a job has to do with pilots.
func pilotOf(l *jobs.Left) string {
	switch {
	case l.Pilot:
		return "it runs the programs of a script, one after another"
	case l.By != "":
		return l.By + ", whose job it is"
	}
	return ""
}
