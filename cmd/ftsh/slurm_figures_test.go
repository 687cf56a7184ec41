package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// result holds the figures of a storm.
type result struct {
	seed           uint64
	faults         string // freezes, restarts, crashes
	kills          int
	lost, repeated int // keys whose job has not run to its end; that ran more than once
	cut            int // jobs that began and did not end: the controller has forgotten them
	again          int // jobs submitted once more since one was lost
	signals        int // that were handed on to jobs
}

// count tells what the jobs have written.
func (s *storm) count(seed uint64) result {
	r := result{seed: seed, faults: fmt.Sprintf("%d, %d, %d", s.faults["freeze"], s.faults["restart"],
		s.faults["crash"]), kills: s.kills}
	runs := s.runs()
	for n := range keys {
		for _, unit := range s.units(n) {
			begun, ended := runs["begin "+unit], runs["end "+unit]
			r.cut += begun - ended
			r.signals += runs["signal "+unit]
			switch {
			case ended == 0:
				r.lost++
			case ended > 1 || begun > 1 && !s.crash:
				r.repeated++
			}
		}
	}
	for _, printed := range s.numbers { // by each of its shells that was not killed
		more := 0
		for _, numbers := range printed {
			more = max(more, len(strings.Fields(numbers))-1)
		}
		r.again += more
	}
	return r
}

// writeDown logs the figures of the last storm, and with -update writes those of all down.
func writeDown(t *testing.T, what string, results []result) {
	var table strings.Builder
	fmt.Fprintf(&table, "\n## %s\n\n| seed | freezes, restarts, crashes | shells killed | keys lost | keys run twice "+
		"| jobs cut off | submitted again | signals handed on |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n", what)
	for _, r := range results {
		fmt.Fprintf(&table, "| %d | %s | %d | %d | %d | %d | %d | %d |\n", r.seed, r.faults, r.kills, r.lost, r.repeated,
			r.cut, r.again, r.signals)
	}
	t.Logf("%+v", results[len(results)-1])
	replaceTable(t, what, table.String())
}

// replaceTable writes a section of the figures anew, with -update.
func replaceTable(t *testing.T, what, table string) {
	if !*update {
		return
	}
	text, err := os.ReadFile(figures)
	if err != nil {
		t.Fatal(err)
	}
	before, after, _ := strings.Cut(string(text), "\n## "+what+"\n")
	if _, rest, more := strings.Cut(after, "\n## "); more {
		before += "\n## " + rest
	}
	must(t, os.WriteFile(figures, []byte(before+table), 0o644))
}

const figures = "../../testdata/slurm/figures.md"
