package printer_test

import (
	"fmt"
	"reflect"
	"strings"

	"ftsh/ast"
)

// difference says where two trees first differ, "" if they do not. Positions do
// not count, nor do the numbers of variables: they follow the order of mention,
// and the clauses of a try change places. A backslash and a newline before the
// first word of a command do not count either.
func difference(a, b *ast.File) string {
	return compare(reflect.ValueOf(&a.Body), reflect.ValueOf(&b.Body), "body")
}

func compare(a, b reflect.Value, path string) string {
	if !a.IsValid() || !b.IsValid() {
		return unless(a.IsValid() == b.IsValid(), path, a, b)
	}
	if a.Type() != b.Type() {
		return unless(false, path, a.Type(), b.Type())
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return unless(a.IsNil() == b.IsNil(), path, a, b)
		}
		return compare(a.Elem(), b.Elem(), path)
	case reflect.Struct:
		return compareFields(a, b, path)
	case reflect.Slice:
		if a.Len() != b.Len() {
			return unless(false, path+" length", a.Len(), b.Len())
		}
		for i := range a.Len() {
			if d := compare(a.Index(i), b.Index(i), fmt.Sprint(path, "[", i, "]")); d != "" {
				return d
			}
		}
		return ""
	}
	return unless(a.Equal(b), path, a, b)
}

func compareFields(a, b reflect.Value, path string) string {
	for i := range a.NumField() {
		field := a.Type().Field(i)
		switch {
		case field.Type == reflect.TypeFor[ast.Pos](), field.Type == reflect.TypeFor[*ast.File]():
			continue
		case field.Name == "Number" && a.Type() == reflect.TypeFor[ast.Var]():
			continue
		case field.Name == "Broken" && strings.HasSuffix(path, ".Words[0]"):
			continue
		}
		if d := compare(a.Field(i), b.Field(i), path+"."+field.Name); d != "" {
			return d
		}
	}
	return ""
}

func unless(same bool, path string, a, b any) string {
	if same {
		return ""
	}
	return fmt.Sprintf("%s: %#v, and %#v", path, fmt.Sprint(a), fmt.Sprint(b))
}
