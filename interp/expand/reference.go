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
	if ref.Portion != ast.Whole {
		return portion(env, ref, v)
	}
	return v, nil
}

// lookup asks the Env. What it does not have is empty.
func lookup(env Env, ref *ast.Ref) (v Value, ok bool) {
	switch ref.Kind {
	case ast.Variable:
		return env.Variable(&ref.Var)
	case ast.Positional:
		return env.Parameter(ref.Index)
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

// textOf is what the value v of a reference expands to.
func textOf(ref *ast.Ref, v Value) (string, error) {
	text, err := v.Text()
	if err != nil {
		return "", unusable(ref, err)
	}
	return text, nil
}
