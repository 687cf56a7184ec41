package simulate_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/simulate"
)

// TestPictureIsWhole holds that a picture goes on until the last client is done, and shows the busiest second of each
// of its intervals: who asks for much in one second of ten is not calm. The outage is named in it.
func TestPictureIsWhole(t *testing.T) {
	w := parseWorld(t, "server\ntakes 100 ms\noutage from 0 s to 1 minute\nend")
	script := load(t, "try for 1 hour backoff fixed from 10 s\nget\nend\nsleep 3000")
	comparison := simulate.Comparison{Crowd: simulate.Crowd{World: w, Until: time.Hour},
		Variants: []simulate.Variant{{Name: "x", Who: simulate.All(script), Clients: 400}}}
	report, err := comparison.Compare(context.Background(), herd.Runs{Seeds: 2, First: 1})
	if err != nil {
		t.Fatal(err)
	}
	f := report.Figures[0]
	offered := f.Lines[0]
	if last := offered.X[len(offered.X)-1]; last < 50 || last > 52 {
		t.Errorf("it ends at %v minutes, want 51", last)
	}
	if first := offered.Y[0].Mean(); first != 400 {
		t.Errorf("400 requests in one second are %v", first)
	}
	if !strings.HasSuffix(f.Y.Label, "in the busiest second") || !strings.Contains(f.Title,
		"the busiest second of each 50s") {
		t.Errorf("the axis is %q, the title %q", f.Y.Label, f.Title)
	}
	if len(f.Bands) != 1 || f.Bands[0].Name != "outage: refuse" {
		t.Errorf("its bands are %+v", f.Bands)
	}
}

// TestHistogram holds that all good answers and scripts are in the table of times, by hand.
func TestHistogram(t *testing.T) {
	w := parseWorld(t, "server\nslots 1\ntakes 400 ms\nend")
	comparison := simulate.Comparison{Crowd: simulate.Crowd{World: w, Until: time.Hour},
		Variants: []simulate.Variant{{Name: "x", Who: simulate.All(load(t, "get")), Clients: 4}}}
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
