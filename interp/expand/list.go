package expand

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"ftsh/ast"
	"ftsh/ast/diag"
)

// List expands the list of a loop: words (their unquoted references split, their
// patterns match files, those without a match give nothing, a bare comma at the
// end of a word is dropped), ranges, .lines., and other expressions, each of which
// is one item. Errors are [*diag.Error], or come from [Env.Call].
func List(ctx context.Context, env Env, list []ast.Expr) (*Sequence, error) {
	l := listing{scope: scope{ctx, env}}
	for _, e := range list {
		if e = withoutComma(e); e == nil {
			continue
		}
		if err := l.add(e); err != nil {
			return nil, err
		}
	}
	l.endTexts()
	if l.len < 0 {
		return nil, diag.Errorf(list[0].At(), "the list has more than %d items", math.MaxInt)
	}
	return &l.Sequence, nil
}

// listing is a Sequence being made.
type listing struct {
	scope
	Sequence
	texts []string // the run of texts under way
}

// add takes the next expression of the list.
func (l *listing) add(e ast.Expr) (err error) {
	switch e := unparen(e).(type) {
	case *ast.Operand:
		l.texts, err = appendFields(l.env, l.texts, e.Word, false)
		return err
	case *ast.Range:
		return l.numbers(e)
	case *ast.Unary:
		if e.Op == ast.Lines {
			return l.lines(e)
		}
	}
	v, err := l.eval(e)
	l.append(run{value: v}, 1)
	return err
}

// numbers takes a range.
func (l *listing) numbers(e *ast.Range) error {
	n, err := l.span(e)
	l.append(run{first: n.first, step: n.step, count: n.count}, n.count)
	return err
}

// lines takes `.lines. value`.
func (l *listing) lines(e *ast.Unary) error {
	text, err := l.text(e.X)
	if err == nil && text != "" {
		l.texts = append(l.texts, strings.Split(text, "\n")...)
	}
	return err
}

// append appends a run of count items. A length that overflows stays below zero.
func (l *listing) append(r run, count int) {
	l.endTexts()
	if l.len < 0 {
		return
	}
	l.len += count
	r.end = l.len
	l.runs = append(l.runs, r)
}

// endTexts makes a run of the texts under way.
func (l *listing) endTexts() {
	if texts := l.texts; texts != nil {
		l.texts = nil
		l.append(run{texts: texts}, len(texts))
	}
}

// numbers is what a range stands for: count of them, at least one.
type numbers struct {
	first, step int64
	count       int
}

// span evaluates the bounds of a range, which counts upward from the smaller one,
// whichever comes first.
func (s *scope) span(e *ast.Range) (numbers, error) {
	from, err := s.integer(e.From)
	if err != nil {
		return numbers{}, err
	}
	to, err := s.integer(e.To)
	if err != nil {
		return numbers{}, err
	}
	step := int64(1)
	if e.Step != nil {
		if step, err = s.integer(e.Step); err != nil {
			return numbers{}, err
		}
		if step <= 0 {
			return numbers{}, diag.Errorf(e.Step.At(), ".step. %d: a step above zero is wanted (.to. always counts upward)", step)
		}
	}
	from, to = min(from, to), max(from, to)
	more := (uint64(to) - uint64(from)) / uint64(step)
	if more >= math.MaxInt {
		return numbers{}, diag.Errorf(e.Pos, "the range has more than %d numbers", math.MaxInt)
	}
	return numbers{from, step, int(more) + 1}, nil
}

// rangeLimit is how long the text of a range may become, in bytes. Nobody needs
// more, and a mistyped bound must not fill the memory.
const rangeLimit = 16 << 20

// joinedRange is the value of a range: its numbers joined by blanks.
func (s *scope) joinedRange(e *ast.Range) (Value, error) {
	n, err := s.span(e)
	if err != nil {
		return Value{}, err
	}
	var text []byte
	for i, number := 0, n.first; i < n.count; i, number = i+1, number+n.step {
		if len(text) > rangeLimit || n.count > rangeLimit/2 {
			return Value{}, diag.Errorf(e.Pos, "a range of %d numbers is too long for a value (at most %d bytes); a for loop can walk it", n.count, rangeLimit)
		}
		if i > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendInt(text, number, 10)
	}
	return String(string(text)), nil
}

// withoutComma drops the comma at the end of a list's item, which only separates;
// nil if nothing else is there. The tree itself is not changed.
func withoutComma(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.Operand:
		if w := wordWithoutComma(e.Word); w == nil {
			return nil
		} else if w != e.Word {
			return &ast.Operand{Word: w}
		}
	case *ast.Range:
		c := *e
		last := &c.To
		if c.Step != nil {
			last = &c.Step
		}
		if trim(last) {
			return &c
		}
	case *ast.Unary:
		c := *e
		if trim(&c.X) {
			return &c
		}
	case *ast.Binary:
		c := *e
		if trim(&c.Right) {
			return &c
		}
	}
	return e
}

// trim drops the comma at the end of the last operand of an item, and tells
// whether there was one. A comma that is all of it stays, for the error it gives.
func trim(last *ast.Expr) bool {
	e := withoutComma(*last)
	if e == nil || e == *last {
		return false
	}
	*last = e
	return true
}

// endsInComma tells whether bare text ends in a comma without a backslash before it.
func endsInComma(lit *ast.Lit) bool {
	if !strings.HasSuffix(lit.Text, ",") {
		return false
	}
	before := strings.TrimSuffix(lit.Raw, ",")
	return (len(before)-len(strings.TrimRight(before, `\`)))%2 == 0
}

// wordWithoutComma drops a bare comma at the end of a word; nil if that was all.
func wordWithoutComma(w *ast.Word) *ast.Word {
	parts := w.Parts
	last, ok := parts[len(parts)-1].(*ast.Lit)
	if !ok || last.Quote != ast.Bare || !endsInComma(last) {
		return w
	}
	c := *w
	c.Parts = slices.Clone(parts[:len(parts)-1])
	if text := strings.TrimSuffix(last.Text, ","); text != "" {
		c.Parts = append(c.Parts, &ast.Lit{Text: text, Quote: ast.Bare, Raw: strings.TrimSuffix(last.Raw, ",")})
	}
	if len(c.Parts) == 0 {
		return nil
	}
	return &c
}
