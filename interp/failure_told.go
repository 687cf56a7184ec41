package interp

import (
	"slices"
	"strconv"
	"strings"

	"ftsh/ast"
	"ftsh/interp/event"
	"ftsh/interp/output"
	"ftsh/interp/value"
)

// noteLeft notes in the failure of a loop which of its items have not succeeded: those at these indexes, in any
// order, and all from an index on. What a loop within had left was its own.
func noteLeft(err error, items *value.Sequence, indexes []int, from int) {
	failure := asFailure(err)
	if failure == nil {
		return
	}
	items.Share()
	rest := items.From(min(from, items.Len()))
	if len(indexes) == 0 {
		failure.left = rest
		return
	}
	slices.Sort(indexes)
	left := make([]value.Value, 0, len(indexes)+rest.Len())
	for _, i := range indexes {
		left = append(left, items.At(i))
	}
	for i := range rest.Len() {
		left = append(left, rest.At(i))
	}
	failure.left = value.Items(left...)
}

// describe adds to an event which items have failed.
func (i *failedItems) describe(e event.Event) event.Event {
	if i != nil {
		e.Items, e.Left, e.Count = i.first, i.count, i.of
	}
	return e
}

// value returns a part of a failure; a nil failure, that of a success, has
// the status 0 and else only empty ones.
func (f *Failure) value(d ast.Dotted) string {
	switch {
	case f == nil && d == ast.ErrorStatus:
		return "0"
	case f == nil:
		return ""
	}
	switch d {
	case ast.ErrorKind, ast.LastKind:
		return string(f.Kind)
	case ast.ErrorStatus, ast.LastStatus:
		return strconv.Itoa(f.Status)
	case ast.ErrorCommand:
		return f.Command
	case ast.ErrorLine:
		return strconv.Itoa(int(f.Pos.Line))
	case ast.ErrorMessage:
		return f.Message
	case ast.ErrorStderr, ast.LastStderr:
		return f.Stderr.String()
	case ast.ErrorSummary:
		return f.summary()
	case ast.ErrorItem:
		item, _ := f.item.Text()
		return item
	}
	return string(f.Reason)
}

// The most characters of a summary, which is the subject of a mail, and of the command in it.
const (
	mostSummary = 200
	mostCommand = 80
)

// summary tells a person in one line what failed, how it ended, and the last line that
// it wrote to standard error.
func (f *Failure) summary() string {
	text := f.commandAndEnding()
	if line := f.Stderr.LastLine(); line != "" {
		text += ": " + line
	}
	return ast.OneLine(text, mostSummary)
}

// commandAndEnding names the command, where the message does not, and tells how it ended.
func (f *Failure) commandAndEnding() string {
	if f.Command == "" || f.Kind == KindFailure {
		return f.Message
	}
	return ast.OneLine(f.Command, mostCommand) + ": " + f.endingText()
}

// endingText is the message as it stands behind the command: without the name of the program
// that it may begin with.
func (f *Failure) endingText() string {
	name, _, _ := strings.Cut(f.Command, " ")
	return strings.TrimPrefix(f.Message, name+": ")
}

// maskedBy is the same failure as the shell tells of it.
func (f *Failure) maskedBy(m *event.Mask) *Failure {
	if f == nil || !m.Any() {
		return f
	}
	shown := *f
	shown.Command, shown.Message = m.Text(f.Command), m.Text(f.Message)
	shown.Stderr = output.StderrText(m.Text(f.Stderr.LastLine()), false)
	return &shown
}

// inLoop notes what the innermost loop around a failed command had come to.
func (f *Failure) inLoop(name, item string) {
	if f != nil && f.story.name == "" {
		f.story.name, f.story.item = name, item
	}
}

// joinOthers adds branches that failed, too, to the story of a failure, with those that they bring along.
func (s *story) joinOthers(branches ...*Failure) {
	for _, branch := range branches {
		all := append([]*Failure{branch}, branch.story.others...)
		s.more += branch.story.more
		for _, other := range all {
			if len(s.others) == mostOthers {
				s.more++
				continue
			}
			s.others = append(s.others[:len(s.others):len(s.others)], other)
		}
	}
}

// finalEvent is the event that tells a failure's story.
func (f *Failure) finalEvent(kind event.Kind) event.Event {
	s := &f.story
	e := withFailure(event.Event{
		Kind: kind, Command: s.words, Name: s.name, Value: s.item,
		Attempt: s.tried, Elapsed: s.spent, Stderr: f.Stderr.ToldPart(),
	}, f)
	if s.words == nil && f.Command != "" {
		e.Command = []string{f.Command}
	}
	e = s.failed.describe(e)
	if cause := s.cause; cause != nil {
		e.Message += "; it was to react to: " + cause.withStatus(cause.commandAndEnding())
	}
	return e
}

// withFailure adds to an event what a failure tells, if there is one.
func withFailure(e event.Event, failure *Failure) event.Event {
	if failure == nil {
		return e
	}
	e.Failure, e.Status = string(failure.Kind), failure.Status
	e.Message, e.Reason = failure.Message, string(failure.Reason)
	if e.Kind == event.ForallFailed {
		return failure.story.failed.describe(e)
	}
	return e
}
