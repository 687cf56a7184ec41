package server

import "time"

// Use says how much a server was used.
type Use struct {
	Slots   float64 // seconds that requests were being served, added up over all of them
	Line    float64 // seconds that requests waited for that, added up likewise
	Longest int     // the most that waited at once
	Served  int     // requests that had a slot
	Unseen  int     // of those, that had it while well more than [Spec.Seen] were taken
}

// Use returns the use up to now.
func (s *Server) Use() Use {
	now := s.sim.Now()
	return Use{s.busy.levelUntil(now), s.line.levelUntil(now), s.line.most, s.served, s.unseen}
}

// level is a number that changes over time.
type level struct {
	n, most int
	since   time.Duration
	sum     float64 // of the number times seconds, up to since
}

// changeBy makes it larger or smaller.
func (l *level) changeBy(now time.Duration, by int) {
	l.sum, l.since = l.levelUntil(now), now
	l.n += by
	l.most = max(l.most, l.n)
}

func (l *level) levelUntil(now time.Duration) float64 {
	return l.sum + float64(l.n)*(now-l.since).Seconds()
}
