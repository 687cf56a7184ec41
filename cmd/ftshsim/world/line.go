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

// wrongLine is the panic at what is wrong with a line.
type wrongLine struct{}

// readLine reads the words behind the first of the present line, up to its end. The first thing wrong with it is
// reported, and ends its reading: by a panic, which is taken in here.
func (r *reader) readLine(read func()) {
	defer func() {
		r.rest = nil
		if reason := recover(); reason != nil && reason != any(wrongLine{}) {
			panic(reason)
		}
	}()
	r.last, r.rest = r.words[0], r.words[1:]
	if read(); len(r.rest) > 0 {
		r.want("the end of the line")
	}
}

// report says what was wanted instead of what comes next.
func (r *reader) report(wanted string) {
	if len(r.rest) > 0 {
		r.reportWrong(r.rest[0], "found %q, wanted %s", r.rest[0].text, wanted)
		return
	}
	at := r.last
	at.pos.Offset += int32(len(at.text))
	at.pos.Column += int32(utf8.RuneCountInString(at.text))
	r.reportWrong(at, "wanted %s after `%s`", wanted, r.last.text)
}

// want reports what was wanted, and ends the line.
func (r *reader) want(wanted string) {
	r.report(wanted)
	panic(wrongLine{})
}

// fail ends the line with what is wrong at a word.
func (r *reader) fail(at word, format string, args ...any) {
	r.reportWrong(at, format, args...)
	panic(wrongLine{})
}

// takeWord returns the next word, "" if there is none that is not quoted.
func (r *reader) takeWord() (text string) {
	if len(r.rest) > 0 && !r.rest[0].quoted {
		r.last, r.rest = r.rest[0], r.rest[1:]
		return r.last.text
	}
	return ""
}

func (r *reader) takeKeyword(text string) bool {
	return len(r.rest) > 0 && r.rest[0].text == text && r.takeWord() != ""
}

// takeKeywords takes words that must stand here, and wants something where one does not.
func (r *reader) takeKeywords(wanted string, words ...string) {
	for _, text := range words {
		if !r.takeKeyword(text) {
			r.want(wanted)
		}
	}
}

// takeBy takes what parse takes, and wants that where parse reports that it is not there.
func takeBy[T any](r *reader, wanted string, parse func() (T, bool)) T {
	last, rest := r.last, r.rest
	v, ok := parse()
	if !ok {
		r.last, r.rest = last, rest
		r.want(wanted)
	}
	return v
}

func (r *reader) takeWhole(low, high int) int {
	return takeBy(r, fmt.Sprintf("a whole number from %d to %d", low, high), func() (int, bool) {
		n, err := strconv.Atoi(r.takeWord())
		return n, err == nil && n >= low && n <= high
	})
}

// takeSlots takes: 20, or unknown at least 3.
func (r *reader) takeSlots(spec *server.Spec) {
	if !r.takeKeyword("unknown") {
		spec.Slots = r.takeWhole(1, 1e9)
		return
	}
	r.takeKeywords("`at least` and how many there are for sure, such as slots unknown at least 3", "at", "least")
	spec.Seen = r.takeWhole(1, 1e9)
}

// takeHangup takes: serves, or removes.
func (r *reader) takeHangup() (removes bool) {
	if removes = r.takeKeyword("removes"); !removes && !r.takeKeyword("serves") {
		r.want("serves (a client that hangs up is served all the same) or removes (it loses its place in the " +
			"line, or its slot)")
	}
	return removes
}

// takeWaits takes: at most 2 minutes.
func (r *reader) takeWaits() time.Duration {
	r.takeKeywords("`at most` and how long a request waits for a slot, such as waits at most 2 minutes", "at", "most")
	return takeBy(r, "a time of more than 0; for a server without a line write queue 0", r.takePositive)
}

func (r *reader) takePositive() (time.Duration, bool) {
	d := r.takeTime()
	return d, d > 0
}

func (r *reader) takeQueue() int {
	if r.takeKeyword("unlimited") {
		return server.Unlimited
	}
	return r.takeWhole(0, 1e9)
}

// takePercent takes a share, such as 5 percent or 2.5%.
func (r *reader) takePercent() float64 {
	return takeBy(r, "a share from 0 to 100 percent, such as 5 percent", func() (float64, bool) {
		number, sign := strings.CutSuffix(r.takeWord(), "%")
		x, err := strconv.ParseFloat(number, 64)
		return x / 100, err == nil && (sign || r.takeKeyword("percent")) && x >= 0 && x <= 100
	})
}

// takeTime takes a time: 100ms, 1h30m, 2 minutes.
func (r *reader) takeTime() time.Duration {
	return takeBy(r, "a time such as 100 ms, 2s or 5 minutes", func() (time.Duration, bool) {
		text := r.takeWord()
		if _, err := strconv.ParseFloat(text, 64); err == nil && len(r.rest) > 0 {
			text += " " + r.takeWord()
		}
		d, err := expand.ParseTime(text)
		return d, err == nil
	})
}

// takeSpread takes a distribution of times.
func (r *reader) takeSpread() spread.Time {
	last, rest := r.last, r.rest
	var words []string
	if len(r.rest) > 0 {
		if first, _ := utf8.DecodeRuneInString(r.rest[0].text); unicode.IsLetter(first) {
			words = append(words, r.takeWord())
		}
	}
	for len(r.rest) > 0 {
		words = append(words, r.takeTime().String())
	}
	s, err := spread.Parse(words)
	if err != nil {
		r.last, r.rest = last, rest
		if senseless, ok := errors.AsType[*spread.SenselessError](err); ok {
			r.want(senseless.Wanted)
		}
		r.want("a time such as 100 ms, or a distribution: uniform FROM TO, exponential MEAN, normal MEAN DEVIATION, " +
			"lognormal MEDIAN P99, measured LEAST … MOST, the smaller time first")
	}
	return s
}

func (r *reader) takeText() string {
	if len(r.rest) == 0 {
		r.want("a text in quotes")
	}
	r.last, r.rest = r.rest[0], r.rest[1:]
	return r.last.text
}

// takeEnding takes how a command fails: status 22 says "no such page".
func (r *reader) takeEnding() Ending {
	e := Ending{Status: 1}
	if len(r.rest) == 0 {
		r.want("`status` and a number, or `says` and a text")
	}
	if r.takeKeyword("status") {
		e.Status = r.takeWhole(1, 255)
	}
	if r.takeKeyword("says") {
		e.Says = strings.TrimSuffix(r.takeText(), "\n") + "\n"
	}
	return e
}

// takeSlowdown takes: above 30 by 5 percent per 15.
func (r *reader) takeSlowdown() server.Slowdown {
	const wanted = "`above N by X percent`, and perhaps `per N`"
	s := server.Slowdown{Per: 1, Every: 50 * time.Millisecond}
	r.takeKeywords(wanted, "above")
	s.Limit = r.takeWhole(0, 1e9)
	r.takeKeywords(wanted, "by")
	s.Factor = 1 + r.takePercent()
	if r.takeKeyword("per") {
		s.Per = r.takeWhole(1, 1e9)
	}
	return s
}

// takePeriod takes a time from and to, or for how long, and what is told of it. It begins after an earlier one has
// ended; what it is is told where it is wrong.
func (r *reader) takePeriod(what string, before time.Duration, takeRest func()) (from, to time.Duration) {
	begin := r.last
	r.takeKeywords("`from` and a time", "from")
	from = r.takeTime()
	switch {
	case r.takeKeyword("to"):
		to = r.takeTime()
	case r.takeKeyword("for"):
		to = from + r.takeTime()
	default:
		r.want("`to` and a time, or `for` and a time")
	}
	if to <= from {
		r.fail(begin, "this %s ends at %v, and begins at %v", what, to, from)
	}
	if takeRest(); from < before {
		r.fail(begin, "this %s begins at %v, before the one in an earlier line ends at %v; "+
			"%ss stand in order and do not overlap", what, from, before, what)
	}
	return from, to
}

// takeRate takes: 100 per minute, or 5 per 30 s.
func (r *reader) takeRate() server.Rate {
	rate := server.Rate{Requests: r.takeWhole(0, 1e9)}
	r.takeKeywords("`per` and a time, such as per minute or per 30 s", "per")
	rate.Per = takeBy(r, "a time of more than 0", func() (time.Duration, bool) {
		if len(r.rest) > 0 && slices.Contains([]string{"second", "minute", "hour", "day"}, r.rest[0].text) {
			r.rest = slices.Clone(r.rest)
			r.rest[0].text = "1" + r.rest[0].text
		}
		return r.takePositive()
	})
	return rate
}

// takeBackoff takes: full from 100 ms to 10 s.
func (r *reader) takeBackoff() (b backoff.Backoff) {
	b.Policy = takeBy(r, "a policy: one of "+strings.Join(backoff.Policies(), ", "), func() (backoff.Policy, bool) {
		return backoff.ParsePolicy(r.takeWord())
	})
	if r.takeKeyword("from") {
		b.Initial = cmp.Or(r.takeTime(), -1) // 0 would be the default
	}
	if r.takeKeyword("to") {
		b.Max = r.takeTime()
	}
	return b
}
