package simulate_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/simulate"
)

// TestAxisEnds holds that a picture ends soon after the last thing that is to be seen, and says if something
// comes later; the outage is named in it.
func TestAxisEnds(t *testing.T) {
	for _, c := range []struct {
		script, title string
		end           float64 // seconds, or minutes from 20 of them on
	}{
		{"try for 1 hour backoff fixed from 5 s\nget\nend", "", 70},
		{"try for 1 hour backoff fixed from 5 s\nget\nend\nsleep 3000", "; the last come until 51 min", 70},
	} {
		w := parseWorld(t, "server\nslots 20\ntakes 100 ms\noutage from 0 s to 1 minute\nend")
		comparison := simulate.Comparison{Crowd: simulate.Crowd{World: w, Start: 10 * time.Second, Until: time.Hour},
			Variants: []simulate.Variant{{Name: "x", Script: load(t, c.script), Clients: 50}}}
		report, err := comparison.Compare(context.Background(), herd.Runs{Seeds: 1, First: 1})
		if err != nil {
			t.Fatal(err)
		}
		f := report.Figures[0]
		x := f.Lines[0].X
		if last := x[len(x)-1]; last < 60.0/60 || last > c.end || !strings.HasSuffix(f.Title, c.title) || c.title == "" &&
			strings.Contains(f.Title, ";") {
			t.Errorf("%s: it ends at %v, want at most %v", f.Title, last, c.end)
		}
		if len(f.Bands) != 1 || f.Bands[0].Name != "outage: refuse" {
			t.Errorf("its bands are %+v", f.Bands)
		}
	}
}

// TestHistogram holds that all good answers and scripts are in the table of times, by hand.
func TestHistogram(t *testing.T) {
	w := parseWorld(t, "server\nslots 1\ntakes 400 ms\nend")
	comparison := simulate.Comparison{Crowd: simulate.Crowd{World: w, Until: time.Hour},
		Variants: []simulate.Variant{{Name: "x", Script: load(t, "get"), Clients: 4}}}
	report, err := comparison.Compare(context.Background(), herd.Runs{Seeds: 1, First: 1})
	if err != nil {
		t.Fatal(err)
	}
	rows := report.Tables[1].Rows // answers after 400, 800, 1200 and 1600 ms
	want := map[string]float64{"200ms to 500ms": 25, "500ms to 1s": 25, "1s to 2s": 50}
	if len(rows) != len(want) {
		t.Fatalf("%+v", rows)
	}
	for _, row := range rows {
		for n := range row.Values {
			if got := row.Values[n].Mean(); got < want[row.Labels[0]]-0.01 || got > want[row.Labels[0]]+0.01 {
				t.Errorf("%s: %v %%, want %v", row.Labels[0], got, want[row.Labels[0]])
			}
		}
	}
}
