package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/ast/printer"
	"ftsh/interp"
	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/journal"
	"ftsh/interp/local"
	"ftsh/interp/process/clock"
)

// listJournals shows the journals with those names, or all that have no slash in theirs; of one that is named where it
// stands in the text of its script, with its variables if state is set.
func listJournals(names []string, state bool) int {
	if state && len(names) != 1 {
		return refuseToRun(errors.New("--state goes with --journals NAME: it shows the variables of one script"), "")
	}
	paths, err := journalPaths(names)
	if err != nil {
		return refuseToRun(err, "")
	}
	if len(paths) == 0 {
		return showAnswer("there are no journals\n")
	}
	status := statusSuccess
	var text strings.Builder
	text.WriteString("NAME\tSTATE\tPLACE\tATTEMPT\tNEXT\tUNDECIDED\n")
	listed := 0
	var view string
	for _, path := range paths {
		image, err := readJournal(path)
		if image == nil {
			if errors.Is(err, os.ErrNotExist) {
				err = fmt.Errorf("there is no journal %s", journalName(path))
			}
			status = refuseToRun(err, "")
			continue
		}
		l := listing{path: path, image: image, now: time.Now()}
		l.writeRows(&text)
		listed++
		if len(names) == 1 {
			view = l.view(state, terminalColumns(1))
		}
	}
	if listed == 0 {
		return status
	}
	status = max(status, showAnswer(alignColumns(text.String())))
	return max(status, statusOfPrint(printRaw([]byte(view))))
}

// listing is a journal in the list.
type listing struct {
	path  string
	image *journal.Image
	now   time.Time
}

// mostRows limits the rows of one script.
const mostRows = 5

// writeRows appends the journal's rows: the first has its name. Each has all columns, or those below would not
// stand under those above.
func (l listing) writeRows(table *strings.Builder) {
	err, finished := interp.Finished(l.image)
	if finished {
		l.writeFinished(table, err)
		return
	}
	pid, busy := runnerOf(l.path, l.image)
	list, statement := durable.Standings(l.image)
	var undecided []durable.Undecided
	if !busy {
		undecided = l.undecided()
	}
	head := event.VisibleLine(journalName(l.path)) + "\t" + l.describeState(pid, busy, list, len(undecided))
	if len(list) == 0 {
		fmt.Fprintf(table, "%s\t%s\t\t\t\n", head, l.placeOf(statement))
	}
	for i, s := range list {
		if i == mostRows {
			fmt.Fprintf(table, "\t\tand %d more\t\t\t\n", len(list)-mostRows)
			break
		}
		fmt.Fprintf(table, "%s\t%s\n", head, l.standingRow(s, busy, undecided))
		head = "\t"
	}
}

// undecided lists the commands that somebody has to decide about, as far as the script is still that which was run.
func (l listing) undecided() []durable.Undecided {
	if !durable.AnyOpen(l.image) {
		return nil
	}
	begun, script, file, err := l.readScript()
	if err != nil {
		return nil
	}
	clock := clock.New()
	defer clock.Close()
	return interp.Undecided(interp.Config{
		World: local.New(local.Config{Clock: clock}), Durable: script,
		Script: interp.Script{Environ: os.Environ(), Args: begun.withArguments(nil), Name: string(begun.Name),
			Dir: string(begun.Dir)},
		Mode: interp.Mode{Lenient: begun.Options.Undefined == "empty"},
	}, file)
}

// readScript reads the script as it is now. It is an error if the journal is of another one.
func (l listing) readScript() (begun begunWith, script *durable.Script, file *ast.File, err error) {
	begun, known := readBegun(l.image)
	if !known {
		return begun, nil, nil, errors.New("it has not begun")
	}
	if file, err = begun.parse(); err != nil {
		return begun, nil, nil, err
	}
	result, finished := interp.Finished(l.image)
	script = &durable.Script{Image: l.image, Canonical: printer.Code, Boot: bootID()}
	return begun, script, file, script.Differs(file, begun.withArguments(nil), finished && result != nil)
}

// writeFinished appends the rows of a script that has ended: the commands with which it failed have numbers
// for --happened.
func (l listing) writeFinished(table *strings.Builder, err error) {
	head := event.VisibleLine(journalName(l.path)) + "\t" + l.describeResult(err)
	failed := durable.FailedUnits(l.image)
	if err == nil || len(failed) == 0 {
		fmt.Fprintf(table, "%s\t\t\t\t\n", head)
		return
	}
	for i, u := range failed {
		if i == mostRows {
			fmt.Fprintf(table, "\t\tand %d more\t\t\t\n", len(failed)-mostRows)
			break
		}
		place := fmt.Sprintf("%s:%d %s", event.VisibleLine(u.File), u.Line, cutLine(u.Text))
		if len(u.Items) > 0 {
			place += " (" + event.VisibleLine(strings.Join(u.Items, ", ")) + ")"
		}
		fmt.Fprintf(table, "%s\t%s\t\t\t=%d\n", head, place, u.Number)
		head = "\t"
	}
}

// describeResult says how the script has ended, and when.
func (l listing) describeResult(err error) string {
	result := "succeeded"
	var exit *interp.Exit
	switch {
	case errors.As(err, &exit):
		result = "exit " + strconv.Itoa(exit.Status)
	case err != nil:
		result = "failed"
	}
	if info, err := os.Stat(l.path); err == nil {
		result += " " + info.ModTime().Format(time.DateTime)
	}
	return result
}

// describeState says in a word whether somebody runs the script, and what is to be done if not.
func (l listing) describeState(pid int, busy bool, list []durable.Standing, undecided int) string {
	switch {
	case busy && pid == 0:
		return "ending"
	case busy && len(list) > 0 && !list[0].Until.IsZero():
		return "waiting, " + strconv.Itoa(pid)
	case busy:
		return "running, " + strconv.Itoa(pid)
	case undecided > 0:
		return "undecided"
	}
	return "interrupted"
}

// standingRow is the columns of one thing that the script is at, from its place on.
func (l listing) standingRow(s durable.Standing, busy bool, undecided []durable.Undecided) string {
	place, attempt, next, number := "a sleep", "", "", ""
	if s.File != "" || s.Text != "" {
		place = fmt.Sprintf("%s:%d %s%s", event.VisibleLine(s.File), s.Line, itemOf(s), cutLine(s.Text))
	}
	if s.Attempt > 0 {
		attempt = strconv.Itoa(s.Attempt)
	}
	switch left := s.Until.Sub(l.now); {
	case s.Until.IsZero():
	case left > 0:
		next = "in " + briefTime(left)
	case busy:
		next = "now"
	default:
		next = "when it goes on"
	}
	for _, u := range undecided {
		if u.Node == s.Node {
			number = "=" + strconv.Itoa(u.Number)
		}
	}
	return place + "\t" + attempt + "\t" + next + "\t" + number
}

// itemOf is "s17: " of a command in a loop.
func itemOf(s durable.Standing) string {
	const most = 24
	if s.Item == "" {
		return ""
	}
	return cutTo(event.VisibleLine(s.Item), most) + ": "
}

// longestText limits the characters of a command that are listed.
const longestText = 36

// cutLine is a text in one line without its end, if it is long.
func cutLine(text string) string { return cutTo(event.VisibleLine(text), longestText) }

// cutTo is the beginning of a text, if it has more characters than that.
func cutTo(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// placeOf names the statement at the top level that a script with nothing under way is at, whose line the script
// itself must tell.
func (l listing) placeOf(statement int) string {
	if statement < 0 {
		return "not begun"
	}
	begun, _ := readBegun(l.image)
	file, err := begun.parse()
	if err != nil {
		return fmt.Sprintf("statement %d", statement+1)
	}
	index := durable.IndexOf(&file.Body, statement)
	if index == len(file.Body.List) {
		return fmt.Sprintf("statement %d", statement+1)
	}
	line := file.Body.List[index].Pos.Line
	return fmt.Sprintf("%s:%d %s", event.VisibleLine(file.Source.Name), line,
		cutLine(strings.TrimSpace(file.Source.Line(int(line)))))
}
