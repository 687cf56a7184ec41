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
	of, many := at.Type(), at.Kind() == reflect.Slice
	if many {
		of = of.Elem()
	}
	v := value{at, many, notationOf(of, tag)}
	if words := v.all; many && at.IsZero() && tag.Get("default") == "" && len(words) > 0 {
		_ = v.Set(strings.Join(words, ","))
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
		return v.show(v.at.Interface())
	}
	var words []string
	for i := range v.at.Len() {
		words = append(words, v.show(v.at.Index(i).Interface()))
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
		one, err := v.parse(text)
		if err == nil {
			v.at.Set(reflect.ValueOf(one))
		}
		return err
	}
	all := reflect.MakeSlice(v.at.Type(), 0, 0)
	for word := range strings.SplitSeq(text, ",") {
		one, err := v.parse(strings.TrimSpace(word))
		if err != nil {
			return fmt.Errorf("%w, not %q", err, word)
		}
		all = reflect.Append(all, reflect.ValueOf(one))
	}
	v.at.Set(all)
	return nil
}
