package check

import (
	"cmp"
	"slices"

	"ftsh/ast"
	"ftsh/ast/diag"
)

// Level says how sure a rule is.
type Level uint8

// An Error will go wrong when it is reached; a Warning probably does what nobody
// wants; a Note may be right where the script is to run.
const (
	Error Level = iota
	Warning
	Note
)

// String is the level in a word.
func (l Level) String() string { return [...]string{"error", "warning", "note"}[l] }

// Rule is one thing to look for.
type Rule struct {
	Code    string // such as F101: 1 for errors, 2 for warnings
	Level   Level  // how sure it is
	Title   string // what is wrong, in a line
	Page    string // of the manual
	Journal bool   // this is wrong only where the script has a journal

	look func(s *script)
}

// Finding is something that a rule has found.
type Finding struct {
	Rule    *Rule
	Level   Level // that of the rule, or a lower one
	Pos     ast.Pos
	Message string // what was found, in lower case, without a full stop
	Instead string // what to write instead
	Edits   []Edit // that mend it, if something surely does
}

// Edit replaces a part of a text.
type Edit struct {
	Source     *ast.Source
	Begin, End int    // of the part, in bytes
	Text       string // that stands there instead
}

// Text gives the finding as people read it: the place, the line with a caret, and what to write instead.
func (f *Finding) Text() string {
	e := diag.Errorf(f.Pos, "%s %s: %s", f.Level, f.Rule.Code, f.Message)
	if f.Instead == "" {
		return e.Text()
	}
	return e.Text() + "\n    " + f.Instead + " (ftsh --manual " + f.Rule.Page + ")"
}

// Config holds what the rules need to know besides the script. The zero Config is for a
// script of which only the text is known.
type Config struct {
	// OnPath reports whether a program of that name would be found; nil: programs are not looked for.
	OnPath func(name string) bool
	// Nearest returns the name of a program on PATH of which that is a misspelt one; "" or nil: none is known.
	Nearest func(name string) string
	// IsBuiltin reports whether a command of that name is a builtin; nil: none is.
	IsBuiltin func(name string) bool
	// Journal: the script is to run with a journal.
	Journal bool
	// Dir is the directory in which the script's name means the script; "": that is not known.
	Dir string
}

// Script looks at a script and all that it sources. The findings are in the order
// of their places, those of the script first. The script must have been parsed
// without an error.
func Script(file *ast.File, config Config) []Finding {
	s := gatherScript(file, config)
	rules := Rules()
	for i := range rules {
		if s.rule = &rules[i]; s.config.Journal || !s.rule.Journal {
			s.rule.look(s)
		}
	}
	found := slices.DeleteFunc(s.found, s.isIgnored)
	s.found, s.rule = nil, &rules[slices.IndexFunc(rules, func(r Rule) bool { return r.Code == "F201" })]
	s.reportUnused()
	found = append(found, s.found...)
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(
			slices.Index(s.sources, a.Pos.Source)-slices.Index(s.sources, b.Pos.Source),
			int(a.Pos.Offset)-int(b.Pos.Offset), cmp.Compare(a.Rule.Code, b.Rule.Code))
	})
	return found
}

// addFinding notes a finding of the rule that is looking.
func (s *script) addFinding(pos ast.Pos, message, instead string, edits ...Edit) {
	s.found = append(s.found, Finding{Rule: s.rule, Level: s.rule.Level, Pos: pos, Message: message, Instead: instead,
		Edits: edits})
}
