package expand

import (
	"slices"
	"testing"
)

// TestSequenceFrom checks the rest of a list against its items one by one, whatever the list is made of.
func TestSequenceFrom(t *testing.T) {
	l := listing{}
	l.texts = []string{"a", "b"}
	l.appendRun(run{first: 10, step: 5, count: 3}, 3)
	l.texts = []string{"c"}
	l.appendRun(run{value: String("d")}, 1)
	l.endTexts()
	texts := func(s *Sequence) (list []string) {
		for i := range s.Len() {
			text, _ := s.At(i).Text()
			list = append(list, text)
		}
		return list
	}
	all := texts(&l.Sequence)
	if want := []string{"a", "b", "10", "15", "20", "c", "d"}; !slices.Equal(all, want) {
		t.Fatalf("got %q, want %q", all, want)
	}
	for i := range len(all) + 1 {
		if got := texts(l.From(i)); !slices.Equal(got, all[i:]) {
			t.Errorf("from %d: got %q, want %q", i, got, all[i:])
		}
	}
	if first, step, ok := Numbers(1, 2, 5).From(2).Progression(); first != 5 || step != 2 || !ok {
		t.Errorf("the rest of 1 3 5 7 9 from the third on begins with %d, step %d, %v", first, step, ok)
	}
	if (*Sequence)(nil).Len() != 0 {
		t.Error("no list has members")
	}
}
