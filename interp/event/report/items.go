package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// group is items of loops that failed in the same way.
type group struct {
	Why   string   // such as: exit 7, connection refused
	Items []string // as variable=item, at most mostNamed of them
	Count int
}

// mostNamed limits the items of a group that are named.
const mostNamed = 8

// ending tells how a branch ended, or the script in one.
type ending struct {
	item string
	why  string // "" if it succeeded
}

// items holds the ends of the branches of all loops.
type items struct {
	all   int            // that there were to be, as far as the log says it
	ended map[key]ending // by branch
	told  []ending       // by the lines of level 5, which name no branch
}

// takeRecord notes what a record tells of items.
func (i *items) takeRecord(r *record) {
	switch r.Event {
	case "forall.start":
		i.all += r.Count
	case "branch.end":
		i.ended[key{r.Shell, r.Branch}] = ending{item: r.Name + "=" + r.Value}
	case "branch.failed":
		i.ended[key{r.Shell, r.Branch}] = ending{r.Name + "=" + r.Value, r.whyFailed()}
	case "script.failed", "script.branch":
		if r.Name != "" {
			i.told = append(i.told, ending{r.Name + "=" + r.Value, r.whyFailed()})
		}
	}
}

// whyFailed is the kind of a failure, its status, and the last line that the program wrote.
func (r *record) whyFailed() string {
	text := r.Failure
	if text == "exit" {
		text += " " + strconv.Itoa(r.Status)
	}
	last := strings.TrimSpace(r.Stderr)
	if at := strings.LastIndexByte(last, '\n'); at >= 0 {
		last = last[at+1:]
	}
	if last == "" && r.Failure != "exit" {
		last = r.Message
	}
	if last != "" {
		text += ", " + last
	}
	return text
}

// groupFailures returns the items that failed, by why, the most common first, and how many items there were: 0 if the
// log does not say it, since only level 30 tells of those that went well.
func (s *Story) groupFailures() (groups []group, all int) {
	failed := s.items.told
	if len(s.items.ended) > 0 { // then the lines of level 5 tell the same again
		failed = slices.Collect(maps.Values(s.items.ended))
		slices.SortFunc(failed, func(a, b ending) int {
			return cmp.Or(cmp.Compare(len(a.item), len(b.item)), cmp.Compare(a.item, b.item))
		})
	}
	known := map[string]*group{}
	for _, e := range failed {
		if e.why == "" {
			continue
		}
		if known[e.why] == nil {
			known[e.why] = &group{Why: e.why}
		}
		g := known[e.why]
		if g.Count++; len(g.Items) < mostNamed {
			g.Items = append(g.Items, e.item)
		}
	}
	for _, g := range known {
		groups = append(groups, *g)
	}
	slices.SortFunc(groups, func(a, b group) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Why, b.Why)) })
	if s.level < 30 {
		return groups, 0
	}
	return groups, max(s.items.all, len(s.items.ended), len(s.items.told))
}

// describeGroup says what a group is: 714 of 5,000 items: exit 7, connection refused. Where it is not known how many
// there were, all is 0.
func (g *group) describeGroup(all int) string {
	count, what := thousands(g.Count), "items"
	if all > 0 {
		count += " of " + thousands(all)
	}
	if all == 1 || all == 0 && g.Count == 1 {
		what = "item"
	}
	return fmt.Sprintf("%s %s: %s", count, what, g.Why)
}

// listNames are the items of a group, as far as they are named.
func (g *group) listNames() string {
	text := strings.Join(g.Items, " ")
	if g.Count > len(g.Items) {
		text += " …"
	}
	return text
}

// thousands is a number with a comma before each three digits.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// repeated is a try that made several attempts.
type repeated struct {
	Place    string
	Lane     string // the branch that it stood in
	Attempts int
}

// mostRepeated returns the tries that made the most attempts, more than one.
func (s *Story) mostRepeated(most int) (list []repeated) {
	for _, lane := range s.lanes {
		count := map[string]int{}
		for _, bar := range lane.bars {
			if bar.kind == attemptBar && bar.attempt > 0 {
				count[bar.place] = max(count[bar.place], bar.attempt)
			}
		}
		for place, n := range count {
			if n > 1 {
				list = append(list, repeated{place, lane.name, n})
			}
		}
	}
	slices.SortFunc(list, func(a, b repeated) int {
		return cmp.Or(b.Attempts-a.Attempts, cmp.Compare(a.Place, b.Place), cmp.Compare(a.Lane, b.Lane))
	})
	return list[:min(most, len(list))]
}

// shownLanes are the lanes that a picture of at most so many has: those in which something failed, then those with the
// longest and the most bars, in the order of the story, each with what it lies within.
func (s *Story) shownLanes(most int) []*lane {
	if len(s.lanes) <= most {
		return s.lanes
	}
	order := slices.Clone(s.lanes)
	slices.SortStableFunc(order, func(a, b *lane) int { return cmp.Compare(b.shownWeight(), a.shownWeight()) })
	wanted := map[*lane]bool{}
	for _, lane := range order {
		for ; lane != nil && !wanted[lane] && len(wanted) < most; lane = lane.within {
			wanted[lane] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(s.lanes), func(l *lane) bool { return !wanted[l] })
}

// shownWeight says how much a lane is worth being shown.
func (l *lane) shownWeight() (weight float64) {
	for _, bar := range l.bars {
		weight += bar.length().Seconds() + 0.001
		if bar.failed {
			weight += 1e6
		}
	}
	return weight
}
