package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"ftsh/interp/engine"
	"ftsh/interp/event"
)

const jobsUsage = "ftsh --jobs [list | failed | show TICKET | redo TICKET | cancel TICKET | clean]"

// tendJobs shows and tends what is in the folder of jobs.
func tendJobs(args []string) int {
	folder, err := jobsFolder(os.Environ())
	var left []engine.Left
	if err == nil {
		left, err = engine.ListLeft(folder)
	}
	if err != nil {
		return refuseToRun(err, "")
	}
	verb := "list"
	if len(args) > 0 {
		verb, args = args[0], args[1:]
	}
	switch {
	case verb == "list" && len(args) == 0:
		return showAnswer(jobTable(left, time.Now()))
	case verb == "failed" && len(args) == 0:
		failed := failedOf(left)
		return showAnswer(jobTable(failed, time.Now()) + complaints(failed))
	case verb == "clean" && len(args) == 0:
		return cleanJobs(failedOf(left))
	case len(args) != 1:
		return refuseToRun(errors.New("--jobs "+strings.Join(append([]string{verb}, args...), " ")+": "+jobsUsage), "")
	}
	job, err := findJob(left, args[0])
	if err != nil {
		return refuseToRun(err, "ftsh --jobs lists them")
	}
	switch verb {
	case "show":
		return showAnswer(jobText(job))
	case "cancel":
		return cancelJob(job)
	case "redo":
		return redoJob(job)
	}
	return refuseToRun(errors.New("--jobs "+verb+": "+jobsUsage), "")
}

func failedOf(left []engine.Left) (failed []engine.Left) {
	for _, l := range left {
		if l.Failed() {
			failed = append(failed, l)
		}
	}
	return failed
}

// findJob finds a job by its ticket, by the beginning of that if it is no other's, or by its number.
func findJob(left []engine.Left, name string) (found engine.Left, err error) {
	matches := 0
	for _, l := range left {
		if l.Ticket == name {
			return l, nil
		}
		if strings.HasPrefix(l.Ticket, name) || l.Number == name && l.By == "" {
			found = l
			matches++
		}
	}
	switch matches {
	case 0:
		return found, fmt.Errorf("there is no job %s", name)
	case 1:
		return found, nil
	}
	return found, fmt.Errorf("%s could be %d jobs; write more of the ticket", name, matches)
}

// jobTable is a table that one reads at a glance.
func jobTable(left []engine.Left, now time.Time) string {
	if len(left) == 0 {
		return "no jobs\n"
	}
	rows := [][]string{{"TICKET", "JOB", "STATE", "NODE", "AGE", "COMMAND"}}
	for _, l := range left {
		rows = append(rows, []string{inLine(l.Ticket), inLine(orDash(l.Number)), inLine(l.State),
			inLine(orDash(l.Node)), largestUnit(now.Sub(l.Since)), inLine(l.Command)})
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row[:len(row)-1] {
			widths[i] = max(widths[i], len(cell))
		}
	}
	var text strings.Builder
	for _, row := range rows {
		for i, cell := range row[:len(row)-1] {
			fmt.Fprintf(&text, "%-*s  ", widths[i], cell)
		}
		text.WriteString(row[len(row)-1] + "\n")
	}
	return text.String()
}

// complaints tells of each job how it failed, with the last line that it wrote to standard error.
func complaints(failed []engine.Left) string {
	var text strings.Builder
	for _, l := range failed {
		_, stderr := l.Output()
		stderr = strings.TrimRight(stderr, " \t\r\n")
		if said := strings.TrimSpace(stderr[strings.LastIndexAny(stderr, "\r\n")+1:]); said != "" {
			fmt.Fprintf(&text, "%s: %s; it wrote: %s\n", l.Ticket, l.Message, inLine(said))
		} else {
			fmt.Fprintf(&text, "%s: %s\n", l.Ticket, l.Message)
		}
	}
	if text.Len() > 0 {
		return "\n" + text.String()
	}
	return ""
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
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
func jobText(l engine.Left) string {
	var text strings.Builder
	for _, line := range [][2]string{
		{"ticket", l.Ticket}, {"cluster", l.Cluster}, {"state", l.State}, {"why", l.Message},
		{"job", l.Number}, {"pilot", pilotOf(l)}, {"node", l.Node}, {"used", l.Used.String()},
		{"submitted", l.Since.Format(time.RFC3339)}, {"options", strings.Join(l.Options, " ")},
		{"directory", l.Dir}, {"folder", l.Path}, {"journal", l.Journal},
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
func pilotOf(l engine.Left) string {
	switch {
	case l.Pilot:
		return "it runs the programs of a script, one after another"
	case l.By != "":
		return l.By + ", whose job it is"
	}
	return ""
}

// cleanJobs removes the folders of jobs that failed.
func cleanJobs(failed []engine.Left) int {
	removed, rest := 0, ""
	for _, l := range failed {
		if l.Ends && l.Journal != "" {
			rest += l.Ticket + ": it was cancelled, and may still be running; the script's next run waits for that\n"
			continue
		}
		if err := l.Remove(); err != nil {
			return refuseToRun(fmt.Errorf("cannot remove %s: %w", l.Path, unwrapped(err)), "")
		}
		removed++
	}
	return showAnswer(fmt.Sprintf("removed %d\n", removed) + rest)
}

// redoJob runs a job once more, and removes the old one if it succeeds.
func redoJob(l engine.Left) int {
	if l.Pilot {
		return refuseToRun(fmt.Errorf("%s is a pilot, which runs what its shell hands it: it cannot be run by itself", l.Ticket),
			"redo a program that it has run; ftsh --jobs failed lists those that failed")
	}
	job, err := l.Again()
	if err != nil {
		return refuseToRun(err, "")
	}
	s, err := openShell(&options{killTimeout: defaultKillTimeout, progress: "never"})
	if err != nil {
		return refuseToRun(err, "")
	}
	defer s.closeShell()
	ctx, signals := newSignals(s.log, s.host)
	signals.catchSignals()
	folder, _ := jobsFolder(os.Environ())
	jobs, err := (&batchEngines{shell: s}).openEngine(engineOf(l), append([]string{"FTSH_JOBS=" + folder}, l.Environ...))
	if err != nil {
		return refuseToRun(err, "")
	}
	job.Patience = func() time.Duration { return defaultKillTimeout }
	job.Output = func(name string, text []byte) error {
		out := os.Stdout
		if name == "stderr" {
			out = os.Stderr
		}
		_, err := out.Write(text)
		return err
	}
	result, err := jobs.Run(ctx, job)
	_ = s.host.Close()
	switch {
	case err != nil:
		return statusFailed
	case result.Kind != "":
		refuseToRun(fmt.Errorf("%s: %s; %s is there, too", result.Kind, result.Message, result.Ticket), "")
		return result.Status
	}
	_ = l.Remove()
	return statusSuccess
}
