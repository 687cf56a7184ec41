package explain

import (
	"fmt"
	"strings"

	"ftsh/ast"
	"ftsh/ast/units"
)

// Units lists what of a script goes on in the middle once it has a journal, and what is run again as a whole: a line
// for each part that the journal keeps records of.
func Units(file *ast.File, config Config) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s with a journal\n", file.Source.Title())
	parts := units.List(file, config.IsBuiltin)
	width := 0
	for _, p := range parts {
		width = max(width, len(lineOf(file, p.Pos)))
	}
	for _, p := range parts {
		fmt.Fprintf(&out, "    %*s  %-7s  %s%s\n", width, lineOf(file, p.Pos), p.How,
			strings.Repeat("  ", p.Depth), describePart(p))
	}
	if len(parts) == 0 {
		out.WriteString("    nothing: no program runs\n")
	}
	return out.String()
}

// lineOf is the line of a place, with the file's name if that is another than the script's.
func lineOf(file *ast.File, pos ast.Pos) string {
	if pos.Source != file.Source {
		return pos.InFile()
	}
	return fmt.Sprint(pos.Line)
}

// describePart is the first line of a part, and of a large unit what makes it one.
func describePart(p units.Part) string {
	text := strings.TrimSpace(p.Text)
	if p.Of != "" {
		text = map[string]string{
			"attempt": "each attempt: ", "catch": "catch: ", "alternative": "each alternative: "}[p.Of] + text
	}
	switch {
	case p.How != units.Unit || !p.Work.Several():
		return text
	case p.Cause != nil:
		text = fmt.Sprintf("%s … line %d: %s", text, p.Cause.Pos.Line, p.Cause.Pos.RestOfLine())
	}
	if p.Work.Loop {
		return text + " (as a whole: a loop of commands)"
	}
	return fmt.Sprintf("%s (as a whole: %d commands)", text, p.Work.Commands)
}
