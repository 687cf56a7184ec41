package world

import (
	"fmt"
	"strings"
	"time"
)

// Seen holds what was really counted in a period, to stand beside what is predicted for it.
type Seen struct {
	Clients  int
	Start    time.Duration // within which they began
	Period   time.Duration // from the first beginning to the last end
	Finished int           // clients that succeeded; Unsaid: nobody knows
	Median   time.Duration // within which half of the clients had finished; 0: not reached, or nobody knows
	P95      time.Duration // and 95 % of them
	Requests int
	Good     int // requests that were answered well
}

// Unsaid is a number that was not counted.
const Unsaid = -1

// String is the block of it in a SPEC.
func (s *Seen) String() string {
	var text strings.Builder
	line := func(word string, value any) { fmt.Fprintf(&text, "    %-9s %v\n", word, value) }
	text.WriteString("seen\n")
	line("clients", s.Clients)
	line("start", s.Start)
	line("period", s.Period)
	if s.Finished != Unsaid {
		line("finished", s.Finished)
	}
	if s.Median > 0 {
		line("median", s.Median)
	}
	if s.P95 > 0 {
		line("p95", s.P95)
	}
	line("requests", s.Requests)
	line("good", s.Good)
	text.WriteString("end\n")
	return text.String()
}

// readSeen reads what was counted.
func (r *reader) readSeen(w *World) {
	if w.Seen != nil {
		r.reportWrong(r.words[0], "this is the second `seen`; a SPEC has one")
	}
	s := &Seen{Finished: Unsaid}
	opener := r.words[0]
	r.readBlock(map[string]func(*line){
		"clients":  func(l *line) { s.Clients = l.takeWhole(1, 1e9) },
		"start":    func(l *line) { s.Start = l.takeTime() },
		"period":   func(l *line) { s.Period = l.takeTime() },
		"finished": func(l *line) { s.Finished = l.takeWhole(0, 1e9) },
		"median":   func(l *line) { s.Median = l.takeTime() },
		"p95":      func(l *line) { s.P95 = l.takeTime() },
		"requests": func(l *line) { s.Requests = l.takeWhole(0, 1e9) },
		"good":     func(l *line) { s.Good = l.takeWhole(0, 1e9) },
	}, "clients, start, period, finished, median, p95, requests, good")
	if len(r.errors) == 0 && (s.Clients == 0 || s.Period <= 0) {
		r.reportWrong(opener, "this `seen` wants `clients N` and `period T`")
	}
	w.Seen = s
}
