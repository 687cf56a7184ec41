package world

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ftsh/ast"
	"ftsh/backoff"
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

// wordForm is a text in quotes, or a word.
var wordForm = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[^ \t\r]+`)

// splitLine cuts a line into words. A # at the start of a word begins a comment.
func (r *reader) splitLine(text string) (words []word) {
	for _, at := range wordForm.FindAllStringIndex(text, -1) {
		column := int32(utf8.RuneCountInString(text[:at[0]]) + 1)
		w := word{text: text[at[0]:at[1]], quoted: text[at[0]] == '"',
			pos: ast.Pos{Source: r.source, Offset: int32(r.offset + at[0]), Line: int32(r.line), Column: column}}
		if w.text[0] == '#' {
			break
		}
		if w.quoted {
			var err error
			if w.text, err = strconv.Unquote(w.text); err != nil {
				r.reportWrong(w, "this text in quotes has no end, or an unknown escape; known are \\n \\t \\\" \\\\")
				return nil
			}
		}
		words = append(words, w)
	}
	return words
}

// line holds the words of a line that are left. The first thing wrong with it is reported, and ends its reading: by a
// panic, which [reader.readLine] takes in.
type line struct {
	reader *reader
	first  word // the last that was taken
	rest   []word
}

// wrongLine is the panic at what is wrong with a line.
type wrongLine struct{}

// readLine reads the words behind the first of the present line, up to its end.
func (r *reader) readLine(read func(l *line)) {
	defer func() {
		if reason := recover(); reason != nil && reason != any(wrongLine{}) {
			panic(reason)
		}
	}()
	l := &line{reader: r, first: r.words[0], rest: r.words[1:]}
	read(l)
	if len(l.rest) > 0 {
		l.want("the end of the line")
	}
}

// report says what was wanted instead of what comes next.
func (l *line) report(wanted string) {
	if len(l.rest) > 0 {
		l.reader.reportWrong(l.rest[0], "found %q, wanted %s", l.rest[0].text, wanted)
		return
	}
	at := l.first
	at.pos.Offset += int32(len(at.text))
	at.pos.Column += int32(utf8.RuneCountInString(at.text))
	l.reader.reportWrong(at, "wanted %s after `%s`", wanted, l.first.text)
}

// want reports what was wanted, and ends the line.
func (l *line) want(wanted string) {
	l.report(wanted)
	panic(wrongLine{})
}

// fail ends the line with what is wrong at a word.
func (l *line) fail(at word, format string, args ...any) {
	l.reader.reportWrong(at, format, args...)
	panic(wrongLine{})
}

// takeWord returns the next word, "" if there is none that is not quoted.
func (l *line) takeWord() (text string) {
	if len(l.rest) > 0 && !l.rest[0].quoted {
		l.first, l.rest = l.rest[0], l.rest[1:]
		return l.first.text
	}
	return ""
}

func (l *line) takeKeyword(text string) bool {
	return len(l.rest) > 0 && l.rest[0].text == text && l.takeWord() != ""
}

// takeKeywords takes words that must stand here, and wants something where one does not.
func (l *line) takeKeywords(wanted string, words ...string) {
	for _, text := range words {
		if !l.takeKeyword(text) {
			l.want(wanted)
		}
	}
}

// takeBy takes what parse takes, and wants that where parse reports that it is not there.
func takeBy[T any](l *line, wanted string, parse func() (T, bool)) T {
	before := *l
	v, ok := parse()
	if !ok {
		*l = before
		l.want(wanted)
	}
	return v
}

func (l *line) takeWhole(low, high int) int {
	return takeBy(l, fmt.Sprintf("a whole number from %d to %d", low, high), func() (int, bool) {
		n, err := strconv.Atoi(l.takeWord())
		return n, err == nil && n >= low && n <= high
	})
}

// takeSlots takes: 20, or unknown at least 3.
func (l *line) takeSlots(spec *server.Spec) {
	if !l.takeKeyword("unknown") {
		spec.Slots = l.takeWhole(1, 1e9)
		return
	}
	l.takeKeywords("`at least` and how many there are for sure, such as slots unknown at least 3", "at", "least")
	spec.Seen = l.takeWhole(1, 1e9)
}

// takeHangup takes: serves, or removes.
func (l *line) takeHangup() (removes bool) {
	if removes = l.takeKeyword("removes"); !removes && !l.takeKeyword("serves") {
		l.want("serves (a client that hangs up is served all the same) or removes (it loses its place in the " +
			"line, or its slot)")
	}
	return removes
}

// takeWaits takes: at most 2 minutes.
func (l *line) takeWaits() time.Duration {
	l.takeKeywords("`at most` and how long a request waits for a slot, such as waits at most 2 minutes", "at", "most")
	return takeBy(l, "a time of more than 0; for a server without a line write queue 0", l.takePositive)
}

func (l *line) takePositive() (time.Duration, bool) {
	d := l.takeTime()
	return d, d > 0
}

func (l *line) takeQueue() int {
	if l.takeKeyword("unlimited") {
		return server.Unlimited
	}
	return l.takeWhole(0, 1e9)
}

// takePercent takes a share, such as 5 percent or 2.5%.
func (l *line) takePercent() float64 {
	return takeBy(l, "a share from 0 to 100 percent, such as 5 percent", func() (float64, bool) {
		number, sign := strings.CutSuffix(l.takeWord(), "%")
		x, err := strconv.ParseFloat(number, 64)
		return x / 100, err == nil && (sign || l.takeKeyword("percent")) && x >= 0 && x <= 100
	})
}

// takeTime takes a time: 100ms, 1h30m, 2 minutes.
func (l *line) takeTime() time.Duration {
	return takeBy(l, "a time such as 100 ms, 2s or 5 minutes", func() (time.Duration, bool) {
		text := l.takeWord()
		if _, err := strconv.ParseFloat(text, 64); err == nil && len(l.rest) > 0 {
			text += " " + l.takeWord()
		}
		d, err := expand.ParseTime(text)
		return d, err == nil
	})
}

// takeSpread takes a distribution of times.
func (l *line) takeSpread() spread.Time {
	before := *l
	var words []string
	if len(l.rest) > 0 {
		if first, _ := utf8.DecodeRuneInString(l.rest[0].text); unicode.IsLetter(first) {
			words = append(words, l.takeWord())
		}
	}
	for len(l.rest) > 0 {
		words = append(words, l.takeTime().String())
	}
	s, err := spread.Parse(words)
	if err != nil {
		*l = before
		if senseless, ok := errors.AsType[*spread.SenselessError](err); ok {
			l.want(senseless.Wanted)
		}
		l.want("a time such as 100 ms, or a distribution: uniform FROM TO, exponential MEAN, normal MEAN DEVIATION, " +
			"lognormal MEDIAN P99, measured LEAST … MOST, the smaller time first")
	}
	return s
}

func (l *line) takeText() string {
	if len(l.rest) == 0 {
		l.want("a text in quotes")
	}
	l.first, l.rest = l.rest[0], l.rest[1:]
	return l.first.text
}

// takeEnding takes how a command fails: status 22 says "no such page".
func (l *line) takeEnding() Ending {
	e := Ending{Status: 1}
	if len(l.rest) == 0 {
		l.want("`status` and a number, or `says` and a text")
	}
	if l.takeKeyword("status") {
		e.Status = l.takeWhole(1, 255)
	}
	if l.takeKeyword("says") {
		e.Says = strings.TrimSuffix(l.takeText(), "\n") + "\n"
	}
	return e
}

// takeSlowdown takes: above 30 by 5 percent per 15.
func (l *line) takeSlowdown() server.Slowdown {
	const wanted = "`above N by X percent`, and perhaps `per N`"
	s := server.Slowdown{Per: 1, Every: 50 * time.Millisecond}
	l.takeKeywords(wanted, "above")
	s.Limit = l.takeWhole(0, 1e9)
	l.takeKeywords(wanted, "by")
	s.Factor = 1 + l.takePercent()
	if l.takeKeyword("per") {
		s.Per = l.takeWhole(1, 1e9)
	}
	return s
}

// takePeriod takes a time from and to, or for how long, and what is told of it. It begins after an earlier one has
// ended; what it is is told where it is wrong.
func (l *line) takePeriod(what string, before time.Duration, takeRest func()) (from, to time.Duration) {
	begin := l.first
	l.takeKeywords("`from` and a time", "from")
	from = l.takeTime()
	switch {
	case l.takeKeyword("to"):
		to = l.takeTime()
	case l.takeKeyword("for"):
		to = from + l.takeTime()
	default:
		l.want("`to` and a time, or `for` and a time")
	}
	if to <= from {
		l.fail(begin, "this %s ends at %v, and begins at %v", what, to, from)
	}
	if takeRest(); from < before {
		l.fail(begin, "this %s begins at %v, before the one in an earlier line ends at %v; "+
			"%ss stand in order and do not overlap", what, from, before, what)
	}
	return from, to
}

// takeRate takes: 100 per minute, or 5 per 30 s.
func (l *line) takeRate() server.Rate {
	rate := server.Rate{Requests: l.takeWhole(0, 1e9)}
	l.takeKeywords("`per` and a time, such as per minute or per 30 s", "per")
	rate.Per = takeBy(l, "a time of more than 0", func() (time.Duration, bool) {
		if len(l.rest) > 0 && slices.Contains([]string{"second", "minute", "hour", "day"}, l.rest[0].text) {
			l.rest = slices.Clone(l.rest)
			l.rest[0].text = "1" + l.rest[0].text
		}
		return l.takePositive()
	})
	return rate
}

// takeBackoff takes: full from 100 ms to 10 s.
func (l *line) takeBackoff() (b backoff.Backoff) {
	b.Policy = takeBy(l, "a policy: one of "+strings.Join(backoff.Policies(), ", "), func() (backoff.Policy, bool) {
		return backoff.ParsePolicy(l.takeWord())
	})
	if l.takeKeyword("from") {
		b.Initial = cmp.Or(l.takeTime(), -1) // 0 would be the default
	}
	if l.takeKeyword("to") {
		b.Max = l.takeTime()
	}
	return b
}
