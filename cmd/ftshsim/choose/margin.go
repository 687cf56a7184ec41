package choose

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/parameter"
)

// even is the strain of each kind alone that a preferred setting has to bear.
const even = 1.3

// cheap times the least price is the most that a setting may cost to be preferred for what it bears.
const cheap = 1.05

// steps lists how much worse each thing is tried alone for the answer.
var steps = []float64{1.1, 1.2, even, 1.5, 2, 3}

// strainsAlone are the strains of one thing each.
func strainsAlone(by float64) []strain { return []strain{{by, 1, 1}, {1, by, 1}, {1, 1, by}} }

// preferSturdy finds the answer: of those that cost next to nothing more than the first the one that bears most.
func (s *search) preferSturdy(ctx context.Context) {
	ranked := s.ranked()
	if ctx.Err() != nil || !s.isSatisfied(ranked[0]) {
		return
	}
	var close []*candidate
	for _, c := range ranked {
		if s.rank(c)[0] == 0 && len(close) < third && c.atWorst(s.price) <= cheap*ranked[0].atWorst(s.price) {
			close = append(close, c)
		}
	}
	answer, most := ranked[0], -1
	for n, shares := range s.strainedShares(ctx, close, strainsAlone(even)) {
		bears := len(slices.DeleteFunc(shares, func(share float64) bool { return !s.isEnough(share) }))
		if bears > most {
			answer, most = close[n], bears
		}
	}
	if margin := s.describeMargin(ctx, answer); ctx.Err() == nil {
		s.answer, s.margin = answer, margin
	}
}

// describeMargin says how much worse it may be for an answer.
func (s *search) describeMargin(ctx context.Context, answer *candidate) string {
	list := []strain{{1 / even, 1 / even, 1 / even}, {even, even, even}}
	for _, by := range steps {
		list = append(list, strainsAlone(by)...)
	}
	shares := s.strainedShares(ctx, []*candidate{answer}, list)[0]
	length := s.scenarios[answer.hardest(missed)].length
	var parts []string
	for what, name := range []string{"the outage", "the load", "the slowness"} {
		by, n := 1.0, 0
		for ; n < len(steps) && s.isEnough(shares[2+3*n+what]); n++ {
			by = steps[n]
		}
		amount := ""
		switch what {
		case 0:
			amount = ", " + parameter.Brief(time.Duration(by*float64(length)).Round(time.Second))
		case 1:
			amount = fmt.Sprintf(", %.0f clients", by*float64(s.Clients))
		}
		text := fmt.Sprintf("%s (%+.0f %%%s)", name, 100*(by-1), amount)
		if n == len(steps) {
			text += " and more"
		}
		if what > 0 || length > 0 {
			parts = append(parts, text)
		}
	}
	return fmt.Sprintf("Margin, each alone: it holds up to %s. With all of them 30 %% more %s of the clients are done "+
		"in time, with all 30 %% less %s.", strings.Join(parts, ", "), shareText(shares[1]), shareText(shares[0]))
}

// strainedShares are the shares that candidates get through in time under each strain, in the scenario that is hardest
// for them, on average over two seeds at most.
func (s *search) strainedShares(ctx context.Context, list []*candidate, strains []strain) [][]float64 {
	runs := herd.Runs{Seeds: min(2, s.runs.Seeds), First: s.runs.First, Workers: s.runs.Workers}
	all := herd.Each(ctx, runs, len(list)*len(strains), func(ctx context.Context, n int, seed uint64) float64 {
		c := list[n/len(strains)]
		at := s.scenario(s.scenarios[c.hardest(missed)].length, strains[n%len(strains)])
		return 1 - s.runScenario(ctx, c, at, seed, 0).figures[missed]
	})
	shares := make([][]float64, len(list))
	for n, inTime := range all {
		shares[n/len(strains)] = append(shares[n/len(strains)], average(inTime))
	}
	return shares
}
