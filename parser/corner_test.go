package parser

import (
	"slices"
	"strings"
	"testing"

	"ftsh/ast"
)

// TestSets has where a set of a pattern ends, in words and in the patterns of references.
func TestSets(t *testing.T) {
	for text, want := range map[string]string{
		"[[:alpha:]]b":     "[[:alpha:]]",
		"a[[:digit:]x]":    "[[:digit:]x]",
		"a[!]]b":           "[!]]",
		"a[^]x]b":          "[^]x]",
		"a[]]b":            "[]]",
		"a[]b":             "",
		"a[b":              "",
		`a[\]x]b`:          `[\]x]`,
		"a[b/c]":           "",
		"a[b'c']":          "",
		"[[:alpha]b":       "[[:alpha]",
		"[:]x]":            "[:]",
		"[![:space:]]":     "[![:space:]]",
		"${a#[/x]y}":       "[/x]",
		"${a#[}x]y}":       "",
		`${a#\[x]y}`:       "",
		`${a#\*x\?}`:       "",
		"${a%[[:alpha:]]}": "[[:alpha:]]",
		"[a[b]":            "[a[b]",
		"[a[b c]":          "",
		"[?]":              "[?]",
		"a[":               "",
		"*[":               "*",
		"?[!]":             "?",
	} {
		file, err := Parse(&ast.Source{Text: "x " + text}, Config{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		parts := file.Body.List[0].Node.(*ast.Command).Words[1].Parts
		if ref, ok := parts[0].(*ast.Ref); ok {
			parts = ref.Pattern.Parts
		}
		var globs []string
		for _, p := range parts {
			if g, ok := p.(*ast.Glob); ok {
				globs = append(globs, g.Pattern)
			}
		}
		if got := strings.Join(globs, " "); got != want {
			t.Errorf("%s: the patterns are %q, wanted %q", text, got, want)
		}
	}
}

// TestPlace has what stands after on.
func TestPlace(t *testing.T) {
	file, err := Parse(&ast.Source{Text: "on slurm -p x .limit. 3 --mem=4G .pilots. 4\n  a\nend"}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	on := file.Body.List[0].Node.(*ast.On)
	var options []string
	for _, w := range on.Options {
		text, _ := w.Literal()
		options = append(options, text)
	}
	limit, pilots := on.Limit.(*ast.Operand), on.Pilots.(*ast.Operand)
	if !slices.Equal(options, []string{"-p", "x", "--mem=4G"}) || limit.Int != 3 || pilots.Int != 4 ||
		len(on.Body.List) != 1 {
		t.Errorf("options %q, .limit. %d, .pilots. %d, %d statements", options, limit.Int, pilots.Int, len(on.Body.List))
	}
}

// TestBlankLines has between which statements a blank line stands.
func TestBlankLines(t *testing.T) {
	for text, want := range map[string]bool{
		"a\nb": false, "a\n\nb": true, "a\n \t\nb": true, "a\r\n\r\nb": true, "a; b": false, "a;\nb": false,
		"a;\n\nb": true, "a # c\n\nb": true, "a # c\nb": false, "a\n# c\n\nb": true, "a\n\n# c\nb": false, "a\n;\nb": true,
	} {
		file, err := Parse(&ast.Source{Text: text}, Config{})
		if err != nil {
			t.Fatal(err)
		}
		if got := file.Body.List[1].Blank; got != want {
			t.Errorf("%q: blank %v", text, got)
		}
	}
}

// TestPositionsBehindJoinedLines has references behind what is no part of a word's value: joined lines, the CR of a
// line's end.
func TestPositionsBehindJoinedLines(t *testing.T) {
	for text, want := range map[string]string{
		"x a\\\nb$y":                   "2:2",
		"x a\\\r\nb$y":                 "2:2",
		"x \"a\\\nb$y\\\n\\\n $z\"":    "2:2 4:2",
		"x \"a\r\nb$y\r\nçc$z\" $v":    "2:2 3:3 3:7",
		"x 'a\r\nb'$y":                 "2:3",
		"x a\\\nb\\\nc\\\nd${y}e$z":    "4:2 4:7",
		"x << E\r\na $y\r\n$z\r\nE":    "2:3 3:1",
		"x << E\na\\\n$y\\\n\\\n$z\nE": "3:1 5:1",
		"x <<- E\n\ta $y\n\t\t$z\n\tE": "2:4 3:3",
	} {
		file, err := Parse(&ast.Source{Text: text}, Config{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		c := file.Body.List[0].Node.(*ast.Command)
		words := c.Words
		for _, r := range c.Redirects {
			words = append(words, r.Body)
		}
		var got []string
		for _, w := range words {
			for _, p := range w.Parts {
				if ref, ok := p.(*ast.Ref); ok {
					got = append(got, strings.TrimPrefix(ref.Pos.String(), ":"))
					if text[ref.Pos.Offset] != '$' {
						t.Errorf("%q: %s is said to stand at %q", text, ref.Name, text[ref.Pos.Offset:])
					}
				}
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, wanted %s", text, got, want)
		}
	}
}
