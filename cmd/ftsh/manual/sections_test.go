package manual

import (
	"slices"
	"testing"
)

// TestSections holds that each page stands in exactly one section.
func TestSections(t *testing.T) {
	var listed []string
	for _, s := range Sections() {
		listed = append(listed, s.Topics...)
	}
	for _, topic := range ReadFirst() {
		if !slices.Contains(listed, topic) {
			t.Errorf("%s is to be read first, and in no section", topic)
		}
	}
	slices.Sort(listed)
	topics := Topics()
	slices.Sort(topics)
	if !slices.Equal(listed, topics) {
		t.Errorf("the sections have\n%q\nthe pages are\n%q", listed, topics)
	}
}
