package simulate

import (
	"slices"

	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/world"
)

// assumed holds what all simulations of scripts take for granted.
var assumed = [...]string{
	"Scripts need no time of their own, nor does starting a command: only what SPEC says takes time.",
	"The network has no delays and loses nothing, but for `trip`, " +
		"and the connections that a frozen server's full backlog drops.",
	"A command that is cut off ends at once. Its request stays with the server, which serves it for nobody, " +
		"unless SPEC says `hangup removes`.",
	"All requests of a command are alike: a server does not know which are repeated.",
	"What scripts write to files goes nowhere; " +
		"what they read from files is empty, but for the headers of the last answer.",
}

// Disclose adds to a report what went in, and what is taken for granted.
func Disclose(r *experiment.Report, w *world.World, scripts ...*Script) {
	if w.Source != nil {
		r.Inputs = append(r.Inputs, experiment.Setting{Name: w.Source.Name, Value: w.Source.Text})
	}
	for _, s := range scripts {
		one := experiment.Setting{Name: s.Name, Value: s.text}
		if !slices.Contains(r.Inputs, one) {
			r.Inputs = append(r.Inputs, one)
		}
	}
	r.Assumed = append(r.Assumed, assumed[:]...)
}
