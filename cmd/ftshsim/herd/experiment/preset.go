package experiment

import (
	"context"
	"embed"
	"strings"

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
	report     func(context.Context, herd.Runs, *Report)
}

// texts holds a file for each experiment: title, what it is about, and what is assumed, with empty lines between.
//
//go:embed about/*.txt
var texts embed.FS

// Presets returns all of them, in the order in which a newcomer should meet
// them.
func Presets() []*Preset {
	submit, buffer, replica, overload := newSubmission(), &buffering{}, &replicas{}, newOverload()
	recovery, layers, contention, deadline := &recovery{}, newLayers(), &contention{}, &deadline{}
	list := []*Preset{
		{Name: "submit", Seeds: 10, Parameters: parameter.Of(submit), report: submit.report},
		{Name: "buffer", Seeds: 10, Parameters: parameter.Of(buffer), report: buffer.report},
		{Name: "replica", Seeds: 100, Parameters: parameter.Of(replica), report: replica.report},
		{Name: "overload", Seeds: 5, Parameters: parameter.Of(overload), report: overload.report},
		{Name: "recover", Seeds: 5, Parameters: parameter.Of(recovery), report: recovery.report},
		{Name: "layers", Seeds: 5, Parameters: parameter.Of(layers), report: layers.report},
		{Name: "contention", Seeds: 50, Parameters: parameter.Of(contention), report: contention.report},
		{Name: "deadline", Seeds: 4, Parameters: parameter.Of(deadline), report: deadline.report},
	}
	for _, p := range list {
		text, _ := texts.ReadFile("about/" + p.Name + ".txt") // it is embedded
		paragraphs := strings.Split(strings.TrimSpace(string(text)), "\n\n")
		p.Title, p.About, p.Assumed = paragraphs[0], paragraphs[1], paragraphs[2]
		if p.Name == "layers" {
			p.About += listVariants()
		}
	}
	return list
}

// Run runs an experiment. When ctx is cancelled it returns what it has so far.
func (p *Preset) Run(ctx context.Context, runs herd.Runs) *Report {
	r := &Report{Name: p.Name, Title: p.Title, Assumed: []string{p.Assumed}, Seeds: runs.Seeds}
	p.report(ctx, runs, r)
	r.Interrupted = ctx.Err() != nil
	for _, parameter := range p.Parameters {
		r.Parameters = append(r.Parameters, Setting{parameter.Name, parameter.Value.String()})
	}
	return r
}
