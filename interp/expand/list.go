package expand

import (
	"context"
	"math"
	"strconv"
	"strings"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/interp/value"
)

// List expands the list of a loop: words (their unquoted references split, their
// patterns match files, those without a match give nothing), ranges, .lines., and
// other expressions, each of which is one item. The parser has taken the commas
// out. Errors are [*diag.Error], or come from [Env.Call].
func List(ctx context.Context, env Env, list []ast.Expr) (*value.Sequence, error) {
	l := listing{scope: scope{ctx, env}}
	for _, e := range list {
		if err := l.addExpression(e); err != nil {
			return nil, err
		}
	}
	l.endTexts()
	all, ok := value.Concat(l.parts...)
	if !ok {
		return nil, diag.Errorf(list[0].At(), "the list has more than %d items", math.MaxInt)
	}
	return all, nil
}

// listing is a list being expanded.
type listing struct {
	scope
	parts []*value.Sequence
	texts []string // words and lines that follow each other, which become a part
}

// addExpression takes the next expression of the list.
func (l *listing) addExpression(e ast.Expr) (err error) {
	switch e := withoutParens(e).(type) {
	case *ast.Operand:
		l.texts, err = appendFields(l.env, l.texts, e.Word, false)
		return err
	case *ast.Range:
		n, err := l.evalRange(e)
		l.addPart(value.Numbers(n.first, n.step, n.count))
		return err
	case *ast.Unary:
		if e.Op == ast.Lines {
			return l.addLines(e)
		}
	}
	v, err := l.evalValue(e)
	l.addPart(value.Items(v))
	return err
}

// addLines takes `.lines. value`.
func (l *listing) addLines(e *ast.Unary) error {
	text, err := l.evalText(e.X)
	if err == nil && text != "" {
		l.texts = append(l.texts, strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
	}
	return err
}

// addPart takes a part, after the texts under way.
func (l *listing) addPart(part *value.Sequence) {
	l.endTexts()
	l.parts = append(l.parts, part)
}

// endTexts makes a part of the texts under way.
func (l *listing) endTexts() {
	if texts := l.texts; texts != nil {
		l.texts = nil
		l.parts = append(l.parts, value.Texts(texts))
	}
}

// numbers are those of a range: count of them, at least one.
type numbers struct {
	first, step int64
	count       int
}

// evalRange evaluates the bounds of a range, which counts upward from the smaller one,
// whichever comes first.
func (s *scope) evalRange(e *ast.Range) (numbers, error) {
	from, err := s.evalInteger(e.From)
	if err != nil {
		return numbers{}, err
	}
	to, err := s.evalInteger(e.To)
	if err != nil {
		return numbers{}, err
	}
	step := int64(1)
	if e.Step != nil {
		if step, err = s.evalInteger(e.Step); err != nil {
			return numbers{}, err
		}
		if step <= 0 {
			return numbers{}, diag.Errorf(e.Step.At(), ".step. %d: "+
				"a step above zero is wanted (.to. always counts upward)", step)
		}
	}
	from, to = min(from, to), max(from, to)
	more := (uint64(to) - uint64(from)) / uint64(step)
	if more >= math.MaxInt {
		return numbers{}, diag.Errorf(e.Pos, "the range has more than %d numbers", math.MaxInt)
	}
	return numbers{from, step, int(more) + 1}, nil
}

// rangeLimit limits the text of a range, in bytes. Nobody needs
// more, and a mistyped bound must not fill the memory.
const rangeLimit = 16 << 20

// joinedRange is the value of a range: its numbers joined by blanks.
func (s *scope) joinedRange(e *ast.Range) (value.Value, error) {
	n, err := s.evalRange(e)
	if err != nil {
		return value.Value{}, err
	}
	var text []byte
	for i, number := 0, n.first; i < n.count; i, number = i+1, number+n.step {
		if len(text) > rangeLimit || n.count > rangeLimit/2 {
			return value.Value{}, diag.Errorf(e.Pos, "a range of %d numbers "+
				"is too long for a value (at most %d bytes); a for loop can walk it", n.count, rangeLimit)
		}
		if i > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendInt(text, number, 10)
	}
	return value.String(string(text)), nil
}
