package simulate

import (
	"fmt"
	"math"
	"slices"

	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/world"
)

// Tally holds what was counted. The pieces of work are the scripts.
type Tally struct {
	measure.Tally
	Failed  map[string]int // by why the last try stopped, or else by kind
	Running int            // that have begun and not ended, or were cut off by the end of the simulation

	Good     int // requests that were answered well, in time
	Refused  int // turned away: no slot, no room in the queue, or nobody there
	Limited  int // turned away by a limit
	Errors   int // answered with an error
	TimedOut int // given up by the script before an answer came

	Parts   []PartTally // of the crowd; one, if all run the same
	Outages []Outage
	Used    map[string]string // the commands that were run: whom they called
	Unknown map[string][]int  // those that SPEC does not say anything of: in which lines

	needed float64 // requests of a client whose servers never fail and are never full, if Compare has run it

	// For the verdict:
	trigger      trigger
	gaveUpDuring int            // of those that gave up, during the trigger
	lacking      measure.Series // client-seconds of having no answer, or no good one
	lack         float64        // how many clients lack something at the end
	ended        bool           // all clients had come to their ends by Until
}

// PartTally holds what was counted of a [Part].
type PartTally struct {
	Wanted   int           // clients
	Done     int           // of them
	Requests int           // that they sent
	Good     int           // of those, answered well and in time
	Took     measure.Times // of those that were done, from their own beginning
}

// Outage is one of a server's, and what followed. In trouble are clients whose last call of the server had failed at
// its end, or stood still.
type Outage struct {
	server.Outage
	Server  int             // its number
	Reached bool            // its end came, while clients still ran
	Served  float64         // seconds after it until nine tenths of those in trouble had a good answer; NaN: never
	trouble map[uint32]bool // who still is
	enough  int             // when so few of them still wait, nine tenths have had a good answer
}

func (s *simulation) noteFailure(why string) {
	now := s.virtualTime()
	s.GivenUp++
	if now >= s.trigger.from && now < s.trigger.to {
		s.gaveUpDuring++
	}
	s.Lost.Add(now, 1)
	s.Failed[why]++
}

// noteSuccess notes that a client got what it wanted of a server.
func (s *simulation) noteSuccess(c *client, answered *call) {
	if s.over {
		return
	}
	number := answered.server
	s.Good++
	s.Answers.Add(s.virtualTime() - answered.began)
	s.Parts[c.part].Good++
	c.got++
	c.trouble = slices.DeleteFunc(c.trouble, func(other int) bool { return other == number })
	s.noteLacking(c, len(c.calls) > 0)
	for i := range s.Outages {
		if o := &s.Outages[i]; s.World.Reaches(number, o.Server) && o.trouble[c.client] && math.IsNaN(o.Served) {
			delete(o.trouble, c.client)
			if len(o.trouble) <= o.enough {
				o.Served = (s.virtualTime() - o.To).Seconds()
			}
		}
	}
}

// noteUnanswered notes that it did not.
func (s *simulation) noteUnanswered(c *client, number int, count *int) {
	if s.over {
		return
	}
	*count++
	s.noteLacking(c, true)
	if !slices.Contains(c.trouble, number) {
		c.trouble = append(c.trouble, number)
	}
}

// noteLacking notes whether a client lacks something, from now on.
func (s *simulation) noteLacking(c *client, lacks bool) {
	if c.lacks == lacks || s.over {
		return
	}
	s.countLacking()
	if c.lacks = lacks; lacks {
		s.lack++
	} else {
		s.lack--
	}
}

// countLacking counts what clients have lacked up to now.
func (s *simulation) countLacking() {
	s.lacking.Hold(s.held, s.virtualTime(), s.lack)
	s.held = s.virtualTime()
}

// endOutage is the end of an outage. In trouble is whose last answer was none, or a bad one, of the server or of one
// that calls it, and whose call has met an outage in which nobody answers.
func (s *simulation) endOutage(number int) {
	o := &s.Outages[number]
	if s.over {
		return
	}
	o.Reached, o.trouble = true, map[uint32]bool{}
	silent := o.Mode == server.Freeze || o.Mode == server.Hang
	for i := range s.clients {
		c := &s.clients[i]
		if slices.ContainsFunc(c.trouble, func(called int) bool { return s.World.Reaches(called, o.Server) }) ||
			silent && slices.ContainsFunc(c.calls, func(open *call) bool {
				return s.World.Reaches(open.server, o.Server) && open.began >= o.From
			}) {
			o.trouble[c.client] = true
		}
	}
	if o.enough = len(o.trouble) / 10; len(o.trouble) == 0 {
		o.Served = 0
	}
}

// noteRoute keeps whom a command called, and where one was run of which nothing is known.
func (s *simulation) noteRoute(name string, route world.Route, known bool, line int) {
	if s.over {
		return
	}
	switch {
	case route.Server != nil && len(route.Server.Names) == 0:
		s.Used[name] = "called the server"
	case route.Server != nil:
		s.Used[name] = "called " + route.Server.Name()
	case route.Command != nil:
		s.Used[name] = "called nobody"
	case known:
		s.Used[name] = "was evaluated"
	case !slices.Contains(s.Unknown[name], line):
		s.Unknown[name] = append(s.Unknown[name], line)
	}
}

// Unseen is a load of which nobody knows what the server makes of it: the log that its SPEC was made
// from shows no limit, and no such load.
type Unseen struct{ error }

// checkUnseen tells whether a server has had to serve more than its SPEC knows of, for more than chance; nil: it has
// not.
func checkUnseen(s *world.Server, use server.Use) error {
	if s.Spec.Seen == 0 || float64(use.Unseen) <= 0.02*float64(use.Served) {
		return nil
	}
	name := s.Name()
	if len(s.Names) == 0 {
		name = "the server"
	}
	seen := s.Spec.Seen
	return &Unseen{fmt.Errorf("%.0f %% of the requests come to %s while it serves more than the %d at a time that its "+
		"log has shown (slots unknown at least %d), and what it does then is not known: fit a log of a busier hour, "+
		"or ask twice, with --assume-slots %d (just above what was seen) and with --assume-slots none: the truth lies "+
		"between", 100*float64(use.Unseen)/float64(use.Served), name, seen, seen, seen+1)}
}
