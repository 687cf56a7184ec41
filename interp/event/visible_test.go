package event

import "testing"

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain äöü 日本 \n\t":            "plain äöü 日本 \n\t",
		"\x1b[2J":                      `\x1b[2J`,
		"\u009b":                       `\xc2\x9b`,
		"\x9b":                         `\x9b`,
		"a\u202eb":                     `a\xe2\x80\xaeb`,
		"\r":                           `\r`,
		"\ufffd, which is a rune, too": "\ufffd, which is a rune, too",
	} {
		if got := Visible(text); got != want {
			t.Errorf("Visible(%q) is %q, want %q", text, got, want)
		}
	}
	if got, want := VisibleLine("a\nb\tc"), `a\nb\tc`; got != want {
		t.Errorf("VisibleLine is %q, want %q", got, want)
	}
}
