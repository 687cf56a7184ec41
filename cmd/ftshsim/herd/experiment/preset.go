package experiment

import (
	"context"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/parameter"
)

// Preset is an experiment, with parameters that can be changed before it runs.
type Preset struct {
	Name       string
	Title      string
	About      string // a paragraph: what it is about, what to look at
	Assumed    string // which numbers are the source's, and which were chosen, perhaps to fit
	Parameters []parameter.Parameter
	Seeds      int // runs of each point, if nothing else is asked for: as many as take about a second
	run        func(context.Context, herd.Runs) *Report
}

// Presets returns all of them, in the order in which a newcomer should meet
// them.
func Presets() []*Preset {
	return []*Preset{submitPreset(), bufferPreset(), replicaPreset(), overloadPreset(),
		recoverPreset(), layersPreset(), contentionPreset(), deadlinePreset()}
}

// Run runs an experiment. When ctx is cancelled it returns what it has so far.
func (p *Preset) Run(ctx context.Context, runs herd.Runs) *Report {
	r := p.run(ctx, runs)
	r.Name, r.Title, r.Interrupted = p.Name, p.Title, ctx.Err() != nil
	for _, parameter := range p.Parameters {
		r.Parameters = append(r.Parameters, Setting{parameter.Name, parameter.Value.String()})
	}
	r.Assumed = append(r.Assumed, p.Assumed)
	r.Seeds = runs.Seeds
	return r
}
