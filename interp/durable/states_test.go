package durable

import (
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"ftsh/ast"
	"ftsh/interp/journal"
	"ftsh/interp/journal/memory"
)

// nothing is the state of a script that has none.
type nothing struct{}

func (nothing) Changes(list []Change) []Change { return list }

func all(Undecided) bool  { return true }
func none(Undecided) bool { return false }

// lives runs a script of one statement as often as it is told to: each life begins with what the one before left on
// disk.
type lives struct {
	t  *testing.T
	fs *memory.FS
	*Script
	top *Place
}

// again begins a life.
func (l *lives) again() {
	l.t.Helper()
	if l.Script != nil {
		l.Journal.Close()
	}
	j, err := journal.Open("/j", journal.Config{FS: l.fs, Machine: "m", Host: "h"})
	if err != nil {
		l.t.Fatal(err)
	}
	l.Script = &Script{Journal: j, Canonical: func(...ast.Stmt) string { return "" }}
	_, leave := l.Open(context.Background(), func() time.Duration { return 1 }, noSecrets{})
	l.t.Cleanup(leave)
	top, closeInputs, err := l.Begin(nothing{}, func() {}, nil, 1, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(closeInputs)
	l.top = top
	l.top.Advance(&ast.Stmt{})
}

// begin begins the statement as a unit.
func (l *lives) begin(u Unit) {
	l.t.Helper()
	if err := l.top.Begin(nothing{}, ast.Pos{Line: 1}, u); err != nil {
		l.t.Fatal(err)
	}
}

// state tells in which state a life finds the unit at a place.
func (l *lives) state(p *Place) string {
	var end struct{ Text string }
	switch past, _ := p.Before(&end); {
	case p.Awaited() != nil:
		return "awaited"
	case past == WasUnderWay:
		return "unknown"
	case past == HasEnded:
		return "ended " + end.Text
	}
	return "new"
}

type ending struct{ Text string }

var done = Ending{Value: ending{"well"}}

// unitSteps take each step, and tell in which state the unit is then.
var unitSteps = map[string]struct {
	take func(l *lives) string
	want string
}{
	"new → begun Begin": {func(l *lives) string { l.begin(Unit{}); return l.onDisk() }, "begin"},
	"begun → ended End": {func(l *lives) string {
		l.begin(Unit{})
		l.top.End(nothing{}, ast.Pos{}, done)
		l.again()
		return l.state(l.top)
	}, "ended well"},
	"begun → left Suspending": {func(l *lives) string {
		l.begin(Unit{})
		l.Suspend(context.Canceled)
		if !l.Suspending() {
			return "not suspending"
		}
		return l.onDisk()
	}, "begin"},
	"ended → ended Before": {func(l *lives) string {
		l.begin(Unit{})
		l.top.End(nothing{}, ast.Pos{}, done)
		l.again()
		l.again()
		return l.state(l.top)
	}, "ended well"},
	"left → unknown Before": {func(l *lives) string { l.begin(Unit{}); l.again(); return l.state(l.top) }, "unknown"},
	"left → new Enter": {func(l *lives) string {
		inside := l.top.Enter(Finally.Only())
		if err := inside.Begin(nothing{}, ast.Pos{Line: 1}, Unit{}); err != nil {
			return err.Error()
		}
		l.again()
		return l.state(l.top.Enter(Finally.Only()))
	}, "new"},
	"left → new Again": {func(l *lives) string {
		l.begin(Unit{})
		l.again()
		if err := l.Answer(l.Undecided([]*OpenUnit{{node: "0"}}, 1), all, none); err != nil {
			return err.Error()
		}
		l.again()
		return l.state(l.top)
	}, "new"},
	"left → ended Happened": {func(l *lives) string {
		l.begin(Unit{})
		l.again()
		if err := l.Answer(l.Undecided([]*OpenUnit{{node: "0"}}, 1), none, all); err != nil {
			return err.Error()
		}
		l.again()
		return l.state(l.top)
	}, "ended "},
	"left → awaited Awaited": {func(l *lives) string {
		l.begin(Unit{Job: "/job"})
		l.again()
		return l.state(l.top)
	}, "awaited"},
	"awaited → ended EndJob": {func(l *lives) string {
		l.begin(Unit{Job: "/job"})
		l.again()
		forgotten := false
		l.top.EndJob(nothing{}, ast.Pos{}, done, func() { forgotten = true })
		if !forgotten {
			return "not forgotten"
		}
		l.again()
		return l.state(l.top)
	}, "ended well"},
}

// TestStatesOfAUnit takes each step that the package comment of interp tells of, and no other.
func TestStatesOfAUnit(t *testing.T) {
	steps := maps.Clone(unitSteps)
	doc, err := os.ReadFile("../doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, told, _ := strings.Cut(string(doc), "# A durable script")
	for _, m := range regexp.MustCompile(`(?m)^//\t(\w+) +(→ \w+) +(\w+)`).FindAllStringSubmatch(told, -1) {
		name := m[1] + " " + m[2] + " " + m[3]
		step, known := steps[name]
		if !known {
			t.Errorf("%s: the test knows no such step", name)
			continue
		}
		delete(steps, name)
		t.Run(name, func(t *testing.T) {
			l := &lives{t: t, fs: memory.New(rand.New(rand.NewPCG(1, 1)))}
			l.again()
			if got := step.take(l); got != step.want {
				t.Errorf("the unit is %q, want %q", got, step.want)
			}
			l.Journal.Close()
		})
	}
	for name := range steps {
		t.Errorf("%s: the package comment does not tell this step", name)
	}
}

// onDisk lists the keys that the journal has of the statement.
func (l *lives) onDisk() string {
	keys := l.Journal.Image().Keys("0")
	return strings.Join(keys, " ")
}

// noSecrets are those of a script without any.
type noSecrets struct{}

func (noSecrets) Any() bool { return false }

func (noSecrets) LeaveOut(_ string, value json.RawMessage) json.RawMessage { return value }

func (noSecrets) Hide(text string) string { return text }
