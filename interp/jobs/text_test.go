package jobs

import (
	"encoding/json"
	"slices"
	"testing"
)

// TestTexts: what travels is bytes; what is UTF-8 can be read by people.
func TestTexts(t *testing.T) {
	o := order{Words: texts{"r\xe9sultat", "\x00", "", "plain é"}, Options: texts{"--comment=\xff"}, Dir: "/tmp/\xe9"}
	var got order
	if err := json.Unmarshal(asJSON(o), &got); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Words, o.Words) || !slices.Equal(got.Options, o.Options) || got.Dir != o.Dir {
		t.Errorf("%q, want %q", got.Words, o.Words)
	}
	if plain := string(asJSON(texts{"é"})); plain != "[\"é\"]\n" {
		t.Errorf("%s", plain)
	}
}
