package choose

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/parameter"
	"ftsh/cmd/ftshsim/herd/server"
)

// strain is by what the outage, the crowd and the times of the servers differ from what was asked: 1 is as asked.
type strain struct{ outage, clients, takes float64 }

// even is the strain of each kind alone that a preferred setting has to bear.
const even = 1.3

// cheap times the least price is the most that a setting may cost to be preferred for what it bears.
const cheap = 1.05

// strainsAlone are the strains of one thing each.
func strainsAlone(by float64) []strain { return []strain{{by, 1, 1}, {1, by, 1}, {1, 1, by}} }

// steps lists how much worse each thing is tried alone for the answer.
var steps = []float64{1.1, 1.2, even, 1.5, 2, 3}

// strength says how much worse things may be while the answer still does what is wanted.
type strength struct {
	borne  [3]float64 // of the outage, the crowd and the times alone; 1: no more than asked
	beyond [3]bool    // it is as much as was tried
	all    [2]float64 // the share that is in time with all of them 30 % better, and 30 % worse
}

// seedsOfMargin is with how many seeds strains are tried at most.
const seedsOfMargin = 2

// preferCheap finds the answer: of those that cost next to nothing more than the first the one that bears most, and
// then how much that is.
func (s *search) preferCheap(ctx context.Context) error {
	ranked := s.rankedCandidates()
	if len(ranked) == 0 || !s.isSatisfied(ranked[0]) {
		return nil
	}
	var close []*candidate
	for _, c := range ranked {
		if s.classOf(c) == 0 && len(close) < third && averageOf(s.priceEach(c)) <= cheap*averageOf(s.priceEach(ranked[0])) {
			close = append(close, c)
		}
	}
	shares, err := s.strainedShares(ctx, close, strainsAlone(even))
	if err != nil {
		return err
	}
	most := -1
	for n, c := range close {
		bears := 0
		for _, share := range shares[n] {
			if share >= s.Share {
				bears++
			}
		}
		if bears > most {
			s.answer, most = c, bears
		}
	}
	return s.measureMargin(ctx)
}

// measureMargin finds out how much worse it may be for the answer.
func (s *search) measureMargin(ctx context.Context) error {
	list := []strain{{1 / even, 1 / even, 1 / even}, {even, even, even}}
	for _, by := range steps {
		list = append(list, strainsAlone(by)...)
	}
	shares, err := s.strainedShares(ctx, []*candidate{s.answer}, list)
	if err != nil {
		return err
	}
	s.strength.all = [2]float64{shares[0][0], shares[0][1]}
	for what := range s.strength.borne {
		s.strength.borne[what], s.strength.beyond[what] = 1, true
		for n, by := range steps {
			if shares[0][2+3*n+what] < s.Share {
				s.strength.beyond[what] = false
				break
			}
			s.strength.borne[what] = by
		}
	}
	return nil
}

// strainedShares are the shares that candidates get through in time under each strain, in the scenario that is hardest
// for them, on average over the seeds.
func (s *search) strainedShares(ctx context.Context, list []*candidate, strains []strain) ([][]float64, error) {
	type outcome struct {
		share float64
		err   error
	}
	runs := herd.Runs{Seeds: min(seedsOfMargin, s.runs.Seeds), First: s.runs.First, Workers: s.runs.Workers}
	all := herd.Each(ctx, runs, len(list)*len(strains), func(ctx context.Context, n int, seed uint64) outcome {
		c, by := list[n/len(strains)], strains[n%len(strains)]
		r, err := s.searchUnder(by).runScenario(ctx, c, s.strainedScenario(s.hardestScenario(c), by), seed, 0)
		return outcome{r.share, err}
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	shares := make([][]float64, len(list))
	for n, outcomes := range all {
		sum := 0.0
		for _, o := range outcomes {
			if o.err != nil {
				return nil, o.err
			}
			sum += o.share
		}
		shares[n/len(strains)] = append(shares[n/len(strains)], sum/float64(len(outcomes)))
	}
	return shares, nil
}

// searchUnder is the search with a larger or smaller crowd.
func (s *search) searchUnder(by strain) *search {
	question, other := *s.Question, *s
	question.Clients = max(int(float64(question.Clients)*by.clients+0.5), 1)
	if s.Machines >= s.Clients {
		question.Machines = question.Clients
	}
	other.Question = &question
	if len(s.World.Arrivals) > 0 {
		other.until = s.World.Arrived(question.Clients) + s.Deadline
	}
	return &other
}

// strainedScenario is a scenario with a longer or shorter outage, and slower or quicker servers.
func (s *search) strainedScenario(at scenario, by strain) scenario {
	at.length = time.Duration(float64(at.length) * by.outage)
	w := *at.world
	w.Servers = append(w.Servers[:0:0], w.Servers...)
	for i := range w.Servers {
		spec := &w.Servers[i].Spec
		spec.Response = spec.Response.Scaled(by.takes)
		spec.Programs = append(spec.Programs[:0:0], spec.Programs...)
		for j := range spec.Programs {
			spec.Programs[j].Response = spec.Programs[j].Response.Scaled(by.takes)
		}
	}
	if at.length > 0 {
		w.Servers[0].Spec.Outages = []server.Outage{{From: s.At, To: s.At + at.length, Mode: s.Mode}}
	}
	at.world = &w
	return at
}

// describeMargin tell the margin.
func (m strength) describeMargin(s *search) string {
	hardest := s.hardestScenario(s.answer)
	var parts []string
	for what, name := range []string{"the outage", "the load", "the slowness"} {
		by, amount := m.borne[what], ""
		switch {
		case what == 0 && hardest.length == 0:
			continue
		case what == 0:
			amount = ", " + parameter.Brief(time.Duration(float64(hardest.length)*by).Round(time.Second))
		case what == 1:
			amount = fmt.Sprintf(", %.0f clients", float64(s.Clients)*by)
		}
		text := fmt.Sprintf("%s (%+.0f %%%s)", name, 100*(by-1), amount)
		if m.beyond[what] {
			text += " and more"
		}
		parts = append(parts, text)
	}
	return fmt.Sprintf("Margin, each alone: it holds up to %s. With all of them 30 %% more %s of the clients are done "+
		"in time, "+
		"with all 30 %% less %s.", strings.Join(parts, ", "), shareText(m.all[1]), shareText(m.all[0]))
}
