package repl

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/interp"
	"ftsh/interp/event"
	"ftsh/lexer"
)

// reportMistake shows a syntax error with its place, and names the page of the manual that could help.
func (s *shell) reportMistake(err error) {
	s.beginLine()
	var list diag.List
	if !errors.As(err, &list) {
		s.printMessage(s.inStyle(event.Visible(err.Error()), styleWrong))
		return
	}
	s.printExcerpt(list[0], s.syntaxTopic(list[0]))
}

// printExcerpt shows an error with the line that it is in, as much of it as fits into a row, and a caret below the
// place. It names the page of the manual that could help, if there is one of that name.
func (s *shell) printExcerpt(wrong *diag.Error, topic string) {
	columns, _ := s.term.cellSize()
	text := s.inStyle(event.Visible(wrong.TextWithin(max(8, columns-5), displaywidth.String)), styleWrong)
	if slices.Contains(s.Topics, topic) {
		text += "\n" + s.inStyle("help "+topic+" tells more", styleFaint)
	}
	s.printMessage(text)
}

func (s *shell) reportFailure(f *interp.Failure) {
	s.beginLine()
	if f.Kind == interp.KindError && f.Command == "" {
		topic := "expressions"
		if strings.Contains(f.Message, "variable") || strings.Contains(f.Message, "not set") {
			topic = "variables"
		}
		s.printExcerpt(&diag.Error{Pos: f.Pos, Message: f.Message}, topic)
		return
	}
	text := f.Message
	if f.Command != "" && f.Kind != interp.KindMissing { // that message has the name
		text = ast.OneLine(f.Command, mostShown) + ": " + text
	}
	switch line := strconv.Itoa(int(f.Pos.Line)); {
	case f.Pos.Source != nil && f.Pos.Source.Name != typedSource:
		text = s.underHome(f.Pos.Source.Title()) + ":" + line + ": " + text
	case f.Pos.Line > 1:
		text = "line " + line + ": " + text
	}
	if often := f.HowOften(); often != "" {
		text += ", " + often
	}
	s.printMessage(s.inStyle("failed: "+diag.Visible(text), styleWrong))
	others, more := f.Others()
	for _, other := range others {
		name, value := other.Item()
		text := diag.Visible("failed: " + name + "=" + ast.OneLine(value, mostShown) + ": " + other.Message)
		s.printMessage(s.inStyle(text, styleWrong))
	}
	if more > 0 {
		s.printMessage(s.inStyle("and "+strconv.Itoa(more)+" more branches", styleWrong))
	}
}

// mostShown limits what is shown of a command or a statement.
const mostShown = 61

// breakAtBlanks breaks the lines of a text that are too long for a terminal at blanks.
func breakAtBlanks(text string, columns int) string {
	var broken strings.Builder
	for n, line := range strings.Split(text, "\n") {
		if n > 0 {
			broken.WriteByte('\n')
		}
		column := 0
		for i, word := range strings.Split(line, " ") {
			width := displaywidth.Options{ControlSequences: true}.String(word)
			if i > 0 && column > 0 && column+1+width > columns {
				broken.WriteByte('\n')
				column = 0
			} else if i > 0 {
				broken.WriteByte(' ')
				column++
			}
			broken.WriteString(word)
			column += width
		}
	}
	return broken.String()
}

// inStyle is a text in a style, if colours are wanted.
func (s *shell) inStyle(text string, as style) string {
	colours := s.Colours && !s.Plain
	return as.escapeSequence(colours) + text + as.afterwards(colours)
}

// syntaxTopic is the page that belongs to a syntax error: that of the statement it stands in.
func (s *shell) syntaxTopic(wrong *diag.Error) string {
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
	eachToken(text[start:lineEndIn(text, at)], func(t token) {
		if start+t.at <= at {
			topic = s.tokenTopic(t, topic)
		}
	})
	return topic
}

// tokenTopic is the page about a token that stands before an error.
func (s *shell) tokenTopic(t token, before string) string {
	switch t.kind {
	case lexer.Assign, lexer.Operator:
		return "expressions"
	case lexer.Redirect:
		return "redirect"
	case lexer.Keyword:
		return cmp.Or(s.TopicOf(t.text), before)
	}
	return before
}
