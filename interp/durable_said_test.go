package interp_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/interp"
	"ftsh/interp/durable"
	"ftsh/interp/journal"
	"ftsh/interp/journal/memory"
)

// TestSaid holds that the journal gets a line that a unit has written to standard error once a second at most, and
// none when the unit has ended or a group on start has set variables.
func TestSaid(t *testing.T) {
	for _, c := range []struct {
		script string
		want   []bool
	}{
		{"act a", []bool{true, false, true, false}},
		{"on start\n p=secret\nend\nact a", []bool{false, false, false, false}},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &life{t: t, fs: memory.New(rand.New(rand.NewPCG(1, 1))), dir: scratchDir(t)}
			j, err := journal.Open("/j", journal.Config{FS: w.fs, Machine: "m", Host: "h"})
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			d := &durable.Script{Journal: j, Canonical: canonical}
			var unit *interp.Unit
			var kept []bool
			config := interp.Config{
				World: findsAll{at(w, virtual{time.Now()})}, Durable: d,
				Script: interp.Script{Name: "script", Dir: w.dir, Files: []int{0, 1, 2}},
			}
			r := interp.New(config)
			r.Around(func(u *interp.Unit, run func() error) error {
				unit = u
				kept = append(kept, u.Say("one"), u.Say("two"))
				time.Sleep(time.Second)
				kept = append(kept, u.Say("two"))
				return run()
			})
			err = r.Run(context.Background(), parse(t, c.script))
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			if kept = append(kept, unit.Say("three")); !slices.Equal(kept, c.want) {
				t.Errorf("%q: kept are %v, want %v", c.script, kept, c.want)
			}
		})
	}
}
