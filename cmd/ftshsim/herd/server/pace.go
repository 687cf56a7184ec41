package server

import "time"

// Use says how much a server was used.
type Use struct {
	Slots   float64       // seconds that requests were being served, added up over all of them
	Line    float64       // seconds that requests waited for that, added up likewise
	Longest int           // the most that waited at once
	Served  int           // requests that had a slot
	Unseen  int           // of those, that had it while well more than [Spec.Seen] were taken
	Idle    time.Duration // for how long no request was being served
	Lost    time.Duration // slot-time of requests that nobody was told of: they hung, or their clients had left
}

// Use returns the use up to now.
func (s *Server) Use() Use {
	s.busy.changeBy(s.sim.Now(), 0)
	s.line.changeBy(s.sim.Now(), 0)
	return Use{s.busy.sum, s.line.sum, s.line.most, s.served, s.unseen, s.busy.none, s.lost}
}

// level is a number that changes over time.
type level struct {
	n, most int
	since   time.Duration
	sum     float64       // of the number times seconds, up to since
	none    time.Duration // for how long it was 0, up to then
}

func (l *level) changeBy(now time.Duration, by int) {
	l.sum += float64(l.n) * (now - l.since).Seconds()
	if l.n == 0 {
		l.none += now - l.since
	}
	l.since = now
	l.n += by
	l.most = max(l.most, l.n)
}

// pace holds the requests of a server with a Slowdown. Each looks again every
// 50 ms (Slowdown.Every) whether it has been there long enough. An event for
// each look would be millions a second once such a server is flooded, so
// requests are let in on a grid of a fiftieth of that: those of one grid line
// look together, the oldest first, and the first that has to stay lets all
// younger ones stay.
type pace struct {
	lines   [gridLines]line
	ticking bool
}

const gridLines = 50

func (s *Server) gridStep() time.Duration { return max(s.Slowdown.Every/gridLines, 1) }

// enterGrid lets a request in at the next grid line.
func (s *Server) enterGrid(n uint32) {
	line := (s.sim.Now() + s.gridStep() - 1) / s.gridStep()
	s.requests[n].started = line * s.gridStep()
	s.pace.lines[line%gridLines].push(n)
	s.keepPace()
}

// keepPace has the next grid line looked at, if there is anything to see.
func (s *Server) keepPace() {
	if s.Slowdown.on() && !s.pace.ticking && s.busy.n > 0 {
		s.pace.ticking = true
		s.setEvent((s.sim.Now()/s.gridStep()+1)*s.gridStep(), 0, look)
	}
}

// leaveGrid lets those requests of a grid line leave that have been there for the
// time that is right now.
func (s *Server) leaveGrid() {
	s.pace.ticking = false
	now := s.sim.Now()
	if s.outageAt(now).Mode == Freeze {
		return // the end of the outage goes on
	}
	mean := time.Duration(float64(s.Response.Mean()) / s.speedAt(now))
	line := &s.pace.lines[now/s.gridStep()%gridLines]
	for len(*line) > 0 {
		here := now - s.requests[(*line)[0]].started
		if here < s.Slowdown.Every || here < s.Slowdown.Delay(mean, s.busy.n) {
			break
		}
		if n := line.pop(); s.requests[n].state == lost {
			s.releaseNumber(n)
		} else {
			s.proceedWith(n)
		}
	}
	s.keepPace()
}

// line is a queue of request numbers.
type line []uint32

func (l *line) push(n uint32) { *l = append(*l, n) }

func (l *line) pop() uint32 {
	n := (*l)[0]
	*l = (*l)[1:]
	return n
}
