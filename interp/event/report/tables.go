package report

import (
	"cmp"
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

// allBars goes over the bars of all lanes.
func (s *Story) allBars(yield func(*lane, *bar) bool) {
	for _, lane := range s.lanes {
		for _, bar := range lane.bars {
			if !yield(lane, bar) {
				return
			}
		}
	}
}

// grouped makes a row of all bars of one name: the row that begin makes of the first of them is handed to add with
// each.
func grouped[T any](s *Story, name func(*lane, *bar) string, add func(row *T, l *lane, b *bar)) (rows []*T) {
	known := map[string]*T{}
	for lane, bar := range s.allBars {
		key := name(lane, bar)
		if key == "" {
			continue
		}
		if known[key] == nil {
			known[key] = new(T)
			rows = append(rows, known[key])
		}
		add(known[key], lane, bar)
	}
	return rows
}

// causes lists what failed, once for each place and reason, in the order in which it failed first: how often, of which
// items. Attempts fail of the commands in them, and are left out.
func (s *Story) causes() (rows [][]string) {
	const mostNamed = 8
	type cause struct {
		first, last *bar
		times       int
		items       []string
	}
	causes := grouped(s, func(_ *lane, b *bar) string {
		if !b.failed || b.kind == attemptBar && b.length() > 0 {
			return ""
		}
		return b.place + "\n" + strconv.Itoa(int(b.kind)) + b.why
	}, func(c *cause, l *lane, b *bar) {
		if c.first == nil || b.end.Before(c.first.end) {
			c.first = b
		}
		if c.last == nil || b.end.After(c.last.end) {
			c.last = b
		}
		c.times++
		if item := cmp.Or(b.item, l.item()); item != "" && !slices.Contains(c.items, item) {
			c.items = append(c.items, item)
		}
	})
	slices.SortStableFunc(causes, func(a, b *cause) int { return a.first.end.Compare(b.first.end) })
	for _, c := range causes {
		named := strings.Join(c.items[:min(mostNamed, len(c.items))], " ")
		if more := len(c.items) - mostNamed; more > 0 {
			named += " and " + thousands(more) + " more"
		}
		row := []string{thousands(c.times), c.first.place, c.first.label, c.first.why, named, c.first.end.Format("15:04:05"),
			""}
		if c.times > 1 {
			row[6] = c.last.end.Format("15:04:05")
		}
		rows = append(rows, row)
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
	rank := func(b *branch) int {
		switch {
		case b.failed:
			return 0
		case !b.seen:
			return 1
		}
		return 2
	}
	list := slices.Clone(s.branches)
	slices.SortStableFunc(list, func(a, b *branch) int { return cmp.Or(rank(a)-rank(b), cmp.Compare(b.took, a.took)) })
	for _, b := range list {
		took := "?"
		if b.seen {
			took = brief.Time(b.took)
		}
		rows = append(rows, []string{b.item, thousands(max(1, b.attempts)), took, b.outcome})
	}
	return rows
}

// longest lists lines of the script by the longest that a command or a wait of theirs took, with how many there were.
func (s *Story) longest() (rows [][]string) {
	type line struct {
		longest *bar
		times   int
	}
	lines := grouped(s, func(_ *lane, b *bar) string {
		if b.kind == attemptBar || b.length() == 0 && !b.open {
			return ""
		}
		return b.place + "\n" + strconv.Itoa(int(b.kind)) + map[bool]string{true: "held"}[b.held]
	}, func(l *line, _ *lane, b *bar) {
		if l.times++; l.longest == nil || b.length() > l.longest.length() {
			l.longest = b
		}
	})
	slices.SortStableFunc(lines, func(a, b *line) int { return cmp.Compare(b.longest.length(), a.longest.length()) })
	for _, l := range lines {
		rows = append(rows, []string{l.longest.shownLength(), thousands(l.times), l.longest.place, l.longest.told()})
	}
	return rows
}

// mostRepeated lists the tries that made the most attempts, more than one.
func (s *Story) mostRepeated() (rows [][]string) {
	type try struct {
		lane     *lane
		place    string
		attempts int
	}
	tries := grouped(s, func(l *lane, b *bar) string {
		if b.attempt == 0 {
			return ""
		}
		return b.place + "\n" + l.name
	}, func(t *try, l *lane, b *bar) {
		t.lane, t.place, t.attempts = l, b.place, max(t.attempts, b.attempt)
	})
	slices.SortStableFunc(tries, func(a, b *try) int { return b.attempts - a.attempts })
	for _, t := range tries {
		if t.attempts > 1 {
			rows = append(rows, []string{thousands(t.attempts), t.place, t.lane.name})
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
	for _, bar := range s.allBars {
		at := 0
		if bar.job {
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
	groups := map[[2]string][]use{}
	var order [][2]string
	for _, one := range s.uses {
		name := [2]string{one.place, one.asked}
		if groups[name] == nil {
			order = append(order, name)
		}
		groups[name] = append(groups[name], one)
	}
	for _, name := range order {
		group := groups[name]
		rows = append(rows, []string{thousands(len(group)), name[0], cmp.Or(name[1], "-"),
			halfAndAll(group, func(u use) time.Duration { return u.elapsed }, brief.Time),
			halfAndAll(group, func(u use) time.Duration { return u.cpu }, brief.Time),
			halfAndAll(group, func(u use) int64 { return u.memory }, brief.Size)})
	}
	return rows
}

// halfAndAll shows the value that half of a group do not exceed and the one that none does, once if they are the same.
func halfAndAll[T cmp.Ordered](group []use, value func(use) T, show func(T) string) string {
	values := make([]T, 0, len(group))
	for _, one := range group {
		values = append(values, value(one))
	}
	slices.Sort(values)
	half, all := show(values[(len(values)-1)/2]), show(values[len(values)-1])
	if half == all {
		return all
	}
	return half + " … " + all
}
