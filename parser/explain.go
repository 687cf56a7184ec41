package parser

import (
	"strconv"
	"strings"
	"unicode/utf8"

	plex "github.com/alecthomas/participle/v2/lexer"

	"ftsh/ast"
	"ftsh/lexer"
)

// fault is a token that does not fit, as the grammar noted it.
type fault struct {
	token    token
	before   token  // the one before it on its line, if any
	wanted   string // what was expected; "" if the grammar did not say
	message  string // all that is to be said, instead
	trailing bool   // the line was complete before it
}

func (f *fault) Error() string { return f.wanted }

// wantedHere is a fault at the next token.
func (b *builder) wantedHere(what string) error { return &fault{token: *b.peekToken(), wanted: what} }

// locateFault completes a fault by what stands before it on its line.
func locateFault(f *fault, line []token) *fault {
	for _, t := range line {
		// A token that cannot be read at all is the fault, wherever the grammar stopped.
		if t.Type == lexer.Invalid || t.Type == lexer.Unfinished {
			f.token = t
		}
		if t.Pos.Offset >= f.token.Pos.Offset {
			break
		}
		f.before = t
	}
	return f
}

// reportFault turns a fault into an error for people; first is the statement's first token.
func (b *builder) reportFault(f *fault, first *token) {
	t := &f.token
	pos := b.posOf(t)
	switch {
	case t.Type == lexer.Invalid:
		b.errorf(pos, "%s", t.Value)
	case t.Type == lexer.Unfinished:
		e := b.errorf(pos, "%s", unfinished(t.Value))
		e.Incomplete, e.Open = true, strings.SplitN(t.Value, "\n", 2)[0]
	case f.message != "":
		b.errorf(pos, "%s", f.message)
	case f.trailing:
		b.reportTrailing(f, first)
	default:
		before := &f.before
		if before.Type == 0 {
			before = first
		}
		what := f.wanted
		if what == "" {
			what = expectedAfter(first, before)
		}
		e := b.errorf(pos, "expected %s, not %s", what, describeToken(t))
		if b.atEnd(t) {
			e.Incomplete, e.Open, e.Pos = true, first.Value, b.posOf(before)
		}
	}
}

// unfinished says what is open at the end of the text.
func unfinished(what string) string {
	what, line, _ := strings.Cut(what, "\n")
	switch {
	case what == "\\":
		return "the text ends after a backslash"
	case what == "${":
		return "${ is not closed by a }"
	case strings.HasPrefix(what, "<<") && line != "":
		return "the here-document is not ended by a line " + quoteSource(what[3:]) + "; line " + line +
			" has blanks besides (<<- strips leading tabs)"
	case strings.HasPrefix(what, "<<"):
		return "the here-document is not ended by a line " + quoteSource(what[3:])
	case line != "":
		return "the quote " + what + " is not closed; perhaps it is the one on line " + line + " that lacks its end"
	}
	return "the quote " + what + " is not closed"
}

// expectedAfter names what the grammar calls for after a token of a statement's first line.
func expectedAfter(first, before *token) string {
	switch first.Value {
	case "budget":
		return partOfBudget(before.Value)
	case "breaker":
		return partOfBreaker(before.Value)
	}
	switch before.Value {
	case "only", "except", "unknown":
		return "\"on\" after " + before.Value
	case "for", "forany", "forall":
		return "the name of the loop's variable"
	case "function":
		return "the name of the function"
	case "export", "local":
		return "the name of a variable"
	case "resource":
		return "the name of the resource"
	case "source":
		return "the path of a script"
	case "backoff":
		return "a policy (full, fixed, …) after backoff"
	case "via":
		return "the name of a resource after via"
	case "key":
		return "a word after key"
	}
	switch first.Value {
	case "for", "forany", "forall":
		return "\"in\" and the list of the loop"
	}
	return "the rest of " + first.Value + " after " + describeToken(before)
}

// partOfBudget names the part that follows in a budget's line.
func partOfBudget(before string) string {
	switch before {
	case "at":
		return "least and a number"
	case "per":
		return "minute after per"
	case "budget":
		return "a number"
	}
	return "percent after the share, or per minute after the number"
}

// partOfBreaker names the part that follows in a breaker's line.
func partOfBreaker(before string) string {
	switch before {
	case "failures", "failure":
		return "in and a time"
	case "probe":
		return "every after probe"
	}
	return "failures after the number"
}

// describeToken names a token in a message.
func describeToken(t *token) string {
	switch t.Type {
	case plex.EOF, lexer.Missing:
		return "the end of the text"
	case lexer.Newline:
		return "the end of the line"
	case lexer.Assign:
		return quoteSource(t.Value + "=")
	case lexer.Call:
		return quoteSource(t.Value + "(")
	case lexer.Bar:
		return "a bar"
	}
	return quoteSource(t.Value)
}

// quoteSource is a piece of a script in a message, cut to a reasonable length.
func quoteSource(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s[:min(len(s), most*utf8.UTFMax)])[:most]) + "…"
	}
	return strconv.Quote(s)
}

// atEnd reports whether a token only says that the text is over.
func (b *builder) atEnd(t *token) bool {
	return t.EOF() || t.Type == lexer.Missing && t.Pos.Offset == len(b.src.Text)
}

// missingEnd reports a statement without its end.
func (b *builder) missingEnd(missing, first *token, node ast.Node) {
	name := first.Value
	if f, ok := node.(*ast.Function); ok && f.Name != "" {
		name += " " + f.Name
	}
	message := name + " is not closed by an end"
	if !b.atEnd(missing) {
		message += " before line " + strconv.Itoa(missing.Pos.Line)
	}
	if missing.Value != "" {
		message += " (" + missing.Value + ")"
	}
	e := b.errorf(b.posOf(first), "%s", message)
	if b.atEnd(missing) {
		e.Incomplete, e.Open = true, name
	}
}

// reportStray reports a keyword that closes nothing.
func (b *builder) reportStray(t *token) {
	switch t.Value {
	case "end":
		if b.unopened > 0 { // a block that could not begin was reported
			b.unopened--
			return
		}
		b.errorf(b.posOf(t), "this end closes nothing")
	default:
		b.errorf(b.posOf(t), "%s outside of %s", t.Value, ownersOf(t.Value))
	}
}

// withArticle puts a or an before a word.
func withArticle(word string) string {
	if word != "" && strings.IndexByte("aeiou", word[0]) >= 0 {
		return "an " + word
	}
	return "a " + word
}
