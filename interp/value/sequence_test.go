package value

import (
	"math"
	"slices"
	"testing"
)

// TestSequenceFrom checks the rest of a list against its items one by one, whatever the list is made of.
func TestSequenceFrom(t *testing.T) {
	list, ok := Concat(Texts([]string{"a", "b"}), Numbers(10, 5, 3), Texts(nil), Texts([]string{"c"}), Items(String("d")))
	if !ok {
		t.Fatal("seven items are too many")
	}
	texts := func(s *Sequence) (list []string) {
		for i := range s.Len() {
			text, _ := s.At(i).Text()
			list = append(list, text)
		}
		return list
	}
	all := texts(list)
	if want := []string{"a", "b", "10", "15", "20", "c", "d"}; !slices.Equal(all, want) {
		t.Fatalf("got %q, want %q", all, want)
	}
	for i := range len(all) + 1 {
		if got := texts(list.From(i)); !slices.Equal(got, all[i:]) {
			t.Errorf("from %d: got %q, want %q", i, got, all[i:])
		}
	}
	if first, step, ok := Numbers(1, 2, 5).From(2).Progression(); first != 5 || step != 2 || !ok {
		t.Errorf("the rest of 1 3 5 7 9 from the third on begins with %d, step %d, %v", first, step, ok)
	}
	if _, ok := Concat(Numbers(1, 1, math.MaxInt), Texts([]string{"one more"})); ok {
		t.Error("a list has more items than can be counted")
	}
	if (*Sequence)(nil).Len() != 0 {
		t.Error("no list has members")
	}
}
