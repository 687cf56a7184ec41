package simulate_test

import (
	"testing"

	"ftsh/backoff/shared/locked"
)

// TestHedgeAsShells has a hedged forany ask a second host when the first does not answer,
// and not when it does.
func TestHedgeAsShells(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		want   int
	}{
		"no answer": {"try for 10 minutes\nforany host in a b .hedge. 200 ms\nget $host\nend\nend\n", 40},
		"answers":   {"try for 10 minutes\nforany host in a b .hedge. 5 minutes\nget $host\nend\nend\n", 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const clients = 20
			s := serve(t, clients, c.script)
			for _, n := range rounds(virtual(t, clients, c.script, "server\ntakes 1 s\nend")) {
				s.answer(s.round(n), "ok")
			}
			s.succeed()
			if s.count != c.want {
				t.Errorf("%d requests, want %d", s.count, c.want)
			}
		})
	}
}

// TestSenseAsShells has each attempt ask first, with its slot in hand. The first to ask are
// told no, and go to the end of the line: 8 questions more than there are answers.
func TestSenseAsShells(t *testing.T) {
	const clients = 20
	const script = "resource r\nslots 8\nsense\nget\nend\nend\ntry for 10 minutes via r backoff fixed from 1 ms\n" +
		"get\nend\n"
	s := serve(t, clients, script)
	s.until("all stand in line", func(st locked.Status) bool { return st.Waiting == clients-8 })
	how := "no"
	for _, n := range rounds(virtual(t, clients, script, "server\ntakes 1 s\noutage from 0 s to 500 ms fail\nend")) {
		s.answer(s.round(n), how)
		how = "ok"
	}
	s.succeed()
	if s.count != 2*clients+8 {
		t.Errorf("%d requests", s.count)
	}
}
