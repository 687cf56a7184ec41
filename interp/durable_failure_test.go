package interp

import (
	"encoding/json"
	"testing"
)

// TestSavedAnswer holds that a test that is taken from a journal decides as it did: what a stage before
// the last ended with is no answer, and status 1 of the last is.
func TestSavedAnswer(t *testing.T) {
	for _, early := range []bool{false, true} {
		text, err := json.Marshal(saveFailure(&Failure{Kind: KindExit, Status: 1, early: early}))
		if err != nil {
			t.Fatal(err)
		}
		var saved savedFailure
		if err := json.Unmarshal(text, &saved); err != nil {
			t.Fatal(err)
		}
		if no := saved.restoreFailure(nil).saysNo(); no == early {
			t.Errorf("of an earlier stage: %v; it says no: %v, from %s", early, no, text)
		}
	}
}
