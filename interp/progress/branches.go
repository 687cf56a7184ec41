package progress

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"ftsh/interp/event"
)

// branch is one of a forall. Where its last job is, state says; "": it has had none.
type branch struct {
	forall uint64
	item   string
	state  string
	detail string // the node that it runs on, or why it waits
}

// The states of branches that are none of their jobs.
const (
	held   = "held by .limit."  // it may have no job before another has ended
	goesOn = "failed, going on" // its job has failed, and the branch has not ended
)

// jobStates are the states of branches and their jobs, in the order in which they are shown.
var jobStates = []string{held, "waiting to submit", "queued", "running", "done", goesOn, "failed"}

// branchOf notes that a branch has begun.
func (s *state) branchOf(e event.Event) {
	if s.branches == nil {
		s.branches = make(map[uint64]*branch)
	}
	s.branches[e.Branch] = &branch{forall: e.ID, item: event.VisibleLine(e.Value)}
}

// leaveBranch notes that a branch has ended: what it came to is of interest as long as its forall goes on, if it had
// a job.
func (s *state) leaveBranch(e event.Event) {
	b := s.branches[e.Branch]
	switch {
	case b == nil:
	case b.state == "" || b.state == held:
		delete(s.branches, e.Branch)
	case e.Kind == event.BranchFailed:
		b.state, b.detail = "failed", ""
	default:
		b.state, b.detail = "done", ""
	}
}

// showsJobs reports whether branches are shown with what their jobs came to.
func (s *state) showsJobs() bool {
	for _, b := range s.branches {
		if b.state != "" && b.state != held {
			return true
		}
	}
	return false
}

// heldIn counts the branches of a forall that wait for others.
func (s *state) heldIn(forall uint64) (n int) {
	for _, b := range s.branches {
		if b.forall == forall && b.state == held {
			n++
		}
	}
	return n
}

// noteHeld notes that a branch waits until it may have a job.
func (s *state) noteHeld(e event.Event) {
	if b := s.branches[e.Branch]; b != nil {
		b.state, b.detail = held, ""
	}
}

// forgetForall drops the branches of a forall that has ended.
func (s *state) forgetForall(forall uint64) {
	maps.DeleteFunc(s.branches, func(_ uint64, b *branch) bool { return b.forall == forall })
}

// noteJob notes where the job of a branch is.
func (s *state) noteJob(e event.Event) {
	b := s.branches[e.Branch]
	if b == nil || e.Value == "left" {
		return
	}
	b.state, b.detail = e.Value, ""
	if e.Value == "failed" {
		b.state = goesOn
	}
	if e.Value == "queued" || e.Value == "running" {
		_, b.detail, _ = strings.Cut(event.VisibleLine(e.Message), ", ")
	}
}

// group are the branches whose jobs are in one state, by what there is to say of that.
type group struct {
	detail string
	items  []string
}

// describeGroup is "a b queued (Resources)".
func (g group) describeGroup(state string) string {
	text := strings.Join(g.items, " ") + " " + state
	if g.detail != "" {
		text += " (" + g.detail + ")"
	}
	return text
}

// groupBranches are the branches that have jobs, by their states, in the order in which they began.
func (s *state) groupBranches() map[string][]group {
	groups := map[string][]group{}
	for _, number := range slices.Sorted(maps.Keys(s.branches)) {
		b := s.branches[number]
		if b.state == "" {
			continue
		}
		list := groups[b.state]
		at := slices.IndexFunc(list, func(g group) bool { return g.detail == b.detail })
		if at < 0 {
			at, list = len(list), append(list, group{detail: b.detail})
		}
		list[at].items = append(list[at].items, b.item)
		groups[b.state] = list
	}
	return groups
}

// jobLines show the jobs: those of branches by the items of these, in one line if they fit in it, else in
// one for each state below the numbers, as far as there is room.
func (s *state) jobLines(numbers string, width, room int) []string {
	groups := s.groupBranches()
	if len(s.jobs.live) == 0 || len(groups) == 0 {
		return []string{numbers}
	}
	if one, fits := inOneLine(groups, width); fits {
		return []string{one}
	}
	lines := []string{numbers}
	for _, state := range []string{"running", "queued", "waiting to submit", "failed", goesOn, held, "done"} {
		if len(groups[state]) > 0 && len(lines) < room {
			lines = append(lines, namedBranches(state, groups[state], width))
		}
	}
	return lines
}

// inOneLine is "jobs: a b queued (Resources), c running".
func inOneLine(groups map[string][]group, width int) (line string, fits bool) {
	line = "jobs: "
	for _, state := range jobStates {
		for _, g := range groups[state] {
			if len(line)+len(g.items) > 4*width { // there may be thousands
				return "", false
			}
			line += g.describeGroup(state) + ", "
		}
	}
	line = strings.TrimSuffix(line, ", ")
	return line, displaywidth.String(line) < width
}

// namedBranches is "queued: a b (Resources), c (Priority) (and 12 more)".
func namedBranches(state string, groups []group, width int) string {
	room := width - 1 - len(" (and 99999 more)")
	text, left := state+":", 0
	for _, g := range groups {
		shown := 0
		for _, item := range g.items {
			if left > 0 || displaywidth.String(text)+1+displaywidth.String(item)+displaywidth.String(g.detail)+3 > room {
				left++
				continue
			}
			text += " " + item
			shown++
		}
		if shown > 0 && g.detail != "" {
			text += " (" + g.detail + ")"
		}
		if shown > 0 {
			text += ","
		}
	}
	text = strings.TrimSuffix(text, ",")
	if left > 0 {
		text += fmt.Sprintf(" (and %d more)", left)
	}
	return text
}
