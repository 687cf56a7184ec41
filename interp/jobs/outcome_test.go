package jobs

import (
	"strings"
	"testing"

	"ftsh/interp/jobs/batch"
)

// outcomes are all combinations. A line tells what is known besides the status: a mark, kills for memory, the verdict.
// Its three groups say what the runner was told: nothing, a signal, the death of its witness. The letters of a group
// say what the program did: succeed, fail with 3, die of signal 9. What follows: s success, p the program's own
// failure, m memory, c cancelled, t timeout, l lost.
const outcomes = `
-    -     unknown    spp lll lll
-    -     lost       spp lll lll
-    -     memory     mmm mmm mmm
-    -     timeout    ttt ttt ttt
-    -     cancelled  ccc ccc ccc
-    kills unknown    mmm mmm mmm
-    kills lost       mmm mmm mmm
-    kills memory     mmm mmm mmm
-    kills timeout    mmm mmm mmm
-    kills cancelled  mmm mmm mmm
mark -     unknown    ccc ccc ccc
mark -     lost       ccc ccc ccc
mark -     memory     mmm mmm mmm
mark -     timeout    ccc ccc ccc
mark -     cancelled  ccc ccc ccc
mark kills unknown    mmm mmm mmm
mark kills lost       mmm mmm mmm
mark kills memory     mmm mmm mmm
mark kills timeout    mmm mmm mmm
mark kills cancelled  mmm mmm mmm
`

// TestOutcome: how a job ended, for every combination of what is known of it.
func TestOutcome(t *testing.T) {
	verdicts := map[string]batch.Entry{
		"unknown": {}, "lost": {Kind: batch.Lost, Message: "the node failed"},
		"memory": {Kind: batch.Memory}, "timeout": {Kind: batch.Timeout},
		"cancelled": {Kind: batch.Cancelled},
	}
	programs := []status{{}, {Ending: Ending{Kind: "exit", Status: 3}}, {Ending: Ending{Kind: "signal", Status: 137}}}
	ends := map[byte]struct {
		kind   batch.Kind
		status int
	}{'s': {"", 0}, 'm': {batch.Memory, 137}, 'c': {batch.Cancelled, 1}, 't': {batch.Timeout, 124}, 'l': {batch.Lost, 1}}
	cells := 0
	for line := range strings.Lines(strings.TrimSpace(outcomes)) {
		f := strings.Fields(line)
		for told, group := range f[3:] {
			for n, program := range programs {
				s := program
				if told == 1 {
					s.Signal = 15
				}
				s.Swept = told == 2
				s.Marked, s.Used.Kills = f[0] == "mark", int64(len(f[1]))/5
				r := outcome(s, verdicts[f[2]])
				want, known := ends[group[n]]
				if !known {
					want.kind, want.status = program.Kind, program.Status
				}
				if cells++; r.Kind != want.kind || r.Status != want.status {
					t.Errorf("%s told %d, program %q: %q %d, want %q %d", f[:3], told, program.Kind, r.Kind, r.Status, want.kind,
						want.status)
				}
				if r.Kind != "" && r.Kind != program.Kind && r.Message == "" {
					t.Errorf("%s told %d, program %q: no message", f[:3], told, program.Kind)
				}
			}
		}
	}
	if want := 2 * 2 * 5 * 3 * 3; cells != want {
		t.Errorf("%d combinations, want %d", cells, want)
	}
}

// TestNeedsVerdict: whom the batch system has to be asked about.
func TestNeedsVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		s    status
		want bool
	}{
		"success":                 {status{}, false},
		"failed":                  {status{Ending: Ending{Kind: "exit", Status: 3}}, false},
		"told":                    {status{Signal: 15}, true},
		"swept":                   {status{Swept: true}, true},
		"told and marked":         {status{Signal: 15, Marked: true}, false},
		"told, killed for memory": {status{Signal: 15, Ending: Ending{Used: usage{Grouped: true, Kills: 1}}}, false},
		"killed":                  {status{Ending: Ending{Kind: "signal", Status: 137}}, true},
		"killed, and not for memory": {
			status{Ending: Ending{Kind: "signal", Status: 137, Used: usage{Grouped: true}}}, false},
	} {
		if got := c.s.needsVerdict(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
