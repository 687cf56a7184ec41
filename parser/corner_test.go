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
