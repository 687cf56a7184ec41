package progress

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"
)

// jobLines shows the jobs: those of branches by the items of these, in one line if they fit in it, else in
// one for each state below the numbers, as far as there is room.
func (s *state) jobLines(now time.Time, width, room int) []string {
	if len(s.jobs) == 0 || now.Sub(s.jobsBegan) < patience {
		return nil
	}
	groups := s.groupBranches()
	one := "jobs: "
	for _, state := range []string{held, "waiting to submit", "queued", "running", "done", goesOn, "failed"} {
		for _, g := range groups[state] {
			if len(one) < 4*width { // there may be thousands
				one += strings.Join(g.items, " ") + " " + state + unlessEmpty(" (", g.detail, ")") + ", "
			}
		}
	}
	one = strings.TrimSuffix(one, ", ")
	if len(groups) > 0 && displaywidth.String(one) < width {
		return []string{one}
	}
	lines := []string{s.countJobs(width)}
	for _, state := range []string{"running", "queued", "waiting to submit", "failed", goesOn, held, "done"} {
		if len(groups[state]) > 0 && len(lines) < room {
			lines = append(lines, namedBranches(state, groups[state], width))
		}
	}
	return lines
}

// group are the branches whose jobs are in one state, by what there is to say of that.
type group struct {
	detail string
	items  []string
}

// branchesWith returns the branches of which something holds, in the order in which they began.
func (s *state) branchesWith(holds func(*branch) bool) (list []*branch) {
	for _, number := range slices.Sorted(maps.Keys(s.branches)) {
		if b := s.branches[number]; holds(b) {
			list = append(list, b)
		}
	}
	return list
}

// groupBranches returns the branches that have jobs, by their states.
func (s *state) groupBranches() map[string][]group {
	groups := map[string][]group{}
	for _, b := range s.branchesWith(func(b *branch) bool { return b.job.state != "" }) {
		list, detail := groups[b.job.state], b.job.detail()
		at := slices.IndexFunc(list, func(g group) bool { return g.detail == detail })
		if at < 0 {
			at, list = len(list), append(list, group{detail: detail})
		}
		list[at].items = append(list[at].items, b.item)
		groups[b.job.state] = list
	}
	return groups
}

// namedBranches is "queued: a b (Resources), c (Priority) (and 12 more)".
func namedBranches(state string, groups []group, width int) string {
	room := width - 1 - len(" (and 99999 more)")
	text, left := state+":", 0
	for _, g := range groups {
		before := text
		for _, item := range g.items {
			if left > 0 || displaywidth.String(text)+1+displaywidth.String(item)+displaywidth.String(g.detail)+3 > room {
				left++
			} else {
				text += " " + item
			}
		}
		if text != before {
			text += unlessEmpty(" (", g.detail, ")") + ","
		}
	}
	text = strings.TrimSuffix(text, ",")
	if left > 0 {
		text += fmt.Sprintf(" (and %d more)", left)
	}
	return text
}

// countJobs is "jobs: 3 queued (2 Resources, 1 Priority), 1 running, 1 done, 1 failed", or says where the only job is.
func (s *state) countJobs(width int) string {
	all := len(s.jobs) + s.jobsDone + s.jobsFailed
	counts, reasons := map[string]int{}, map[string]int{}
	for _, one := range s.jobs {
		if all == 1 {
			return one.shownLine()
		}
		counts[one.state]++
		if reason := one.detail(); reason != "" && one.state == "queued" {
			reasons[reason]++
		}
	}
	names := slices.SortedFunc(maps.Keys(reasons), func(a, b string) int { // the most frequent first
		return cmp.Or(reasons[b]-reasons[a], strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", reasons[name], name)
	}
	why := strings.Join(names, ", ")
	if width < narrow {
		return fmt.Sprintf("jobs %d+%d/%d%s", s.jobsDone, counts["running"], all, unlessEmpty(", ", why, ""))
	}
	text := "jobs: "
	for _, state := range []string{"waiting to submit", "queued", "running"} {
		if n := counts[state]; n > 0 {
			text += fmt.Sprintf("%d %s", n, state)
			if state == "queued" {
				text += unlessEmpty(" (", why, ")")
			}
			text += ", "
		}
	}
	return text + fmt.Sprintf("%d done, %d failed", s.jobsDone, s.jobsFailed)
}

// shownLine shows the only job.
func (j job) shownLine() string {
	name, _, _ := strings.Cut(j.message, ", ")
	switch detail := j.detail(); {
	case !strings.HasPrefix(name, "job "):
		return "job: " + j.state + unlessEmpty(": ", j.message, "")
	case detail != "" && j.state == "running":
		return name + ": running on " + detail
	default:
		return name + ": " + j.state + unlessEmpty(", ", detail, "")
	}
}

// detail is the node that a job runs on, or why it waits in a queue.
func (j job) detail() string {
	_, detail, _ := strings.Cut(j.message, ", ")
	if j.state != "queued" && j.state != "running" {
		return ""
	}
	return detail
}
