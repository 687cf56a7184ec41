package interp_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/ast"
	"ftsh/backoff/shared"
	"ftsh/interp"
	"ftsh/interp/durable"
	"ftsh/interp/journal"
	"ftsh/interp/journal/memory"
	"ftsh/interp/world"
	"ftsh/parser"
)

var updateOutcomes = flag.Bool("update-outcomes", false,
	"write testdata/outcomes.txt anew; read every line that changes")

const outcomesFile = "../testdata/outcomes.txt"

// The table of outcomes crosses the phases of a try with the ways in which a phase can end, and with
// what its finally group does. Each cell is a script; the file says what it prints, and how it ends.
var (
	outcomePhases = []string{"group", "sense", "sense of verify", "first verify", "later verify", "catch", "finally",
		"function in finally"}
	outcomeEndings = []string{
		"success", "failure", "mistake", "giveup", "absent", "exit 0", "exit 4", "return", "break", "continue",
		"suspended", "outer limit", "own limit", "signal",
	}
	// Of a finally group the third dimension tells how the try had ended before it.
	outcomeFinally = []string{"no finally", "finally", "finally fails"}
	outcomeBefore  = []string{"after success", "after failure", "after exit 0", "after exit 4", "after return",
		"after break"}
)

// cell is one cell of the table.
type cell struct{ phase, ending, third string }

func (c cell) name() string { return c.phase + " | " + c.ending + " | " + c.third }

// isFinally reports whether the phase is the finally group.
func (c cell) isFinally() bool { return strings.HasSuffix(c.phase, "finally") }

// body is the group of the phase in question, which ends in the way in question.
func (c cell) body() string {
	switch c.ending {
	case "success":
		return "success"
	case "failure":
		return "false"
	case "mistake":
		return "cd a b"
	case "own limit":
		return "work 200s"
	case "outer limit, in time":
		return "work 60s"
	case "suspended", "outer limit", "signal":
		return "work 1h"
	}
	return c.ending
}

// group returns the text of the group of the phase p.
func (c cell) group(p string) string {
	switch {
	case p == c.phase:
		return c.body()
	case p == "group" && c.phase == "later verify":
		return "lost"
	case p == "group" && c.phase == "catch":
		return "false"
	case p == "group" && c.isFinally():
		ending := strings.TrimPrefix(c.third, "after ")
		return cell{ending: ending}.body()
	case p == "catch" && c.third == "after failure":
		return "failure"
	}
	return "success"
}

// script is the cell as a script. The try stands in a loop, in a function, in a try with a limit of its own.
func (c cell) script() string {
	clauses, verify, sense, finally := "for 100 s or 2 times every 30 s", "", "", ""
	switch c.phase {
	case "first verify":
		clauses += " key K"
		fallthrough
	case "later verify":
		verify = "verify\nsay verify\n" + c.body() + "\n"
	case "sense of verify":
		clauses += " key K"
		verify = "verify\nsay verify\nabsent\n"
		fallthrough
	case "sense":
		clauses += " via gate"
		sense = "resource gate\nsense\nsay sense\n" + c.body() + "\nend\nend\n"
	}
	cleans := "function cleans\n" + c.body() + "\nend\n"
	switch {
	case c.phase == "finally":
		finally = "finally\nsay finally\n" + c.body() + "\nsay cleaned\n"
		cleans = ""
	case c.isFinally():
		finally = "finally\nsay finally\ncleans\nsay cleaned\n"
	case c.third == "finally":
		finally = "finally\nsay finally\nwork 1s\nsay cleaned\n"
	case c.third == "finally fails":
		finally = "finally\nsay finally\nfalse\nsay cleaned\n"
	}
	if !c.isFinally() {
		cleans = ""
	}
	outer := "for 2 hours or 1 time"
	if strings.HasPrefix(c.ending, "outer limit") {
		outer = "for 50 s or 1 time"
	}
	return sense + cleans + "function run\nfor turn in 1 2\nsay turn\ntry " + clauses + "\nsay group\n" +
		c.group("group") + "\n" + verify +
		"catch\nsay catch:${error.kind}:${error.reason}\n" + c.group("catch") + "\n" + finally +
		"end\nsay after-try\nend\nsay after-loop\nend\n" +
		"try " + outer + "\nrun\nsay after-call\ncatch\nsay outer-catch:${error.kind}:${error.reason}\nend\nsay end\n"
}

// run runs the cell, and returns what it said and how it ended.
func (c cell) run(t *testing.T) string {
	script := c.script()
	file, err := parser.Parse(&ast.Source{Name: "script", Text: script}, parser.Config{})
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		_, message, _ := strings.Cut(first, " ")
		return "syntax error, " + message
	}
	var said string
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{start: time.Now()}
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		if c.ending == "signal" || c.ending == "suspended" {
			defer time.AfterFunc(40*time.Second, func() { cancel(errors.New("a signal")) }).Stop()
		}
		config := b.config()
		config.World = gated{config.World, openGate{}}
		if c.ending == "suspended" {
			j, err := journal.Open("/j", journal.Config{FS: memory.New(rand.New(rand.NewPCG(1, 1))), Machine: "m", Host: "h"})
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			config.Durable = &durable.Script{Journal: j, Canonical: canonical}
		}
		err := interp.New(config).Run(ctx, file)
		for _, line := range b.said {
			_, words, _ := strings.Cut(line, " ")
			said += words + " "
		}
		said += "= " + howEnded(err)
	})
	return said
}

func howEnded(err error) string {
	var suspended *durable.Suspended
	var exit *interp.Exit
	var failure *interp.Failure
	switch {
	case err == nil:
		return "0"
	case errors.As(err, &suspended):
		return "suspended"
	case errors.As(err, &exit):
		return fmt.Sprint("exit ", exit.Status)
	case errors.As(err, &failure):
		return fmt.Sprintf("failed:%s:%s", failure.Kind, failure.Reason)
	}
	return err.Error()
}

// openGate lets everything through.
type openGate struct{}

func (g openGate) Enter(context.Context, shared.Visit) (world.Pass, error) { return g, nil }

func (openGate) Close() {}

func (openGate) Leave(shared.Ending, time.Duration) (change shared.Change) {
	return change
}

// outcomeCells lists the table.
func outcomeCells() (list []cell) {
	for _, phase := range outcomePhases {
		endings, third := outcomeEndings, outcomeFinally
		if (cell{phase: phase}).isFinally() {
			endings, third = append(slices.Clip(endings), "outer limit, in time"), outcomeBefore
		}
		for _, ending := range endings {
			for _, t := range third {
				list = append(list, cell{phase, ending, t})
			}
		}
	}
	return list
}

// TestOutcomes runs every cell of the table of outcomes.
func TestOutcomes(t *testing.T) {
	text, err := os.ReadFile(outcomesFile)
	if err != nil {
		t.Fatal(err)
	}
	head, want := readOutcomes(t, string(text))
	var lines strings.Builder
	for _, c := range outcomeCells() {
		got := c.run(t)
		fmt.Fprintf(&lines, "%s: %s\n", c.name(), got)
		if expected, known := want[c.name()]; !*updateOutcomes && (!known || got != expected) {
			t.Errorf("%s\ngot  %s\nwant %s\n%s", c.name(), got, expected, c.script())
		}
		delete(want, c.name())
	}
	for name := range want {
		t.Errorf("there is no cell %s", name)
	}
	if *updateOutcomes {
		if err := os.WriteFile(outcomesFile, []byte(head+lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// readOutcomes reads the file: comments, and a line for each cell.
func readOutcomes(t *testing.T, text string) (head string, want map[string]string) {
	want = map[string]string{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			head += line
			continue
		}
		name, outcome, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			t.Fatalf("%s: %q is no cell", outcomesFile, line)
		}
		want[name] = outcome
	}
	return head, want
}

// TestStatesOfATry compares the steps in the package comment with those that the table of outcomes takes.
func TestStatesOfATry(t *testing.T) {
	doc, table, code := readFile(t, "doc.go"), readFile(t, outcomesFile), ""
	for _, name := range []string{"try.go", "try_next.go", "outcome.go", "try_resource.go", "try_verify.go"} {
		code += readFile(t, name)
	}
	doc, _, _ = strings.Cut(doc, "# A durable script")
	told := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^//\t(\w+) +→ (\w+) +(\w+)`).FindAllStringSubmatch(doc, -1) {
		told[m[1]+" → "+m[2]] = false
		if !regexp.MustCompile(`func (\(t \*try\) )?` + m[3] + `\(`).MatchString(code) {
			t.Errorf("%s → %s: there is no function %s", m[1], m[2], m[3])
		}
	}
	_, cells := readOutcomes(t, table)
	for name, outcome := range cells {
		for _, step := range steps(outcome) {
			if _, known := told[step]; !known {
				t.Errorf("%s takes a step that is not told: %s", name, step)
			}
			told[step] = true
		}
	}
	for step, taken := range told {
		if !taken {
			t.Errorf("no cell takes the step %s", step)
		}
	}
}

// steps lists the steps of the try that an outcome shows.
func steps(outcome string) (list []string) {
	state := ""
	for word := range strings.FieldsSeq(outcome) {
		next, _, _ := strings.Cut(word, ":")
		switch next {
		case "cleaned":
			continue
		case "turn":
			next = "begin"
		case "sense", "verify", "group", "catch", "finally":
		default:
			next = "end"
		}
		if state != "" && state != "end" {
			after := next
			if next == "begin" {
				after = "end"
			}
			list = append(list, state+" → "+after)
		}
		state = next
	}
	return list
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
