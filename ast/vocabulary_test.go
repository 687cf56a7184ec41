package ast_test

import (
	"slices"
	"strings"
	"testing"

	"ftsh/ast"
)

func TestLookupUnit(t *testing.T) {
	for name, want := range map[string]ast.Unit{
		"ms": ast.Millisecond, "milliseconds": ast.Millisecond, "s": ast.Second, "second": ast.Second, "m": ast.Minute,
		"minutes": ast.Minute, "h": ast.Hour, "hour": ast.Hour, "d": ast.Day, "days": ast.Day,
		"sec": ast.Second, "secs": ast.Second, "min": ast.Minute, "mins": ast.Minute, "hr": ast.Hour, "hrs": ast.Hour,
		"": ast.NoUnit, "ss": ast.NoUnit, "mss": ast.NoUnit, "hs": ast.NoUnit, "Days": ast.NoUnit,
	} {
		if got := ast.LookupUnit(name); got != want {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
}

// TestClauseWords holds that each word of a clause is one.
func TestClauseWords(t *testing.T) {
	for _, clause := range append(ast.Clauses(), ast.BackoffSettings()...) {
		for word := range strings.FieldsSeq(clause) {
			if !ast.IsClauseWord(word) {
				t.Errorf("%s is no word of a clause", word)
			}
		}
	}
	if ast.IsClauseWord("only on") || ast.IsClauseWord("") {
		t.Error("what is no word is a clause's")
	}
}

func TestSections(t *testing.T) {
	inTry, inIf, inCase := ast.Sections()
	for _, word := range slices.Concat(inTry, inIf, inCase) {
		if !ast.IsSection(word) {
			t.Errorf("%s begins no section", word)
		}
	}
	if ast.IsSection("end") || !ast.IsKeyword("end") || ast.IsKeyword("slots") {
		t.Error("end is a keyword, and no section; slots is one in a resource only")
	}
}

func TestOperators(t *testing.T) {
	for _, name := range ast.Operators() {
		if _, known := ast.LookupOp(name); !known && !slices.Contains(ast.LoopOptions(), name) && name != ".to." &&
			name != ".step." {
			t.Errorf("%s means nothing", name)
		}
	}
	for _, name := range ast.DottedNames() {
		if _, known := ast.LookupDotted(name); !known {
			t.Errorf("%s means nothing", name)
		}
	}
}
