// Package parameter makes what can be changed about an experiment, or said on the
// command line, out of the fields of a struct. Each stands once, with its default
// and what is allowed:
//
//	type config struct {
//		Clients []int         `default:"10,20" range:"1 1000" help:"how many there are"`
//		Limit   time.Duration `default:"5m" range:"1s 24h" help:"length of a run"`
//		Mode    string        `choice:"quick slow" default:"quick" help:"of an outage"`
//	}
//
// A parameter is a field with the tag help, and a field _ goes on with the help of the
// one before it. The name is that of the field in small letters, or the tag long. [Of] also
// looks into embedded structs. A field that is not zero already keeps its value as the default.
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

// Parameter is something that can be changed.
type Parameter struct {
	Name, Usage string
	Short       string // a letter, or nothing
	Value
}

// Value reads and sets a parameter. An error of Set says what is allowed.
type Value interface {
	String() string
	Set(text string) error
	Type() string // a word for the usage
}

// Of returns the parameters that a struct has, and gives those that are zero their
// defaults. It panics where a tag is wrong.
func Of(config any) []Parameter { return parametersOf(reflect.ValueOf(config).Elem()) }

func parametersOf(config reflect.Value) (list []Parameter) {
	for i := range config.NumField() {
		field := config.Type().Field(i)
		tag := field.Tag
		switch help, has := tag.Lookup("help"); {
		case field.Name == "_":
			list[len(list)-1].Usage += " " + help
		case has:
			name := cmp.Or(tag.Get("long"), strings.ToLower(field.Name))
			list = append(list, Parameter{name, help, tag.Get("short"), fieldValue(config.Field(i), field)})
		case field.Anonymous && field.Type.Kind() == reflect.Struct:
			list = append(list, parametersOf(config.Field(i))...)
		}
	}
	return list
}

// fieldValue is a field as a Value, with its default: of a list of words, all of them.
func fieldValue(at reflect.Value, field reflect.StructField) Value {
	standard, has := field.Tag.Lookup("default")
	v, own := at.Addr().Interface().(Value)
	if !own {
		one := value{at: at, many: at.Kind() == reflect.Slice}
		of := at.Type()
		if one.many {
			of = of.Elem()
		}
		one.notation = notationOf(of, field.Tag)
		if one.many && !has && len(one.words) > 0 {
			standard, has = strings.Join(one.words, ","), true
		}
		v = one
	}
	if has && at.IsZero() {
		if err := v.Set(standard); err != nil {
			panic(fmt.Sprintf("the default %q of %s: %v", standard, field.Name, err))
		}
	}
	return v
}

// value is one value of a notation, or many with commas between.
type value struct {
	at   reflect.Value
	many bool
	notation
}

// String implements [Value].
func (v value) String() string {
	if !v.many {
		return show(v.at.Interface())
	}
	var words []string
	for i := range v.at.Len() {
		words = append(words, show(v.at.Index(i).Interface()))
	}
	return strings.Join(words, ",")
}

// Type implements [Value].
func (v value) Type() string {
	if v.many {
		return v.kind + ",…"
	}
	return v.kind
}

// Set implements [Value].
func (v value) Set(text string) error {
	if !v.many {
		one, err := v.read(text)
		if err == nil {
			v.at.Set(reflect.ValueOf(one))
		}
		return err
	}
	all := reflect.MakeSlice(v.at.Type(), 0, 0)
	for word := range strings.SplitSeq(text, ",") {
		one, err := v.read(strings.TrimSpace(word))
		if err != nil {
			return fmt.Errorf("%w, not %q", err, word)
		}
		all = reflect.Append(all, reflect.ValueOf(one))
	}
	v.at.Set(all)
	return nil
}

// notation says how values of a type are read.
type notation struct {
	kind   string // a word for the usage
	wanted string
	words  []string // that are allowed; nil: others than words are
	parse  func(text string) (any, error)
}

func (n *notation) read(text string) (any, error) {
	v, err := n.parse(text)
	if err != nil {
		return nil, fmt.Errorf("wanted %s", n.wanted)
	}
	return v, nil
}

func show(v any) string {
	if d, is := v.(time.Duration); is {
		return Brief(d)
	}
	return fmt.Sprint(v)
}

// Brief is a duration without zeroes at its end: 1h, 5m, 1m30s.
func Brief(d time.Duration) string { return constant.Brief(d) }

// notationOf is the notation of a type, within what a tag allows.
func notationOf(of reflect.Type, tag reflect.StructTag) notation {
	switch reflect.Zero(of).Interface().(type) {
	case int:
		return ranged("n", "a whole number", "", tag, func(text string) (any, error) { return strconv.Atoi(text) })
	case uint64:
		return ranged("n", "a whole number", "", tag,
			func(text string) (any, error) { return strconv.ParseUint(text, 10, 64) })
	case float64:
		return ranged("x", "a number", "", tag, func(text string) (any, error) { return strconv.ParseFloat(text, 64) })
	case time.Duration:
		return ranged("time", "a time", ", such as 90s or 5m", tag,
			func(text string) (any, error) { return time.ParseDuration(text) })
	case bool:
		return notation{kind: "bool", wanted: "true or false",
			parse: func(text string) (any, error) { return strconv.ParseBool(text) }}
	case backoff.Policy:
		return chosen("policy", backoff.Policies(), backoff.ParsePolicy)
	case server.Mode:
		return chosen("word", server.Modes(), server.ParseMode)
	case spread.Time:
		return notation{kind: "times", wanted: "a time such as 100ms, or a distribution: uniform 50ms 200ms, " +
			"exponential 1s, normal 1s 200ms, lognormal 100ms 2s",
			parse: func(text string) (any, error) { return spread.Parse(strings.Fields(text)) }}
	case string:
		if words := strings.Fields(tag.Get("choice")); len(words) > 0 {
			return chosen("word", words, func(text string) (string, bool) { return text, slices.Contains(words, text) })
		}
		return notation{kind: tag.Get("value-name"), parse: func(text string) (any, error) { return text, nil }}
	}
	panic(fmt.Sprintf("a parameter of type %v", of))
}

// errOther is a value other than those that are allowed.
var errOther = errors.New("not allowed")

// chosen is one of some words.
func chosen[T any](kind string, words []string, parse func(string) (T, bool)) notation {
	return notation{kind, "one of " + strings.Join(words, ", "), words, func(text string) (any, error) {
		v, ok := parse(text)
		if !ok {
			return nil, errOther
		}
		return v, nil
	}}
}

// ranged is a number or a time from the first to the second word of the tag range.
func ranged(kind, what, hint string, tag reflect.StructTag, parse func(string) (any, error)) notation {
	first, second, _ := strings.Cut(tag.Get("range"), " ")
	low, err := parse(first)
	high, err2 := parse(second)
	number := func(v any) float64 { return reflect.ValueOf(v).Convert(reflect.TypeFor[float64]()).Float() }
	if cmp.Or(err, err2) != nil || number(low) > number(high) {
		panic(fmt.Sprintf("no range, or a bad one, in the tag %s", tag))
	}
	return notation{kind: kind, wanted: fmt.Sprintf("%s from %s to %s%s", what, show(low), show(high), hint),
		parse: func(text string) (any, error) {
			v, err := parse(text)
			if err == nil && !(number(v) >= number(low) && number(v) <= number(high)) {
				err = errOther
			}
			return v, err
		}}
}
