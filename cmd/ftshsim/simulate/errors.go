package simulate

import (
	"fmt"

	"ftsh/ast/diag"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/world"
)

// Runaway is a script that runs on and on while no time passes.
type Runaway struct {
	Where *diag.Error // it was found
}

// Error says what can be done, and Text shows the line, too.
func (r *Runaway) Error() string { return r.Where.Error() }
func (r *Runaway) Text() string  { return r.Where.Text() }

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
