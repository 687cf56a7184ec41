package interp_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/interp"
	"ftsh/interp/event"
)

var updateEvents = flag.Bool("update-events", false, "write testdata/events.txt anew; read every line that changes")

const eventsFile = "testdata/events.txt"

// eventful does one thing after another, so that what is told has one order.
const eventful = `x=1 .add. 2
function double
    return $1 .mul. 2
end
y=double($x)
for i in a "b c"
    if $i .eq. a
        continue
    end
    work 1s
end
while $x .lt. 5
    x=$x .add. 1
end
forall n in 1 2 .limit. 1
    work ${n}s
end
forany n in 1 2
    try 2 times every 10 s
        if $n .eq. 1
            failure "not yet"
        end
        work 3s
    end
end
try for 1 minute or 3 times every 20 s
    work 2s
    lost
catch
    work 1s
    say "${error.kind}"
finally
    work 1s
end
try 1 time
    try for 5 s
        work 1m
    end
catch
    success
end
set -- p q
shift
try
    missing
catch
    say "${error.kind} ${error.status}: ${error.message}"
end
work 1s
try
    forall n in 2 1 .keepgoing. .limit. 1
        work ${n}s
        failure "not $n"
    end
catch
    say "${error.message}"
end
try
    forany n in 2 1 .inorder.
        failure "not $n"
    end
catch
    success
end
forany n in 3 1 .inorder. .hedge. 1 s
    work ${n}s
end
try
    forany n in 2 1 .inorder. .hedge. 1 s
        work 3s
        failure "not $n"
    end
catch
    success
end
try
    for n in 1 2
        failure "not $n"
    end
catch
    success
end
`

// An ear hears events up to a level.
type ear struct {
	level int
	start time.Time
	mu    sync.Mutex
	heard strings.Builder
}

func (e *ear) Enabled(level int) bool { return level <= e.level }

// Observe writes what an event has, but for what is zero.
func (e *ear) Observe(told event.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	fmt.Fprintf(&e.heard, "%v line %d %v:", time.Since(e.start), told.Pos.Line, told.Kind)
	v := reflect.ValueOf(told)
	for i := range v.NumField() {
		switch name := v.Type().Field(i).Name; name {
		case "Kind", "Pos", "Time":
		default:
			if !v.Field(i).IsZero() {
				fmt.Fprintf(&e.heard, " %s %v", name, v.Field(i).Interface())
			}
		}
	}
	e.heard.WriteString("\n")
}

// TestEvents holds all that an observer is told of a script: of everything, and of no more than failures.
func TestEvents(t *testing.T) {
	var got strings.Builder
	for _, level := range []int{event.Failures, event.Commands, event.Processes} {
		synctest.Test(t, func(t *testing.T) {
			b := &bubble{start: time.Now()}
			e := &ear{level: level, start: b.start}
			config := b.config()
			config.Observer = e
			fmt.Fprintf(&got, "level %d\n", level)
			err := interp.New(config).Run(t.Context(), parse(t, eventful))
			fmt.Fprintf(&got, "%sat the end: %v\n\n", e.heard.String(), err)
		})
	}
	if *updateEvents {
		if err := os.WriteFile(eventsFile, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(eventsFile)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("%s needs -update-events; it would be:\n%s", eventsFile, got.String())
	}
}

// A program that embeds the interpreter need not have clusters: then no job is begun, and a name is said.
func TestNoCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{start: time.Now()}
		err := b.run(t, 0, "on slurm; work 1s; end; work 2s")
		if failure, ok := err.(*interp.Failure); !ok || !strings.Contains(failure.Message, "slurm") || len(b.told) != 0 {
			t.Errorf("%v, after %q", err, b.told)
		}
	})
}

// lostBranches counts what is told, at the end, of branches that failed while others went on.
type lostBranches struct{ one, more int }

func (*lostBranches) Enabled(level int) bool { return level <= event.Summary }

func (l *lostBranches) Observe(e event.Event) {
	switch e.Kind {
	case event.BranchLost:
		l.one++
	case event.BranchesLost:
		l.more += e.Count
	}
}

// TestLostBranchesAreTold holds that of the branches that failed after the first one, twenty are told one by one, and
// the rest by their number.
func TestLostBranchesAreTold(t *testing.T) {
	for failed, want := range map[int]lostBranches{1: {0, 0}, 2: {1, 0}, 21: {20, 0}, 22: {20, 1}, 50: {20, 29}} {
		synctest.Test(t, func(t *testing.T) {
			b, told := &bubble{start: time.Now()}, &lostBranches{}
			config := b.config()
			config.Observer = told
			script := fmt.Sprintf("forall n in 1 .to. %d .keepgoing. .limit. 1\nfalse\nend", failed)
			if err := interp.New(config).Run(t.Context(), parse(t, script)); err == nil || *told != want {
				t.Errorf("%d failed: told %+v, want %+v (%v)", failed, *told, want, err)
			}
		})
	}
}
