package report

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"ftsh/interp/brief"
)

// table is a part of the report: a text shows so many rows of it, a page all.
type table struct {
	title string
	heads []string
	rows  [][]string
	shown int
}

// The most rows that a text shows of a table, and a page.
const (
	mostLongest  = 10
	mostFailed   = 20
	mostBranches = 40
	mostRows     = 1000
)

// tables makes the report's tables, the most important first. Those without rows are left out.
func (s *Story) tables() []table {
	all := []table{
		{"What failed, and why", []string{"times", "line", "what", "why", "which", "first", "last"}, s.causes(), mostFailed},
		{"The branches", []string{"item", "attempts", "time", "outcome"}, s.branchRows(), mostBranches},
		{"The longest", []string{"time", "times", "line", "what"}, s.longest(), mostLongest},
		{"The most repeated", []string{"attempts", "line", "where"}, s.mostRepeated(), mostLongest},
		{"Where the time went, over all branches", []string{"what", "time", "how many"}, s.shares(), mostLongest},
		{"What jobs were given and have used (half of them … all, at most)",
			[]string{"jobs", "line", "asked for", "time", "CPU time", "memory"}, s.jobRows(), mostBranches},
	}
	return slices.DeleteFunc(all, func(t table) bool { return len(t.rows) == 0 })
}

// group holds what has the same name, and the first of it by some order.
type group[T any] struct {
	first T
	all   []T
}

// ranked gathers what has the same name, and ranks these groups by their firsts; without a name it is left out.
func ranked[T any](all iter.Seq[T], name func(T) string, order func(a, b T) int) (groups []group[T]) {
	known := map[string]int{}
	for one := range all {
		key := name(one)
		if key == "" {
			continue
		}
		at, found := known[key]
		if !found {
			at, groups = len(groups), append(groups, group[T]{})
			known[key] = at
		}
		groups[at].all = append(groups[at].all, one)
	}
	for i := range groups {
		groups[i].first = slices.MinFunc(groups[i].all, order)
	}
	slices.SortStableFunc(groups, func(a, b group[T]) int { return order(a.first, b.first) })
	return groups
}

func byEnd(a, b *bar) int { return a.end.Compare(b.end) }

func byLength(a, b *bar) int { return cmp.Compare(b.length(), a.length()) }

func byAttempt(a, b *bar) int { return b.attempt - a.attempt }

// causes lists what failed, once for each place and reason, in the order in which it failed first: how often, of which
// items. Attempts fail of the commands in them, and are left out.
func (s *Story) causes() (rows [][]string) {
	const mostNamed = 8
	cause := func(b *bar) string {
		if !b.failed || b.kind == attemptBar && b.length() > 0 {
			return ""
		}
		return b.place + "\n" + strconv.Itoa(int(b.kind)) + b.why
	}
	for _, g := range ranked(s.allBars, cause, byEnd) {
		var items []string
		for _, b := range g.all {
			if item := cmp.Or(b.item, b.lane.item()); item != "" && !slices.Contains(items, item) {
				items = append(items, item)
			}
		}
		named := strings.Join(items[:min(mostNamed, len(items))], " ")
		if more := len(items) - mostNamed; more > 0 {
			named += " and " + thousands(more) + " more"
		}
		last := ""
		if len(g.all) > 1 {
			last = slices.MaxFunc(g.all, byEnd).end.Format("15:04:05")
		}
		rows = append(rows, []string{thousands(len(g.all)), g.first.place, g.first.label, g.first.why, named,
			g.first.end.Format("15:04:05"), last})
	}
	return rows
}

// item returns the item of the branch that a lane is, or lies within; "" outside of loops.
func (l *lane) item() string {
	for ; l != nil; l = l.within {
		if l.isBranch {
			return l.name
		}
	}
	return ""
}

// branchRows lists branches: those that failed, those without an end, then the slowest.
func (s *Story) branchRows() (rows [][]string) {
	list := slices.Clone(s.branches)
	slices.SortStableFunc(list, func(a, b *lane) int {
		return cmp.Or(firstIf(a.failed, b.failed), firstIf(!a.seen, !b.seen), cmp.Compare(b.took, a.took))
	})
	for _, b := range list {
		took := "?"
		if b.seen {
			took = brief.Time(b.took)
		}
		rows = append(rows, []string{b.name, thousands(max(1, b.attempts)), took, b.outcome})
	}
	return rows
}

// firstIf orders what is true before what is not.
func firstIf(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// longest lists lines of the script by the longest that a command or a wait of theirs took, with how many there were.
func (s *Story) longest() (rows [][]string) {
	line := func(b *bar) string {
		if b.kind == attemptBar || b.length() == 0 && !b.open {
			return ""
		}
		return fmt.Sprintln(b.place, b.kind, b.held)
	}
	for _, g := range ranked(s.allBars, line, byLength) {
		rows = append(rows, []string{g.first.shownLength(), thousands(len(g.all)), g.first.place, g.first.told()})
	}
	return rows
}

// mostRepeated lists the tries that made the most attempts, more than one.
func (s *Story) mostRepeated() (rows [][]string) {
	try := func(b *bar) string {
		if b.attempt == 0 {
			return ""
		}
		return b.place + "\n" + b.lane.name
	}
	for _, g := range ranked(s.allBars, try, byAttempt) {
		if g.first.attempt > 1 {
			rows = append(rows, []string{thousands(g.first.attempt), g.first.place, g.first.lane.name})
		}
	}
	return rows
}

// shares says where the time went: in commands, in waits, and in commands of attempts that failed, which were made in
// vain. Jobs are counted apart, with what they waited for, if there were any.
func (s *Story) shares() (rows [][]string) {
	names := []string{"commands", "failed commands", "waits", "jobs", "failed jobs", "jobs in the queue",
		"jobs held by .limit."}
	took, count := make([]time.Duration, len(names)), make([]int, len(names))
	const jobs = 3
	used := jobs
	for bar := range s.allBars {
		at := 0
		if bar.job != nil {
			at, used = jobs, len(names)
		}
		switch {
		case bar.kind == attemptBar:
			continue
		case bar.held:
			at += 3
		case bar.kind == waitBar:
			at += 2
		case bar.failed:
			at++
		}
		took[at] += bar.length()
		count[at]++
	}
	for i := range used {
		if s.level >= 10 {
			rows = append(rows, []string{names[i], brief.Time(took[i]), thousands(count[i])})
		}
	}
	return rows
}

// jobRows compares what was asked for jobs with what they have used, in the order in which the first of them ended.
func (s *Story) jobRows() (rows [][]string) {
	seconds := func(n float64) string { return brief.Time(asDuration(n)) }
	bytes := func(n float64) string { return brief.Size(int64(n)) }
	asked := func(r *record) string { return strings.Join(r.Asked, " ") }
	name := func(r *record) string { return r.scriptLine() + "\n" + asked(r) }
	for _, g := range ranked(slices.Values(s.uses), name, func(a, b *record) int { return 0 }) {
		rows = append(rows, []string{thousands(len(g.all)), g.first.scriptLine(), cmp.Or(asked(g.first), "-"),
			halfAndAll(g.all, func(r *record) float64 { return r.Elapsed }, seconds),
			halfAndAll(g.all, func(r *record) float64 { return r.CPU }, seconds),
			halfAndAll(g.all, func(r *record) float64 { return float64(r.Memory) }, bytes)})
	}
	return rows
}

// halfAndAll shows the value that half of the jobs do not exceed and the one that none does, once if they are the same.
func halfAndAll(jobs []*record, value func(*record) float64, show func(float64) string) string {
	values := make([]float64, 0, len(jobs))
	for _, r := range jobs {
		values = append(values, value(r))
	}
	slices.Sort(values)
	half, all := show(values[(len(values)-1)/2]), show(values[len(values)-1])
	if half == all {
		return all
	}
	return half + " … " + all
}
