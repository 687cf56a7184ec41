package parser

import (
	plex "github.com/alecthomas/participle/v2/lexer"

	"ftsh/lexer"
)

// The leaves that make up the first line of a try.

// clauses is that line.
type clauses struct {
	list []clause
	word []*token // the first token of each
}

func (clauses) read(lex *plex.PeekingLexer) (*clauses, error) {
	c := &clauses{}
	for !endsLine(lex.Peek()) {
		first := lex.Peek()
		next, err := enterClause(lex)
		if err != nil {
			return c, err
		}
		c.list, c.word = append(c.list, next), append(c.word, first)
	}
	return c, nil
}

// limits is `[for] 30 minutes or 5 times`.
type limits struct {
	list []amount
}

// amount is a number and what it counts: a unit of time, times, or nothing.
type amount struct {
	or    bool
	value expression
	unit  *token
}

func (l *limits) Parse(lex *plex.PeekingLexer) error {
	if is(lex.Peek(), lexer.Clause, "for") {
		lex.Next()
		if endsLine(lex.Peek()) {
			return wanted(lex, "a limit such as 30 minutes or 5 times")
		}
	}
	for {
		next := amount{or: len(l.list) > 0 && is(lex.Peek(), lexer.Clause, "or")}
		if next.or {
			lex.Next()
		}
		if err := next.Parse(lex); err != nil {
			return err
		}
		l.list = append(l.list, next)
		if t := lex.Peek(); !isOperand(t) && t.Type != lexer.Operator && !is(t, lexer.Clause, "or") {
			return nil
		}
	}
}

func (a *amount) Parse(lex *plex.PeekingLexer) error {
	if t := lex.Peek(); !isOperand(t) && t.Type != lexer.Operator {
		return wanted(lex, "a limit or a clause")
	}
	if err := a.value.Parse(lex); err != nil {
		return err
	}
	if t := lex.Peek(); t.Type == lexer.Unit || is(t, lexer.Clause, "times", "time") {
		a.unit = lex.Next()
	}
	return nil
}

// period is `1 hour 30 minutes`. It leaves a number of attempts to the limits.
type period struct {
	terms []amount
}

func (p *period) Parse(lex *plex.PeekingLexer) error {
	for {
		before := lex.MakeCheckpoint()
		if t := lex.Peek(); !isOperand(t) && t.Type != lexer.Operator || isOption(t.Value) {
			break
		}
		var next amount
		if err := next.Parse(lex); err != nil {
			return err
		}
		if next.unit != nil && next.unit.Type == lexer.Clause {
			lex.LoadCheckpoint(before)
			break
		}
		p.terms = append(p.terms, next)
	}
	if len(p.terms) == 0 {
		return wanted(lex, "a time such as 30 minutes")
	}
	return nil
}

// settings is `[from T] [to M] [by F] [jitter J]`.
type settings struct {
	list []setting
}

type setting struct {
	word   *token
	time   period
	number expression
}

func (s *settings) Parse(lex *plex.PeekingLexer) (err error) {
	for is(lex.Peek(), lexer.Clause, "from", "to", "by", "jitter") {
		next := setting{word: lex.Next()}
		switch next.word.Value {
		case "from", "to":
			err = next.time.Parse(lex)
		default:
			err = next.number.Parse(lex)
		}
		if err != nil {
			return err
		}
		s.list = append(s.list, next)
	}
	return nil
}

// conditionList is `75 64 .to. 78 timeout matching PATTERN`.
type conditionList struct {
	list []condition
}

type condition struct {
	matching *token
	value    expression
}

func (c *conditionList) Parse(lex *plex.PeekingLexer) error {
	for {
		var next condition
		switch t := lex.Peek(); {
		case is(t, lexer.Clause, "matching"):
			lex.Next()
			if next.matching = lex.Peek(); next.matching.Type != lexer.Word {
				return wanted(lex, "a pattern after matching")
			}
			lex.Next()
		case isOperand(t), t.Type == lexer.Operator:
			before := lex.RawCursor()
			if next.value.Parse(lex); lex.RawCursor() == before {
				return wanted(lex, "a condition: an exit status, a kind of failure, or matching PATTERN")
			}
		case len(c.list) == 0:
			return wanted(lex, "a condition: an exit status, a kind of failure, or matching PATTERN")
		default:
			return nil
		}
		c.list = append(c.list, next)
	}
}
