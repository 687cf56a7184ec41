package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// result is what a storm has come to.
type result struct {
	seed           uint64
	faults         string // freezes, restarts, crashes
	kills          int
	lost, repeated int // keys whose job has not run to its end; that ran more than once
	cut            int // jobs that began and did not end: the controller has forgotten them
	again          int // jobs submitted once more since one was lost
	held           int // left on hold
}

// count tells what the jobs have written.
func (s *storm) count(seed uint64) result {
	r := result{seed: seed, faults: fmt.Sprintf("%d, %d, %d", s.faults["freeze"], s.faults["restart"], s.faults["crash"]), kills: s.kills}
	runs := s.runs()
	for n := range keys {
		begun, ended := runs["begin "+key(n)], runs["end "+key(n)]
		r.cut += begun - ended
		switch {
		case ended == 0:
			r.lost++
		case ended > 1 || begun > 1 && !s.crash:
			r.repeated++
		}
	}
	for _, printed := range s.numbers { // by each of its shells that was not killed
		more := 0
		for _, numbers := range printed {
			more = max(more, len(strings.Fields(numbers))-1)
		}
		r.again += more
	}
	for _, job := range s.queue() {
		if strings.HasSuffix(job, "|PENDING|JobHeldUser") {
			r.held++
		}
	}
	return r
}

// writeDown logs the figures of storms, and with -update writes them down.
func writeDown(t *testing.T, what string, results []result) {
	if len(results) == 0 {
		return // skipped
	}
	var table strings.Builder
	fmt.Fprintf(&table, "\n## %s\n\n| seed | freezes, restarts, crashes | shells killed | keys lost | keys run twice | jobs cut off | submitted again | left on hold |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n", what)
	for _, r := range results {
		fmt.Fprintf(&table, "| %d | %s | %d | %d | %d | %d | %d | %d |\n", r.seed, r.faults, r.kills, r.lost, r.repeated, r.cut, r.again, r.held)
	}
	t.Log(table.String())
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
	must(t, os.WriteFile(figures, []byte(before+table.String()), 0o644))
}

const figures = "../../testdata/slurm/figures.md"
