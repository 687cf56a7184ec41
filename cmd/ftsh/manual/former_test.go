package manual

import (
	"slices"
	"testing"
)

// TestFormerNames holds that each former name is one no more, and finds a page that is there, among the first
// three also where somebody searches for it.
func TestFormerNames(t *testing.T) {
	topics := Topics()
	for name, topic := range formerNames() {
		if slices.Contains(topics, name) {
			t.Errorf("%s is a page still", name)
		}
		if !slices.Contains(topics, topic) {
			t.Errorf("%s leads to %s, which is no page", name, topic)
		}
		if text, found := Page(name); !found || text == "" {
			t.Errorf("%s finds no page", name)
		}
		found := Search(name)
		if !slices.ContainsFunc(found[:min(3, len(found))], func(f Found) bool { return f.Topic == topic }) {
			t.Errorf("a search for %s does not show %s soon: %v", name, topic, found)
		}
	}
}
