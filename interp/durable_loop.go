package interp

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"ftsh/ast"
	"ftsh/interp/expand"
	"ftsh/interp/journal"
)

// turnPlace is where a while is: in the test, or the group, of a turn.
type turnPlace struct {
	Turn   int  `json:"turn"`
	Inside bool `json:"inside"`
}

// savedItems is the list of a loop: the values, or numbers at the same distance.
type savedItems struct {
	Name   string       `json:"name,omitempty"` // of the variable
	Values []savedValue `json:"values,omitempty"`
	From   int64        `json:"from,omitempty"`
	Step   int64        `json:"step,omitempty"`
	Count  int          `json:"count,omitempty"`
}

// items is the list of a loop, as an earlier run has evaluated it or as it is now.
func (f *frame) items(ctx context.Context, n *ast.For) (*expand.Sequence, error) {
	var saved savedItems
	if f.resumed(keyItems, &saved) {
		return saved.sequence(f), nil
	}
	items, err := expand.List(ctx, f, n.List)
	if err == nil && f.place != nil {
		saved = saveItems(items)
		saved.Name = n.Var.Name
		decide(f, keyItems, saved)
	}
	return items, err
}

// at is an item as people read it; false: there is none.
func (s *savedItems) at(i int) (text string, found bool) {
	switch {
	case i < s.Count:
		return strconv.FormatInt(s.From+int64(i)*s.Step, 10), true
	case i >= len(s.Values):
		return "", false
	}
	text, err := s.Values[i].value(nil).Text()
	return text, err == nil
}

func saveItems(items *expand.Sequence) savedItems {
	if from, step, ok := items.Progression(); ok {
		return savedItems{From: from, Step: step, Count: items.Len()}
	}
	saved := savedItems{Values: make([]savedValue, 0, items.Len())}
	for i := range items.Len() {
		saved.Values = append(saved.Values, saveValue(items.At(i)))
	}
	return saved
}

// order keeps which alternative was tried first.
func (f *frame) order(first *int) {
	if !f.resumed(keyFirst, first) {
		decide(f, keyFirst, *first)
	}
}

// pastBranches are the branches of a forall that ended for an earlier run.
type pastBranches struct {
	list map[int]error
	none bool // no further branch is run
}

func (p *pastBranches) ended(i int) bool {
	_, ended := p.list[i]
	return ended
}

// begin writes that the branches begin, each of which then writes for itself, and
// takes over those that have ended.
func (a *allBranches) begin() *pastBranches {
	f := a.f
	past := &pastBranches{}
	if f.place == nil {
		return past
	}
	past.list = make(map[int]error)
	var failed []int
	ends := make([]savedEnding, a.items.Len())
	for i := range ends {
		if !f.resumed(keyEnded+strconv.Itoa(i), &ends[i]) {
			continue
		}
		if past.list[i] = ends[i].error(f); past.list[i] != nil {
			failed = append(failed, i)
		}
	}
	slices.SortStableFunc(failed, func(i, j int) int { return cmp.Compare(ends[i].At, ends[j].At) })
	for _, i := range failed {
		a.failed(past.list[i], i)
		past.none = !a.n.Keepgoing
	}
	decide(f, keyKeepgoing, a.n.Keepgoing)
	f.record("forall", nil)
	f.place.below = true
	return past
}

// keepApart makes a branch of a durable script one that keeps its own state.
func (f *frame) keepApart(s step) {
	if f.place != nil {
		f.beginKept(f.place.here()+"/"+s.String(), true)
	}
}

// keepEnd writes how a branch has ended. Others that it made end are not: they have failed by themselves.
func (f *frame) keepEnd(i int, err error) {
	d := f.run.durable
	if f.place == nil || d.suspending() {
		return
	}
	if failure := asFailure(err); failure != nil && failure.cut != nil {
		return
	}
	forall := f.place.here()
	end := d.saveEnding(err)
	end.At = d.toScript(f.run.clock.Now())
	d.Journal.Write(journal.Record{Kind: "branch", Changes: []journal.Change{
		change(forall, keyEnded+strconv.Itoa(i), end),
		{Path: forall + "/" + step{inFork, i}.String(), Drop: true}, d.now(),
	}})
}
