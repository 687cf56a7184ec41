// Package experiment repeats the experiments that the policies come from, on
// the parts of package herd. Each is a [Preset]: a struct of parameters that can all be
// changed, a text (about), and what it consists of, as a list of studies: who does what with which
// server, what is compared, and what is shown of it in a [Report], beside what was published.
//
// The paper of Thain and Livny shows what came out of submit, buffer and replica but not all that went in, so what
// it leaves open was chosen to fit. A test holds the shapes, cmd/ftshsim/testdata/herd.md has the ratios.
//
// # Where the sources are silent
//
//   - submit: the schedd takes jobs one by one and shares its processor with the
//     submitters; a submission holds few descriptors at its start and more once
//     it is connected. The paper's figures 1 and 3 differ by a factor about how
//     many jobs 400 submitters get done; ours lies between them.
//   - buffer: making a file takes a second, and its size is known at the end, so
//     that an attempt that fails costs a second also for those who try again at
//     once. The consumer shares the processor with the producers: that is why it
//     gets slower when many fail. ethernet counts its own file among the
//     incomplete ones (--own), else it collides five times as often as published.
//   - overload: the source's server prints once a second how many requests it has accepted.
//     The most of that, with the policy normal, was 45; here the most is 156, at any moment
//     and with the 128 connections that wait in the kernel while the server stands still.
//     The real programs (ftshsim serve, load), three times on a busy machine: 20 to 37 once a second, and 131 to
//     184 at the same time when looked at every 20 ms.
//   - replica: a server that is busy with a transfer sends the flag meanwhile.
//     With --aside=false it does not; then ethernet defers three times as often
//     as published.
//   - recover: "extended by about a factor of two" is read as: outage and recovery
//     together take twice as long as the outage.
//
// # Invariants
//
//   - A report depends on parameters and seeds only, not on the number of
//     processors.
//   - A run that is cancelled ends in a report of what there was.
package experiment

import (
	"context"
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
	studies    func() []study
}

// Presets returns all of them, in the order in which a newcomer should meet
// them.
func Presets() (list []*Preset) {
	for _, one := range []struct {
		name   string
		seeds  int
		config interface{ studies() []study }
	}{
		{"submit", 10, newSubmission()}, {"buffer", 10, &buffering{}}, {"replica", 100, &replicas{}},
		{"overload", 5, newOverload()}, {"recover", 5, &recovery{}}, {"layers", 5, newLayers()},
		{"contention", 50, &contention{}}, {"deadline", 4, &deadline{}},
	} {
		text := must(files.ReadFile("about/" + one.name + ".txt"))
		said := strings.Split(strings.TrimSpace(string(text)), "\n\n")
		last := len(said) - 1
		list = append(list, &Preset{one.name, said[0], strings.Join(said[1:last], "\n\n"), said[last],
			parameter.Of(one.config), one.seeds, one.config.studies})
	}
	return list
}

// Run runs an experiment. When ctx is cancelled it returns what it has so far.
func (p *Preset) Run(ctx context.Context, runs herd.Runs) *Report {
	r := &Report{Name: p.Name, Title: p.Title, Assumed: []string{p.Assumed}, Seeds: runs.Seeds}
	for _, parameter := range p.Parameters {
		r.Parameters = append(r.Parameters, Setting{parameter.Name, parameter.Value.String()})
	}
	list := p.studies()
	for i, s := range list {
		r.simulate(ctx, runs, s, i, len(list))
	}
	r.Interrupted = ctx.Err() != nil
	return r
}
