package quote_test

import (
	"fmt"
	"strings"
	"testing"

	"ftsh/lexer/quote"
)

// letters stand for the kinds of pieces.
const letters = ".teJmrcb"

// TestPieces writes each piece after the letter of its kind, text in one piece.
func TestPieces(t *testing.T) {
	for text, want := range map[string]string{
		`abc`:             `t:abc`,
		`a\ b\é`:          `t:a e:\  t:b e:\é`,
		"a\\\nb":          "t:a J:\\\n t:b",
		"a\\\r\nb":        "t:a J:\\\r\n t:b",
		`'a"$b\'c\d'`:     `m:' t:a"$b e:\' t:c\d m:'`,
		`"a'\n\"$x"`:      `m:" t:a'\n e:\" r:$x m:"`,
		`$a$1$10$@$`:      `r:$a r:$1 r:$1 t:0 r:$@ t:$`,
		`${a}$(b)$=`:      `r:${a} r:$(b) t:$=`,
		`${a:-b\}'$c'}d`:  `r:${a:- t:b e:\} t:' r:$c t:' c:} t:d`,
		`${a:-${b:-c}}`:   `r:${a:- r:${b:- t:c c:} c:}`,
		`"${a:-}"`:        `m:" r:${a:- c:} m:"`,
		`$(echo (a) b) c`: `r:$(echo (a) b) t: c`,
		`"$(echo a)"`:     `m:" r:$(echo t: a) m:"`,
		"`date` x":        "b:`date` t: x",
		"\"`date`\"":      "m:\" b:` t:date b:` m:\"",
		`a\`:              `t:a\`,
		`"a`:              `m:" t:a`,
		`${a`:             `r:${a`,
		`${a:-b`:          `r:${a:- t:b`,
	} {
		s := quote.Scanner{Source: text}
		if got := pieces(&s); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestDocument(t *testing.T) {
	s := quote.Scanner{Source: "a\"'\\\"\\$ $x\\\nb", Rules: quote.Document}
	want := "t:a\"'\\\" e:\\$ t:  r:$x J:\\\n t:b"
	if got := pieces(&s); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestOpen(t *testing.T) {
	for text, want := range map[string]string{
		`a "b"`:        ` 0`,
		`a "b`:         `" 2`,
		`a 'b"`:        `' 2`,
		`a ${b`:        `${ 2`,
		`a "b ${c:-d`:  `${ 5`,
		`a${b:-${c:-d`: `${ 1`,
	} {
		s := quote.Scanner{Source: text}
		pieces(&s)
		if what, at := s.Open(); fmt.Sprint(what, " ", at) != want {
			t.Errorf("%s: %s %d, want %s", text, what, at, want)
		}
	}
}

func pieces(s *quote.Scanner) string {
	var out []string
	for p, last := s.Next(), quote.End; p.Kind != quote.End; p = s.Next() {
		if p.Kind == quote.Text && last == quote.Text {
			out[len(out)-1] += s.Source[p.Begin:p.End]
			continue
		}
		last = p.Kind
		out = append(out, letters[p.Kind:p.Kind+1]+":"+s.Source[p.Begin:p.End])
	}
	return strings.Join(out, " ")
}

// FuzzPieces holds that pieces leave nothing out, and none is empty.
func FuzzPieces(f *testing.F) {
	f.Add(`a"b$c${d:-e}"'f\'g'`, byte(0))
	f.Add("$(a `b ${", byte('<'))
	f.Fuzz(func(t *testing.T, text string, rules byte) {
		at := 0
		for s := (quote.Scanner{Source: text, Rules: rules}); ; {
			p := s.Next()
			if p.Begin != at || p.Kind != quote.End && p.End <= at || s.Defaults < 0 {
				t.Fatalf("%q: %v after %d", text, p, at)
			}
			if at = p.End; p.Kind == quote.End {
				break
			}
		}
		if at != len(text) {
			t.Fatalf("%q: ends at %d", text, at)
		}
	})
}
