package expand

import (
	"context"
	"math"
	"sort"
	"strconv"
	"strings"

	"ftsh/ast"
	"ftsh/ast/diag"
)

// Sequence is the items of a loop's list. Ranges in it take no memory, however
// long they are. It is immutable and safe for concurrent use.
//
//	for i := range items.Len() {
//		item := items.At(i)
//	}
type Sequence struct {
	runs []run
	len  int
}

// run is items that follow each other: the texts, or if there are none, count
// numbers from first on, or if there are none, the value.
type run struct {
	end         int // how many items of the Sequence there are up to this run's end
	texts       []string
	first, step int64
	count       int
	value       Value
}

// Len counts the items; nil has none.
func (s *Sequence) Len() int {
	if s == nil {
		return 0
	}
	return s.len
}

// At is the item at index i, from 0 to Len-1.
func (s *Sequence) At(i int) Value {
	r := &s.runs[0]
	if i >= r.end {
		r = &s.runs[sort.Search(len(s.runs), func(n int) bool { return i < s.runs[n].end })]
	}
	return r.itemAt(i)
}

// Items is a Sequence of those values.
func Items(values []Value) *Sequence {
	s := &Sequence{len: len(values)}
	for i, value := range values {
		s.runs = append(s.runs, run{end: i + 1, value: value})
	}
	return s
}

// Numbers is a Sequence of count numbers, at least 1, from first on.
func Numbers(first, step int64, count int) *Sequence {
	return &Sequence{runs: []run{{end: count, first: first, step: step, count: count}}, len: count}
}

// Progression gives what Numbers was called with, or a range in a list of its own; false
// if the items are no such numbers.
func (s *Sequence) Progression() (first, step int64, ok bool) {
	if len(s.runs) != 1 || s.runs[0].texts != nil || s.runs[0].count == 0 {
		return 0, 0, false
	}
	return s.runs[0].first, s.runs[0].step, true
}

// itemAt is the Sequence's item at index i, which lies in the run.
func (r *run) itemAt(i int) Value {
	switch {
	case r.texts != nil:
		return String(r.texts[len(r.texts)-(r.end-i)])
	case r.count > 0:
		return Int(r.first + int64(r.count-(r.end-i))*r.step)
	}
	return r.value
}

// From is the items from index i on.
func (s *Sequence) From(i int) *Sequence {
	rest := &Sequence{len: s.len - i}
	before := 0
	for _, r := range s.runs {
		skipped := max(0, i-before)
		before = r.end
		if r.end -= i; r.end <= 0 {
			continue
		}
		if r.count > 0 {
			r.first, r.count = r.first+int64(skipped)*r.step, r.count-skipped
		}
		rest.runs = append(rest.runs, r)
	}
	return rest
}

// Share is called before the items are kept beside where they were made for.
func (s *Sequence) Share() {
	for _, r := range s.runs {
		if blob, large := r.value.Blob(); large {
			blob.Share()
		}
	}
}

// List expands the list of a loop: words (their unquoted references split, their
// patterns match files, those without a match give nothing), ranges, .lines., and
// other expressions, each of which is one item. The parser has taken the commas
// out. Errors are [*diag.Error], or come from [Env.Call].
func List(ctx context.Context, env Env, list []ast.Expr) (*Sequence, error) {
	l := listing{scope: scope{ctx, env}}
	for _, e := range list {
		if err := l.addExpression(e); err != nil {
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

// addExpression takes the next expression of the list.
func (l *listing) addExpression(e ast.Expr) (err error) {
	switch e := withoutParens(e).(type) {
	case *ast.Operand:
		l.texts, err = appendFields(l.env, l.texts, e.Word, false)
		return err
	case *ast.Range:
		return l.addRange(e)
	case *ast.Unary:
		if e.Op == ast.Lines {
			return l.addLines(e)
		}
	}
	v, err := l.evalValue(e)
	l.appendRun(run{value: v}, 1)
	return err
}

// addRange takes a range.
func (l *listing) addRange(e *ast.Range) error {
	n, err := l.evalRange(e)
	l.appendRun(run{first: n.first, step: n.step, count: n.count}, n.count)
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

// appendRun appends a run of count items. A length that overflows stays below zero.
func (l *listing) appendRun(r run, count int) {
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
		l.appendRun(run{texts: texts}, len(texts))
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
func (s *scope) joinedRange(e *ast.Range) (Value, error) {
	n, err := s.evalRange(e)
	if err != nil {
		return Value{}, err
	}
	var text []byte
	for i, number := 0, n.first; i < n.count; i, number = i+1, number+n.step {
		if len(text) > rangeLimit || n.count > rangeLimit/2 {
			return Value{}, diag.Errorf(e.Pos, "a range of %d numbers "+
				"is too long for a value (at most %d bytes); a for loop can walk it", n.count, rangeLimit)
		}
		if i > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendInt(text, number, 10)
	}
	return String(string(text)), nil
}
