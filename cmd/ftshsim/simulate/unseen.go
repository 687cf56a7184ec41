package simulate

import (
	"fmt"
	"slices"

	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/world"
)

// Unseen is a load of which nobody knows what the server makes of it: the log that its SPEC was made
// from shows no limit, and no such load.
type Unseen struct {
	Server string
	Seen   int     // requests that it has served at the same time, according to the log
	Share  float64 // of the requests that came beside more than those
}

// Error says what can be done.
func (u *Unseen) Error() string {
	return fmt.Sprintf("%.0f %% of the requests come to %s while it serves more than the %d at a time that its log "+
		"has shown "+
		"(slots unknown at least %d), and what it does then is not known: fit a log of a busier hour, "+
		"or ask twice, with --assume-slots %d (just above what was seen) and with --assume-slots none: the truth lies "+
		"between",
		100*u.Share, u.Server, u.Seen, u.Seen, u.Seen+1)
}

// muchUnseen is the share of the requests from which on a load counts as one that was not seen.
const muchUnseen = 0.02

// checkUnseen tells whether a server has had to serve more than its SPEC knows of; nil: it has not.
func checkUnseen(s *world.Server, use server.Use) error {
	if s.Spec.Seen == 0 || float64(use.Unseen) <= muchUnseen*float64(use.Served) {
		return nil
	}
	name := s.Name()
	if len(s.Names) == 0 {
		name = "the server"
	}
	return &Unseen{name, s.Spec.Seen, float64(use.Unseen) / float64(use.Served)}
}

// AssumeSlots returns the world with that many slots where they are not known; 0: without a limit.
func AssumeSlots(w *world.World, slots int) *world.World {
	assumed := *w
	assumed.Servers = slices.Clone(w.Servers)
	for i := range assumed.Servers {
		if spec := &assumed.Servers[i].Spec; spec.Seen > 0 {
			spec.Slots, spec.Seen = slots, 0
		}
	}
	return &assumed
}
