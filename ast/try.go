package ast

import (
	"slices"
	"strings"
)

// Try is `try [LIMITS] [clauses] … [verify …] [catch …] [finally …] end`. What
// is not written is nil. Walk visits all of these but Via.
type Try struct {
	For     *Period // the time limit
	Times   Expr    // the attempt limit
	Each    *Period
	Every   *Period
	Backoff *Backoff
	On      *Conditions // only on, except on
	Unknown *Conditions // unknown on
	Via     *Word       // literal: the name of a resource
	Key     *Word
	Body    Group
	Verify  *Group
	Catch   *Group
	Finally *Group
}

// Limited reports whether the try has LIMITS.
func (t *Try) Limited() bool { return t.For != nil || t.Times != nil }

// Backoff is `backoff POLICY [from T] [to M] [by F] [jitter J]`.
type Backoff struct {
	Pos    Pos
	Policy string // one of the policies' names, checked by the parser
	From   *Period
	To     *Period
	By     Expr // a decimal number
	Jitter Expr // a decimal number
}

// Conditions is `only on LIST`, `except on LIST` or `unknown on LIST`.
type Conditions struct {
	Pos    Pos
	Except bool // except on
	List   []Condition
}

// Condition is one of a list, any of which may hold: an exit status, a range of
// them (an expression with .to.), a kind of failure, a variable that holds such
// words; or a pattern sought in the standard error of the failed command.
type Condition struct {
	Value    Expr  // nil if Matching is set
	Matching *Word // matching PATTERN, one value
}

func (w walker) walkTry(t *Try, in *Place) {
	w.walkPeriod(t.For, in)
	w.walkExpr(t.Times, in)
	w.walkPeriod(t.Each, in)
	w.walkPeriod(t.Every, in)
	if b := t.Backoff; b != nil {
		w.walkPeriod(b.From, in)
		w.walkPeriod(b.To, in)
		w.walkExpr(b.By, in)
		w.walkExpr(b.Jitter, in)
	}
	w.conditions(t.On, in)
	w.conditions(t.Unknown, in)
	w.walkWord(t.Key, in)
	for _, group := range []*Group{&t.Body, t.Verify, t.Catch, t.Finally} {
		w.walkGroup(group, in)
	}
}

func (w walker) conditions(c *Conditions, in *Place) {
	if c == nil || !w.visit(c, in) {
		return
	}
	inside := &Place{in, c}
	for _, condition := range c.List {
		w.walkExpr(condition.Value, inside)
		w.walkWord(condition.Matching, inside)
	}
}

// Clauses lists the words that begin a clause of a try.
func Clauses() []string { return slices.Clone(clauses) }

// BackoffSettings are the words that may follow `backoff POLICY`.
func BackoffSettings() []string { return slices.Clone(backoffSettings) }

var (
	clauses         = []string{"each", "every", "backoff", "only on", "except on", "unknown on", "via", "key"}
	backoffSettings = []string{"from", "to", "by", "jitter"}
)

// IsClauseWord reports whether a word has a meaning in the first line of a try,
// besides units of time. The lexer makes a Clause token of it wherever it stands in that
// line, so none may be a kind of failure as well (Kinds), which a condition names.
func IsClauseWord(word string) bool {
	switch word {
	case "for", "or", "times", "time", "on", "matching":
		return true
	}
	for _, list := range [...][]string{clauses, backoffSettings} {
		for _, clause := range list {
			if first, _, _ := strings.Cut(clause, " "); first == word {
				return true
			}
		}
	}
	return false
}

// TakesWord reports whether a clause takes the next word as it is written, even if that is
// the word of another clause.
func TakesWord(clause string) bool {
	switch clause {
	case "via", "key", "matching", "backoff":
		return true
	}
	return false
}
