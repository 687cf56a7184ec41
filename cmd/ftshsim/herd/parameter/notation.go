package parameter

import (
	"cmp"
	"errors"
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
	switch reflect.Zero(of).Interface().(type) {
	case int:
		return rangedNumber("n", "a whole number", "", tag, strconv.Atoi, strconv.Itoa)
	case uint64:
		return rangedNumber("n", "a whole number", "", tag,
			func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) },
			func(n uint64) string { return strconv.FormatUint(n, 10) })
	case float64:
		return rangedNumber("x", "a number", "", tag,
			func(text string) (float64, error) { return strconv.ParseFloat(text, 64) },
			func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) })
	case time.Duration:
		return rangedNumber("time", "a time", ", such as 90s or 5m", tag, time.ParseDuration, Brief)
	case bool:
		return notationBy("bool", "true or false", nil, strconv.ParseBool, strconv.FormatBool)
	case backoff.Policy:
		return chosenWord("policy", backoff.Policies(), backoff.ParsePolicy, backoff.Policy.String)
	case server.Mode:
		return chosenWord("word", server.Modes(), server.ParseMode, server.Mode.String)
	case spread.Time:
		const wanted = "a time such as 100ms, or a distribution: uniform 50ms 200ms, " +
			"exponential 1s, normal 1s 200ms, lognormal 100ms 2s"
		return notationBy("times", wanted, nil,
			func(text string) (spread.Time, error) { return spread.Parse(strings.Fields(text)) }, spread.Time.String)
	case string:
		same := func(text string) string { return text }
		if words := strings.Fields(tag.Get("choice")); len(words) > 0 {
			return chosenWord("word", words, func(text string) (string, bool) { return text, slices.Contains(words, text) },
				same)
		}
		return notationBy(tag.Get("value-name"), "", nil, func(text string) (string, error) { return text, nil }, same)
	}
	panic(fmt.Sprintf("a parameter of type %v", of))
}

// errOther is a value other than those that are allowed.
var errOther = errors.New("not allowed")

// notationBy is a notation whose errors tell what is wanted.
func notationBy[T any](kind, wanted string, all []string, parse func(string) (T, error), show func(T) string) notation {
	return notation{kind, all, func(text string) (any, error) {
		v, err := parse(text)
		if err != nil {
			err = fmt.Errorf("wanted %s", wanted)
		}
		return v, err
	}, func(v any) string { return show(v.(T)) }}
}

// chosenWord is one of some words.
func chosenWord[T any](kind string, words []string, parse func(string) (T, bool), show func(T) string) notation {
	return notationBy(kind, "one of "+strings.Join(words, ", "), words, func(text string) (T, error) {
		v, ok := parse(text)
		if !ok {
			return v, errOther
		}
		return v, nil
	}, show)
}

// rangedNumber is a number or a time from the first to the second word of the tag range.
func rangedNumber[T cmp.Ordered](kind, what, hint string, tag reflect.StructTag,
	parse func(string) (T, error), show func(T) string) notation {
	first, second, _ := strings.Cut(tag.Get("range"), " ")
	low, err := parse(first)
	high, err2 := parse(second)
	if cmp.Or(err, err2) != nil || low > high {
		panic(fmt.Sprintf("no range, or a bad one, in the tag %s", tag))
	}
	return notationBy(kind, fmt.Sprintf("%s from %s to %s%s", what, show(low), show(high), hint), nil,
		func(text string) (T, error) {
			v, err := parse(text)
			if err == nil && !(v >= low && v <= high) {
				err = errOther
			}
			return v, err
		}, show)
}

// Brief is a duration without zeroes at its end: 1h, 5m, 1m30s.
func Brief(d time.Duration) string { return constant.Brief(d) }
