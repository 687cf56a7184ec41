package repl

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"ftsh/ast/diag"
	"ftsh/interp"
	"ftsh/interp/event"
	"ftsh/lexer"
)

// mistake shows a syntax error with its place, and names the page of the manual that could help.
func (s *shell) mistake(err error) {
	s.beginLine()
	var list diag.List
	if !errors.As(err, &list) {
		s.say(s.coloured(err.Error(), styleWrong))
		return
	}
	s.say(s.coloured(s.excerpt(list[0]), styleWrong) + s.pointer(syntaxTopic(list[0])))
}

// excerpt is an error with the line that it is in, as much of it as fits into a row, and a caret below the place.
func (s *shell) excerpt(wrong *diag.Error) string {
	at := int(wrong.Pos.Offset)
	if !wrong.Pos.IsValid() || wrong.Pos.Source == nil || at > len(wrong.Pos.Source.Text) {
		return wrong.Error()
	}
	const indent = "\n    "
	columns, _ := s.term.size()
	room := max(8, columns-len(indent))
	text := wrong.Pos.Source.Text
	before := printable(text[strings.LastIndexByte(text[:at], '\n')+1 : at])
	after := printable(text[at:lineEndIn(text, at)])
	cut := ""
	for displaywidth.String(cut+before) > room*2/3 {
		_, size := utf8.DecodeRuneInString(before)
		cut, before = "…", before[size:]
	}
	before = cut + before
	width := displaywidth.String(before)
	after = displaywidth.TruncateString(after, room-width, "…")
	return wrong.Error() + indent + before + after + indent + strings.Repeat(" ", width) + "^"
}

func (s *shell) failure(f *interp.Failure) {
	s.beginLine()
	if f.Kind == interp.KindError && f.Command == "" {
		wrong := &diag.Error{Pos: f.Pos, Message: f.Message}
		aboutVariable := strings.Contains(f.Message, "variable") || strings.Contains(f.Message, "not set")
		topic := either(aboutVariable, "variables", "expressions")
		s.say(s.coloured(s.excerpt(wrong), styleWrong) + s.pointer(topic))
		return
	}
	text := f.Message
	if f.Command != "" && f.Kind != interp.KindMissing { // that message has the name
		text = brief(f.Command) + ": " + text
	}
	if f.Pos.Line > 1 {
		text = "line " + strconv.Itoa(int(f.Pos.Line)) + ": " + text
	}
	if f.Reason != "" {
		text += " (" + string(f.Reason) + ")"
	}
	s.say(s.coloured("failed: "+printable(text), styleWrong))
	for _, line := range s.failed.others(f) {
		s.say(s.coloured(printable(line), styleWrong))
	}
}

// brief is a command's words as far as they fit into a line.
func brief(command string) string {
	const most = 60
	if utf8.RuneCountInString(command) <= most {
		return command
	}
	return string([]rune(command)[:most]) + "…"
}

// printable is a text without what would move the cursor.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if !insertable(r) {
			return '·'
		}
		return r
	}, text)
}

// coloured is a text in a style, if colours are wanted.
func (s *shell) coloured(text string, as style) string {
	sequence := as.sequence(s.Colours && !s.Plain)
	if sequence == "" {
		return text
	}
	return sequence + text + resetStyle
}

// pointer names a page of the manual, if there is one of that name.
func (s *shell) pointer(topic string) string {
	if !slices.Contains(s.Topics, topic) {
		return ""
	}
	return "\n" + s.coloured("help "+topic+" tells more", styleFaint)
}

// syntaxTopic is the page that belongs to a syntax error: that of the statement it stands in.
func syntaxTopic(wrong *diag.Error) string {
	switch message := wrong.Message; {
	case strings.Contains(message, "; write "), strings.Contains(message, "is not known here"):
		return "bash" // a habit from another shell
	case strings.Contains(message, "quote"), strings.Contains(message, "${"):
		return "words"
	}
	if wrong.Pos.Source == nil {
		return "errors"
	}
	text := wrong.Pos.Source.Text
	at := min(int(wrong.Pos.Offset), len(text))
	start := strings.LastIndexByte(text[:at], '\n') + 1
	topic := "errors"
	tokens(text[start:lineEndIn(text, at)], func(t token) {
		if start+t.at <= at {
			topic = tokenTopic(t, topic)
		}
	})
	return topic
}

// tokenTopic is the page about a token that stands before an error.
func tokenTopic(t token, before string) string {
	switch t.kind {
	case lexer.Assign, lexer.Operator:
		return "expressions"
	case lexer.Redirect:
		return "redirect"
	case lexer.Keyword:
		topic, ok := map[string]string{
			"try": "try", "catch": "try", "finally": "try", "verify": "try", "for": "loops", "forany": "forany", "forall": "forall",
			"if": "if", "else": "if", "else if": "if", "while": "if", "function": "functions", "return": "functions",
			"local": "functions", "shift": "functions", "source": "functions", "resource": "resources",
		}[t.text]
		return either(ok, topic, before)
	}
	return before
}

// branches hears which branches of a forall have failed, as the failure of a forall is that of one of them. It hands
// on what it hears to the view.
type branches struct {
	view event.Observer // nil: there is none

	mu     sync.Mutex
	failed map[uint64][]event.Event // by the number of the forall
	last   []event.Event            // those of the forall that has failed last
}

// begin is called before a statement runs.
func (b *branches) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failed, b.last = map[uint64][]event.Event{}, nil
}

func (b *branches) Enabled(int) bool { return true }

func (b *branches) Observe(e event.Event) {
	b.mu.Lock()
	switch {
	case e.Kind == event.BranchFailed && e.Failure != string(interp.KindCancelled):
		b.failed[e.ID] = append(b.failed[e.ID], e)
	case e.Kind == event.ForallFailed:
		b.last = b.failed[e.ID]
	}
	b.mu.Unlock()
	if b.view != nil {
		b.view.Observe(e)
	}
}

const mostBranches = 20

// others tells of the branches that have failed besides the one whose failure it is.
func (b *branches) others(f *interp.Failure) (lines []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	is := func(e event.Event) bool { return e.Message == f.Message && e.Status == f.Status }
	at := slices.IndexFunc(b.last, is)
	if at < 0 {
		return nil
	}
	others := slices.Delete(slices.Clone(b.last), at, at+1)
	for _, e := range others[:min(len(others), mostBranches)] {
		lines = append(lines, fmt.Sprintf("failed: %s=%s: %s", e.Name, brief(e.Value), e.Message))
	}
	if more := len(others) - mostBranches; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more branches", more))
	}
	return lines
}
