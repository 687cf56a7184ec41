package expand

import (
	"strconv"
	"strings"
	"testing"
)

// TestQuoteForMessage has values as messages show them: at most 60 bytes, and no half of a character.
func TestQuoteForMessage(t *testing.T) {
	a := func(n int) string { return strings.Repeat("a", n) }
	for text, shown := range map[string]string{
		"": "", "a\n": "a\n", a(60): a(60), a(61): a(60), a(59) + "é": a(59), a(58) + "é": a(58) + "é",
		a(58) + "éa":         a(58) + "é",
		a(57) + "\U0001F600": a(57), a(56) + "\U0001F600": a(56) + "\U0001F600", a(58) + "\U0001F600": a(58),
		a(56) + "\x80\x80\x80\x80\x80": a(56), a(55) + "\x80\x80\x80\x80\x80\x80": a(55) + "\x80",
		strings.Repeat("é", 31): strings.Repeat("é", 30),
	} {
		want := strconv.Quote(shown)
		if shown != text {
			want += "…"
		}
		if got := quoteForMessage(text); got != want {
			t.Errorf("%q: %s, wanted %s", text, got, want)
		}
	}
}
