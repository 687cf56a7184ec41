package check

import (
	"slices"
	"strings"
	"unicode/utf8"

	"ftsh/ast"
)

// ignoreMark begins a comment that silences rules.
const ignoreMark = "# check:"

// silencer is a comment that silences rules.
type silencer struct {
	pos     ast.Pos
	alone   bool // on its line: it is about the next one
	codes   []string
	because bool
	used    map[string]bool // codes
}

// findIgnores looks for comments of the kind that are not understood.
func findIgnores(s *script) {
	for i := range s.silencers() {
		if c := s.comments[i]; len(c.codes) == 0 || !c.because || !areRules(c.codes) {
			s.addFinding(c.pos, "this comment silences nothing",
				"write # check: ignore F101 because …, with a rule's code and the reason")
		}
	}
}

// silencers finds the comments that silence rules, once.
func (s *script) silencers() []silencer {
	if s.comments != nil {
		return s.comments
	}
	s.comments = []silencer{}
	for _, f := range s.files {
		offset := 0
		for i, line := range strings.Split(f.Source.Text, "\n") {
			if at := strings.Index(line, ignoreMark); at >= 0 && isComment(&f.Body, line[at:]) {
				codes, because := ignoredCodes(line)
				column := utf8.RuneCountInString(line[:at]) + 1
				s.comments = append(s.comments, silencer{
					pos:   ast.Pos{Source: f.Source, Offset: int32(offset + at), Line: int32(i + 1), Column: int32(column)},
					alone: strings.TrimSpace(line[:at]) == "", codes: codes, because: because, used: map[string]bool{},
				})
			}
			offset += len(line) + 1
		}
	}
	return s.comments
}

// reportUnused reports comments that silence a rule which finds nothing there. What a rule finds may depend on the
// machine (F202), or on whether the script has a journal.
func (s *script) reportUnused() {
	for i := range s.silencers() {
		c := &s.comments[i]
		for _, code := range c.codes {
			isOff := ruleOf(code).Journal && !s.config.Journal
			if c.because && areRules(c.codes) && !c.used[code] && code != "F202" && !isOff {
				s.addFinding(c.pos, "this comment silences nothing: "+code+" finds nothing there",
					"remove it, or put it on the line of the finding, or alone on the line before")
			}
		}
	}
}

// ruleOf returns the rule of a code; without a code: there is none.
func ruleOf(code string) (none Rule) {
	for _, r := range Rules() {
		if r.Code == code {
			return r
		}
	}
	return none
}

// areRules reports whether there are rules of these codes.
func areRules(codes []string) bool {
	return !slices.ContainsFunc(codes, func(code string) bool { return ruleOf(code).Code == "" })
}

// isComment reports whether a text is a comment of a group or of what is in it.
func isComment(g *ast.Group, text string) (found bool) {
	text = strings.TrimRight(text, " \t\r")
	same := func(comment string) { found = found || strings.TrimRight(comment, " \t\r") == text }
	list := func(comments []ast.Comment) {
		for _, c := range comments {
			same(c.Text)
		}
	}
	ast.Walk(g, nil, func(node any, _ *ast.Place) bool {
		switch n := node.(type) {
		case *ast.Group:
			same(n.After)
			list(n.Tail)
		case *ast.Stmt:
			same(n.After)
			list(n.Before)
		}
		return !found
	})
	return found
}

// ignoredCodes returns the codes that the comment of a line names, and whether it gives a reason.
func ignoredCodes(line string) (codes []string, because bool) {
	_, text, found := strings.Cut(line, ignoreMark)
	words := strings.Fields(text)
	if !found || len(words) == 0 || words[0] != "ignore" {
		return nil, false
	}
	for i, word := range words[1:] {
		if word == "because" {
			return codes, i+2 < len(words) && words[i+2] != "…" // where an editor asks for the reason
		}
		codes = append(codes, strings.TrimSuffix(word, ","))
	}
	return codes, false
}

// isIgnored reports whether a comment silences a finding: on its line, or alone on the line before.
func (s *script) isIgnored(f Finding) bool {
	for i := range s.silencers() {
		c := &s.comments[i]
		behind := f.Pos.Line - c.pos.Line
		if c.pos.Source == f.Pos.Source && c.because && slices.Contains(c.codes, f.Rule.Code) &&
			(behind == 0 || behind == 1 && c.alone) {
			c.used[f.Rule.Code] = true
			return true
		}
	}
	return false
}
