package world

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
	"ftsh/interp/expand"
)

// word is a word of a line, or a text in quotes.
type word struct {
	text   string
	quoted bool
	pos    ast.Pos
}

// splitLine cuts a line into words. A # at the start of a word begins a comment.
func (r *reader) splitLine(text string) []word {
	var words []word
	for at := 0; at < len(text); {
		c := text[at]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			at++
			continue
		case c == '#':
			return words
		}
		column := int32(utf8.RuneCountInString(text[:at]) + 1)
		w := word{pos: ast.Pos{Source: r.source, Offset: int32(r.offset + at), Line: int32(r.line), Column: column}}
		length := strings.IndexAny(text[at:], " \t\r")
		if length < 0 {
			length = len(text) - at
		}
		w.text = text[at : at+length]
		if c == '"' {
			w.quoted = true
			quoted, err := strconv.QuotedPrefix(text[at:])
			if err != nil {
				r.errors = append(r.errors,
					diag.Errorf(w.pos, "this text in quotes has no end, or an unknown escape; known are \\n \\t \\\" \\\\"))
				return nil
			}
			length = len(quoted)
			w.text, _ = strconv.Unquote(quoted)
		}
		words = append(words, w)
		at += length
	}
	return words
}

// line holds the words of a line that are left. The first thing wrong with it is reported, and
// nothing else.
type line struct {
	reader *reader
	first  word
	rest   []word
	failed bool
}

// wantInstead reports what was wanted instead of what comes next.
func (l *line) wantInstead(wanted string) {
	if l.failed {
		return
	}
	l.failed = true
	if len(l.rest) == 0 {
		at := l.first
		at.pos.Offset += int32(len(at.text))
		at.pos.Column += int32(utf8.RuneCountInString(at.text))
		l.reader.reportWrong(at, "wanted %s after `%s`", wanted, l.first.text)
		return
	}
	l.reader.reportWrong(l.rest[0], "found %q, wanted %s", l.rest[0].text, wanted)
}

// wantEnd wants the end of the line.
func (l *line) wantEnd() {
	if len(l.rest) > 0 {
		l.wantInstead("the end of the line")
	}
}

// takeWord returns the next word, if it is not quoted.
func (l *line) takeWord() (string, bool) {
	if len(l.rest) == 0 || l.rest[0].quoted {
		return "", false
	}
	l.first, l.rest = l.rest[0], l.rest[1:]
	return l.first.text, true
}

// takeKeyword takes a word if it comes next.
func (l *line) takeKeyword(text string) bool {
	if len(l.rest) > 0 && !l.rest[0].quoted && l.rest[0].text == text {
		_, ok := l.takeWord()
		return ok
	}
	return false
}

// takeWhole takes a whole number from low to high.
func (l *line) takeWhole(low, high int) int {
	before := *l
	text, _ := l.takeWord()
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		*l = before
		l.wantInstead(fmt.Sprintf("a whole number from %d to %d", low, high))
	}
	return n
}

// takeSlots takes: 20, or unknown at least 3.
func (l *line) takeSlots(spec *server.Spec) {
	if !l.takeKeyword("unknown") {
		spec.Slots = l.takeWhole(1, 1e9)
		return
	}
	if !l.takeKeyword("at") || !l.takeKeyword("least") {
		l.wantInstead("`at least` and how many there are for sure, such as slots unknown at least 3")
		return
	}
	spec.Seen = l.takeWhole(1, 1e9)
}

// takeHangup takes: serves, or removes.
func (l *line) takeHangup() (removes bool) {
	if removes = l.takeKeyword("removes"); !removes && !l.takeKeyword("serves") {
		l.wantInstead("serves (a client that hangs up is served all the same) or removes (it loses its place in the " +
			"line, or its slot)")
	}
	return removes
}

// takeWaits takes: at most 2 minutes.
func (l *line) takeWaits() time.Duration {
	if !l.takeKeyword("at") || !l.takeKeyword("most") {
		l.wantInstead("`at most` and how long a request waits for a slot, such as waits at most 2 minutes")
		return 0
	}
	before := *l
	d := l.takeTime()
	if d <= 0 && !l.failed {
		*l = before
		l.wantInstead("a time of more than 0; for a server without a line write queue 0")
	}
	return d
}

func (l *line) takeQueue() int {
	if l.takeKeyword("unlimited") {
		return server.Unlimited
	}
	return l.takeWhole(0, 1e9)
}

// takePercent takes a share, such as 5 percent or 2.5%.
func (l *line) takePercent() float64 {
	before := *l
	text, _ := l.takeWord()
	number, sign := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(number, 64)
	if err != nil || !sign && !l.takeKeyword("percent") || !(x >= 0 && x <= 100) {
		*l = before
		l.wantInstead("a share from 0 to 100 percent, such as 5 percent")
	}
	return x / 100
}

// takeTime takes a time: 100ms, 1h30m, 2 minutes.
func (l *line) takeTime() time.Duration {
	before := *l
	text, _ := l.takeWord()
	if _, err := strconv.ParseFloat(text, 64); err == nil && len(l.rest) > 0 {
		unit, _ := l.takeWord()
		text += " " + unit
	}
	d, err := expand.ParseTime(text)
	if err != nil {
		*l = before
		l.wantInstead("a time such as 100 ms, 2s or 5 minutes")
	}
	return d
}

// takeSpread takes a distribution of times.
func (l *line) takeSpread() spread.Time {
	before := *l
	var words []string
	if len(l.rest) > 0 && startsWithLetter(l.rest[0].text) {
		name, _ := l.takeWord()
		words = append(words, name)
	}
	for len(l.rest) > 0 && !l.failed {
		words = append(words, l.takeTime().String())
	}
	if l.failed {
		return spread.Time{}
	}
	s, err := spread.Parse(words)
	if senseless, ok := errors.AsType[*spread.SenselessError](err); ok {
		*l = before
		l.wantInstead(senseless.Wanted)
		return spread.Time{}
	}
	if err != nil {
		*l = before
		l.wantInstead("a time such as 100 ms, or a distribution: uniform FROM TO, exponential MEAN, normal MEAN DEVIATION, " +
			"lognormal MEDIAN P99, measured LEAST … MOST, the smaller time first")
		return spread.Time{}
	}
	return s
}

// startsWithLetter reports whether a word is no number, but may be the name of a distribution.
func startsWithLetter(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(first)
}

// takeText takes a text in quotes, or a single word.
func (l *line) takeText() string {
	if len(l.rest) == 0 {
		l.wantInstead("a text in quotes")
		return ""
	}
	text := l.rest[0].text
	l.first, l.rest = l.rest[0], l.rest[1:]
	return text
}

// takeEnding takes how a command fails: status 22 says "no such page".
func (l *line) takeEnding() Ending {
	e := Ending{Status: 1}
	if len(l.rest) == 0 {
		l.wantInstead("`status` and a number, or `says` and a text")
	}
	if l.takeKeyword("status") {
		e.Status = l.takeWhole(1, 255)
	}
	if l.takeKeyword("says") {
		e.Says = l.takeText()
		if !strings.HasSuffix(e.Says, "\n") {
			e.Says += "\n"
		}
	}
	return e
}

// takeSlowdown takes: above 30 by 5 percent per 15.
func (l *line) takeSlowdown() server.Slowdown {
	const wanted = "`above N by X percent`, and perhaps `per N`"
	s := server.Slowdown{Per: 1, Every: 50 * time.Millisecond}
	if !l.takeKeyword("above") {
		l.wantInstead(wanted)
		return s
	}
	s.Limit = l.takeWhole(0, 1e9)
	if !l.takeKeyword("by") {
		l.wantInstead(wanted)
		return s
	}
	s.Factor = 1 + l.takePercent()
	if l.takeKeyword("per") {
		s.Per = l.takeWhole(1, 1e9)
	}
	return s
}
