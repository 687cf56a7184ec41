package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ftsh/interp/brief"
	"ftsh/interp/event/page"
)

// branch holds what became of a branch of a forall.
type branch struct {
	Item     string // as variable=item
	Attempts int    // of the tries in it, 1 if there is none
	Time     time.Duration
	Outcome  string // such as: succeeded; exit 7, connection refused
	failed   bool
	seen     bool // its end is in the log
}

// shownTime returns how long it took, for people.
func (b *branch) shownTime() string {
	if !b.seen {
		return "?"
	}
	return brief.Time(b.Time)
}

// branches are those that a log tells of, in the order in which they began.
type branches struct {
	list  []*branch
	known map[key]*branch
}

// takeRecord notes what a record tells of branches.
func (b *branches) takeRecord(r *record) {
	k := key{r.Shell, r.Branch}
	one := b.known[k]
	switch {
	case r.Event == "forall.branch":
		one = &branch{Item: r.Name + "=" + r.Value, Outcome: "the log does not have its end"}
		if b.known == nil {
			b.known = map[key]*branch{}
		}
		b.known[k], b.list = one, append(b.list, one)
	case one == nil:
	case r.Event == "try.attempt":
		one.Attempts++
	case r.Event == "branch.end":
		one.Time, one.Outcome, one.seen = asDuration(r.Elapsed), "succeeded", true
	case r.Event == "branch.failed":
		one.Time, one.Outcome, one.seen, one.failed = asDuration(r.Elapsed), r.whyFailed(), true, true
	}
}

// listBranches returns at most so many branches in the order in which they began: those that did not succeed, then
// those that took longest; and how many there are besides.
func (s *Story) listBranches(most int) (list []*branch, more int) {
	list = slices.Clone(s.branches.list)
	if more = len(list) - most; more <= 0 {
		return list, 0
	}
	order := slices.Clone(list)
	slices.SortStableFunc(order, func(a, b *branch) int { return cmp.Or(a.rank()-b.rank(), cmp.Compare(b.Time, a.Time)) })
	chosen := map[*branch]bool{}
	for _, one := range order[:most] {
		chosen[one] = true
	}
	return slices.DeleteFunc(list, func(one *branch) bool { return !chosen[one] }), more
}

// rank is lower for what a reader wants to see first.
func (b *branch) rank() int {
	switch {
	case b.failed:
		return 0
	case !b.seen:
		return 1
	}
	return 2
}

// The most branches that a text and a page list.
const (
	mostBranches     = 40
	mostBranchesPage = 1000
)

// textBranches lists the branches.
func (s *Story) textBranches(b *strings.Builder) {
	list, more := s.listBranches(mostBranches)
	if len(list) == 0 {
		return
	}
	b.WriteString("\nThe branches\n  item                          attempts        time  outcome\n")
	for _, one := range list {
		fmt.Fprintf(b, "  %-28s  %8d  %10s  %s\n", shortText(one.Item, 28), max(1, one.Attempts), one.shownTime(),
			shortText(one.Outcome, 100))
	}
	if more > 0 {
		fmt.Fprintf(b, "  … and %s more\n", thousands(more))
	}
}

// htmlBranches does so on a page.
func (s *Story) htmlBranches(p *page.Page) {
	list, more := s.listBranches(mostBranchesPage)
	var rows [][]string
	for _, one := range list {
		rows = append(rows, []string{one.Item, decimal(max(1, one.Attempts)), one.shownTime(), one.Outcome})
	}
	if more > 0 {
		rows = append(rows, []string{"… and " + thousands(more) + " more"})
	}
	writeTable(p, "The branches", []string{"item", "attempts", "time", "outcome"}, rows)
}
