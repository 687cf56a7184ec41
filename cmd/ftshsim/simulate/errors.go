package simulate

import (
	"fmt"
	"slices"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/world"
)

// Runaway is a script that runs on and on while no time passes.
type Runaway struct {
	Pos   ast.Pos // where it was found
	Steps int     // statements and turns of loops by then
}

// Error says what can be done, and Text shows the line, too.
func (r *Runaway) Error() string { return r.Pos.String() + ": " + r.describeRunaway() }

func (r *Runaway) Text() string { return diag.Errorf(r.Pos, "%s", r.describeRunaway()).Text() }

func (r *Runaway) describeRunaway() string {
	return fmt.Sprintf("%d statements and turns of loops have run up to here without any time passing, "+
		"and it would never end; "+
		"let the loop sleep, or let SPEC say how long its commands take", r.Steps)
}

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
