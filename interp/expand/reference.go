package expand

import (
	"strings"

	"ftsh/ast"
)

// refer finds what a reference refers to, as it is. Its default stands in for
// what is undefined or expands to nothing.
func refer(env Env, ref *ast.Ref) (Value, error) {
	v, ok := lookup(env, ref)
	if ref.Default != nil {
		return orDefault(env, ref, v)
	}
	if !ok && !env.Lenient() {
		return Value{}, undefined(ref)
	}
	return v, nil
}

// lookup asks the Env. What it does not have is empty.
func lookup(env Env, ref *ast.Ref) (v Value, ok bool) {
	switch ref.Kind {
	case ast.Variable:
		return env.Variable(&ref.Var)
	case ast.Positional:
		text, ok := env.Parameter(ref.Index)
		return String(text), ok
	case ast.Count:
		return Int(int64(len(env.Parameters()))), true
	case ast.Arguments, ast.Joined:
		return String(strings.Join(env.Parameters(), " ")), true
	case ast.ProcessID:
		return Int(int64(env.PID())), true
	}
	text, ok := env.Shell(ref.Dotted)
	return String(text), ok
}

// orDefault is v, or the reference's default if v expands to nothing.
func orDefault(env Env, ref *ast.Ref, v Value) (Value, error) {
	text, err := textOf(ref, v)
	if err == nil && text == "" {
		text, err = Word(env, ref.Default)
		return String(text), err
	}
	return v, nil // what cannot be expanded can still be copied
}

// refText is what a reference expands to, as one string.
func refText(env Env, ref *ast.Ref) (string, error) {
	v, err := refer(env, ref)
	if err != nil {
		return "", err
	}
	return textOf(ref, v)
}

// textOf is what the value v of a reference expands to. Parameters keep the
// newlines at their end: they are words that somebody gave, such as file names.
func textOf(ref *ast.Ref, v Value) (string, error) {
	switch ref.Kind {
	case ast.Positional, ast.Arguments, ast.Joined:
		if strings.IndexByte(v.text, 0) >= 0 {
			return "", unusable(ref, errNUL)
		}
		return v.text, nil
	}
	text, err := v.Text()
	if err != nil {
		return "", unusable(ref, err)
	}
	return text, nil
}
