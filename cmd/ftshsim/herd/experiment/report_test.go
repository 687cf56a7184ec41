package experiment

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/testdata/skip"
)

func TestMain(m *testing.M) {
	skip.Collections()
	m.Run()
}

// brisk is settings with which each preset takes a moment.
var brisk = map[string]map[string]string{
	"submit":   {"clients": "25,400", "limit": "1m", "watch": "1m"},
	"buffer":   {"clients": "5,30", "limit": "30s"},
	"replica":  {"limit": "2m"},
	"overload": {"clients": "200", "at": "10s", "outage": "5s", "watch": "1m"},
	"recover": {"clients": "10,100", "limit": "5s", "outages": "10s", "herd": "100", "caps": "1,2", "first": "5s",
		"cap": "5s", "factor": "3"},
	"layers":     {"rate": "20", "slots": "2", "at": "5s", "outage": "5s", "watch": "5s"},
	"contention": {"clients": "1,10,50"},
	"deadline":   {"clients": "20", "limit": "1m", "outages": "10,90"},
}

// TestProcessors holds that results do not depend on how many processors
// there are, or on the run.
func TestProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	reports := map[string]string{}
	for _, processors := range []int{1, 4, 4} {
		runtime.GOMAXPROCS(processors)
		for _, p := range Presets() {
			text := fmt.Sprintf("%+v", *ran(t, p, 3, brisk[p.Name]))
			if before, known := reports[p.Name]; known && text != before {
				t.Errorf("%s: another result on %d processors", p.Name, processors)
			}
			reports[p.Name] = text
		}
	}
}

// TestSeeds holds that the seed matters.
func TestSeeds(t *testing.T) {
	for _, p := range Presets() {
		first := changed(t, p, brisk[p.Name]).Run(context.Background(), herd.Runs{Seeds: 1, First: 1})
		second := p.Run(context.Background(), herd.Runs{Seeds: 1, First: 2})
		if fmt.Sprintf("%+v", first.Tables) == fmt.Sprintf("%+v", second.Tables) {
			t.Errorf("%s: seeds 1 and 2 give the same", p.Name)
		}
	}
}

// TestReports holds what every report has.
func TestReports(t *testing.T) {
	for _, p := range Presets() {
		r := ran(t, p, 2, brisk[p.Name])
		if len(r.Tables) == 0 || len(r.Figures) == 0 || r.Events == 0 || r.Title == "" || len(r.Comparisons) == 0 &&
			p.Name != "deadline" {
			t.Errorf("%s: tables, figures, events or comparisons are missing", p.Name)
		}
		for _, table := range r.Tables {
			for _, row := range table.Rows {
				if len(row.Labels) != len(table.Labels) || len(row.Values) != len(table.Columns) {
					t.Errorf("%s, %s, %v: %d labels of %d, %d values of %d", p.Name, table.Name, row.Labels,
						len(row.Labels), len(table.Labels), len(row.Values), len(table.Columns))
				}
			}
		}
		names := map[string]bool{}
		for _, f := range r.Figures {
			if names[f.Name] || f.X.Label == "" || f.Y.Label == "" {
				t.Errorf("%s, %s: the name is not its own, or an axis has no label", p.Name, f.Name)
			}
			names[f.Name] = true
		}
	}
}

// TestInterrupted holds that a report that was cancelled at once, or after the
// first run, can be made all the same.
func TestInterrupted(t *testing.T) {
	for _, p := range Presets() {
		changed(t, p, brisk[p.Name])
		for _, after := range []int{0, 1} {
			ctx, cancel := context.WithCancel(context.Background())
			if after == 0 {
				cancel()
			}
			r := p.Run(ctx, herd.Runs{Seeds: 3, First: 1, Progress: func(done, _ int) {
				if done >= after {
					cancel()
				}
			}})
			cancel()
			if !r.Interrupted {
				t.Errorf("%s, cancelled after %d: the report does not tell", p.Name, after)
			}
		}
	}
}

// TestParameters holds that all parameters have a usage, show what they are,
// accept that, and refuse nonsense with the allowed range.
func TestParameters(t *testing.T) {
	for _, p := range Presets() {
		for _, parameter := range p.Parameters {
			v := parameter.Value
			if parameter.Usage == "" || v.Type() == "" {
				t.Errorf("%s --%s: no usage", p.Name, parameter.Name)
			}
			if err := v.Set(v.String()); err != nil {
				t.Errorf("%s --%s %s: %v", p.Name, parameter.Name, v, err)
			}
			if err := v.Set("nonsense"); err == nil || !strings.Contains(err.Error(), "wanted ") {
				t.Errorf("%s --%s nonsense: %v, want what is allowed", p.Name, parameter.Name, err)
			}
		}
	}
}
