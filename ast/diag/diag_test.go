package diag_test

import (
	"testing"

	"ftsh/ast/diag"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"äöü 日本":               "äöü 日本",
		"a\tb\nc":              "a b c",
		"\x1b[2J\x7f\r\u009b":  "·[2J···",
		"a\u202eb\u2066\u200f": "a·b··",
		"\u2028\ufeff":         "··",
		"\x9b":                 "\ufffd",
	} {
		if got := diag.Visible(text); got != want {
			t.Errorf("Visible(%q) is %q, want %q", text, got, want)
		}
	}
}
