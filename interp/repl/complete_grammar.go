package repl

import (
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/lexer"
)

// unfinishedWord returns the start of the word that the text ends in, the end of the text if it ends in none; false
// where no word can stand.
func (s *scan) unfinishedWord() (start int, ok bool) {
	end := len(s.text)
	switch last := s.last; last.kind {
	case lexer.Unfinished:
		return s.wordStart(last.at), !strings.HasPrefix(last.text, "<<")
	case lexer.Newline:
		tail := last.text[strings.LastIndexByte(last.text, '\n')+1:]
		return end, !strings.Contains(tail, "#")
	case lexer.Invalid:
		return s.wordStart(last.at), true
	case lexer.Word, lexer.Keyword, lexer.Clause, lexer.Unit, lexer.Operator:
		if last.at+len(last.text) == end {
			return last.at, true
		}
	}
	return end, true
}

// wordStart returns the start of the word that a place is in: after the token before, and blanks.
func (s *scan) wordStart(at int) int {
	from := s.previous.at + len(s.previous.text)
	if s.previous.kind == lexer.Assign || s.previous.kind == lexer.Call {
		from++ // the = or ( after the name
	}
	if from > at {
		return at
	}
	return at - len(strings.TrimLeft(s.text[from:at], " \t\n"))
}

// keywordsHere are the keywords that may begin a statement here.
func (s *scan) keywordsHere() []string {
	anywhere, top := ast.Keywords()
	if len(s.blocks) == 0 {
		return append(anywhere, top...)
	}
	forTry, forIf, forCase := ast.Sections()
	words := append(anywhere, "end")
	switch s.groups[s.blocks[len(s.blocks)-1]].name {
	case "resource":
		return append(ast.Settings(), "end")
	case "try":
		words = append(words, forTry...)
	case "if":
		words = append(words, forIf...)
	case "case":
		words = append(words, forCase...)
	}
	return words
}

// clauseWords returns the words that may follow in the first line of a try.
func clauseWords(before token) []string {
	switch {
	case before.text == "backoff":
		return backoff.Policies()
	case slices.Contains([]string{"key", "matching"}, before.text):
		return nil // any word
	case before.text == "on":
		return append(ast.Kinds(), "matching")
	case slices.Contains([]string{"only", "except", "unknown"}, before.text):
		return []string{"on"}
	case before.kind == lexer.Word && '0' <= before.text[len(before.text)-1] && before.text[len(before.text)-1] <= '9':
		return append(ast.Units(), "times")
	}
	return slices.Concat([]string{"for", "or"}, ast.Clauses(), ast.BackoffSettings())
}

// valueWords are the words, besides names of files, that may stand in an expression or a list: operators before an
// operand, or after one.
func valueWords(at *scan) (words []string) {
	before := at.last
	afterOperand := before.kind == lexer.Word || before.kind == lexer.Mark && before.text == ")"
	for _, name := range ast.Operators() {
		switch op, known := ast.LookupOp(name); {
		case known && op.IsUnary() == !afterOperand:
			words = append(words, name)
		case !known && afterOperand && (at.inLoopHeader() || !slices.Contains(ast.LoopOptions(), name)):
			words = append(words, name)
		}
	}
	if before.text == "if" || before.text == "while" {
		words = append(words, "try", "not try")
	}
	if before.text == "not" {
		words = append(words, "try")
	}
	return words
}

// inLoopHeader reports whether the text ends in the first line of a loop over a list.
func (s *scan) inLoopHeader() bool {
	n := len(s.blocks)
	if n == 0 {
		return false
	}
	block := s.groups[s.blocks[n-1]]
	return slices.Contains([]string{"for", "forany", "forall"}, block.name) &&
		!strings.Contains(s.text[block.open.end:], "\n")
}
