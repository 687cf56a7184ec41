package parameter

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"ftsh/ast/constant"
	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
)

// notation says how values of a type are read and written.
type notation struct {
	kind  string // a word for the usage
	all   []string
	parse func(text string) (any, error) // the error tells what is wanted
	show  func(any) string
}

// notationOf is the notation of a type, within what a tag allows.
func notationOf(of reflect.Type, tag reflect.StructTag) notation {
	kind := tag.Get("value-name")
	switch reflect.Zero(of).Interface().(type) {
	case int:
		return rangedNumber("n", "a whole number", "", tag, strconv.Atoi, strconv.Itoa)
	case uint64:
		whole := func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) }
		return rangedNumber("n", "a whole number", "", tag, whole,
			func(n uint64) string { return strconv.FormatUint(n, 10) })
	case float64:
		return rangedNumber("x", "a number", "", tag,
			func(text string) (float64, error) { return strconv.ParseFloat(text, 64) },
			func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) })
	case time.Duration:
		return rangedNumber("time", "a time", ", such as 90s or 5m", tag, time.ParseDuration, Brief)
	case bool:
		return freeNotation("bool", "true or false", func(text string) (bool, bool) {
			b, err := strconv.ParseBool(text)
			return b, err == nil
		}, strconv.FormatBool)
	case backoff.Policy:
		return chosenWord("policy", backoff.Policies(), backoff.ParsePolicy, backoff.Policy.String)
	case server.Mode:
		return chosenWord("word", server.Modes(), server.ParseMode, server.Mode.String)
	case spread.Time:
		const wanted = "a time such as 100ms, or a distribution: uniform 50ms 200ms, " +
			"exponential 1s, normal 1s 200ms, lognormal 100ms 2s"
		return freeNotation("times", wanted, func(text string) (spread.Time, bool) {
			s, err := spread.Parse(strings.Fields(text))
			return s, err == nil
		}, spread.Time.String)
	case string:
		if words := strings.Fields(tag.Get("choice")); len(words) > 0 {
			return chosenWord("word", words, func(text string) (string, bool) { return text, slices.Contains(words, text) },
				sameText)
		}
		return freeNotation(kind, "", func(text string) (string, bool) { return text, true }, sameText)
	}
	panic(fmt.Sprintf("a parameter of type %v", of))
}

func sameText(text string) string { return text }

// freeNotation is a notation that knows for itself what is allowed.
func freeNotation[T any](kind, wanted string, parse func(string) (T, bool), show func(T) string) notation {
	return notation{kind: kind, show: func(v any) string { return show(v.(T)) }, parse: func(text string) (any, error) {
		if v, ok := parse(text); ok {
			return v, nil
		}
		return nil, fmt.Errorf("wanted %s", wanted)
	}}
}

// chosenWord is one of some words.
func chosenWord[T any](kind string, words []string, parse func(string) (T, bool), show func(T) string) notation {
	n := freeNotation(kind, "one of "+strings.Join(words, ", "), parse, show)
	n.all = words
	return n
}

// rangedNumber is a number or a time from the first to the second word of the tag range.
func rangedNumber[T cmp.Ordered](kind, what, hint string, tag reflect.StructTag,
	parse func(string) (T, error), show func(T) string) notation {
	bounds := strings.Fields(tag.Get("range"))
	if len(bounds) != 2 {
		panic(fmt.Sprintf("no range in the tag %s", tag))
	}
	low, err := parse(bounds[0])
	high, err2 := parse(bounds[1])
	if cmp.Or(err, err2) != nil || low > high {
		panic(fmt.Sprintf("a bad range in the tag %s", tag))
	}
	return freeNotation(kind, fmt.Sprintf("%s from %s to %s%s", what, show(low), show(high), hint),
		func(text string) (T, bool) {
			v, err := parse(text)
			return v, err == nil && v >= low && v <= high
		}, show)
}

// Brief is a duration without zeroes at its end: 1h, 5m, 1m30s.
func Brief(d time.Duration) string { return constant.Brief(d) }
