package parameter

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
)

// Parameter is something that can be changed.
type Parameter struct {
	Name, Usage string
	Short       string // a letter, or nothing
	Value       Value
}

// Value reads and sets a parameter. An error of Set tells the allowed range.
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

// fieldValue is a field as a Value, with its default.
func fieldValue(at reflect.Value, field reflect.StructField) Value {
	v, own := at.Addr().Interface().(Value)
	if !own {
		v = readableValue(at, field.Tag)
	}
	if standard, has := field.Tag.Lookup("default"); has && at.IsZero() {
		if err := v.Set(standard); err != nil {
			panic(fmt.Sprintf("the default %q of %s: %v", standard, field.Name, err))
		}
	}
	return v
}

// readableValue is a field of one of the types that this package can read, or a list.
func readableValue(at reflect.Value, tag reflect.StructTag) Value {
	if at.Kind() != reflect.Slice {
		return single{at, notationOf(at.Type(), tag)}
	}
	l := list{at, notationOf(at.Type().Elem(), tag)}
	if words := l.all; at.IsZero() && tag.Get("default") == "" && len(words) > 0 {
		_ = l.Set(strings.Join(words, ","))
	}
	return l
}

// single is one value.
type single struct {
	at reflect.Value
	notation
}

// String implements [Value].
func (s single) String() string { return s.show(s.at.Interface()) }

// Type implements [Value].
func (s single) Type() string { return s.kind }

// Set implements [Value].
func (s single) Set(text string) error {
	v, err := s.parse(text)
	if err == nil {
		s.at.Set(reflect.ValueOf(v))
	}
	return err
}

// list is some values, with commas between.
type list struct {
	at reflect.Value
	notation
}

// String implements [Value].
func (l list) String() string {
	var words []string
	for i := range l.at.Len() {
		words = append(words, l.show(l.at.Index(i).Interface()))
	}
	return strings.Join(words, ",")
}

// Type implements [Value].
func (l list) Type() string { return l.kind + ",…" }

// Set implements [Value].
func (l list) Set(text string) error {
	all := reflect.MakeSlice(l.at.Type(), 0, 0)
	for word := range strings.SplitSeq(text, ",") {
		v, err := l.parse(strings.TrimSpace(word))
		if err != nil {
			return fmt.Errorf("%w, not %q", err, word)
		}
		all = reflect.Append(all, reflect.ValueOf(v))
	}
	l.at.Set(all)
	return nil
}
