package expand

import (
	"strings"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/interp/value"
)

// valueOf finds what a reference refers to, as it is. Its default stands in for
// what is undefined or expands to nothing.
func valueOf(env Env, ref *ast.Ref) (value.Value, error) {
	v, ok, err := lookupName(env, ref)
	if err != nil {
		return value.Value{}, err
	}
	if ref.Default != nil {
		return orDefault(env, ref, v)
	}
	if !ok && !env.Lenient() {
		return value.Value{}, undefined(ref)
	}
	if ref.Portion != ast.Whole {
		return portionOf(env, ref, v)
	}
	return v, nil
}

// lookupName asks the Env. What it does not have is empty.
func lookupName(env Env, ref *ast.Ref) (v value.Value, ok bool, err error) {
	switch ref.Kind {
	case ast.Variable:
		v, ok = env.Variable(&ref.Var)
		return v, ok, nil
	case ast.Positional:
		v, ok = env.Parameter(ref.Index)
		return v, ok, nil
	case ast.Count:
		words, _ := env.Parameters()
		return value.Int(int64(len(words))), true, nil
	case ast.Joined:
		words, err := parameters(env, ref)
		return value.String(strings.Join(words, " ")), true, err
	case ast.ProcessID:
		return value.Int(int64(env.PID())), true, nil
	}
	if ref.IsList() {
		text, err := oneMember(env, ref)
		return value.String(text), true, err
	}
	if ref.Dotted == ast.ScriptDir {
		dir, err := env.ScriptDir(ref.Pos.Source)
		if err != nil {
			return v, false, diag.Errorf(ref.Pos, "the folder of the script cannot be found: %v", err)
		}
		return value.String(dir), true, nil
	}
	text, ok := env.Shell(ref.Dotted)
	return value.String(text), ok, nil
}

// parameters is $1, $2 … as words.
func parameters(env Env, ref *ast.Ref) ([]string, error) {
	words, err := env.Parameters()
	if err != nil {
		return nil, unusableValue(ref, err)
	}
	return words, nil
}

// mostMembers limits the words of a list. A loop over a longer range costs no memory, its words would.
const mostMembers = 8 << 20

// membersOf expands the members of a list. The slice is only read.
func membersOf(env Env, ref *ast.Ref) ([]string, error) {
	if ref.Kind == ast.Arguments {
		return parameters(env, ref)
	}
	list := env.List(ref.Dotted)
	if list.Len() > mostMembers {
		return nil, diag.Errorf(ref.Pos, "${%s} has %d members, too many for words (at most %d)", ref.Name, list.Len(),
			mostMembers)
	}
	members := make([]string, 0, list.Len())
	for i := range list.Len() {
		text, err := textOf(ref, list.At(i))
		if err != nil {
			return nil, err
		}
		members = append(members, text)
	}
	return members, nil
}

// oneMember returns the only member of a list that stands where one value is wanted, nothing if it has none. In a
// here-document it is text, and its members are joined.
func oneMember(env Env, ref *ast.Ref) (string, error) {
	members, err := membersOf(env, ref)
	if len(members) > 1 && ref.Quote != ast.Document {
		return "", several(ref, len(members))
	}
	return strings.Join(members, " "), err
}

// orDefault is v, or the reference's default if v expands to nothing.
func orDefault(env Env, ref *ast.Ref, v value.Value) (value.Value, error) {
	text, err := textOf(ref, v)
	if err == nil && text == "" {
		text, err = insteadOfNothing(env, ref)
		return value.String(text), err
	}
	return v, nil // what cannot be expanded can still be copied
}

// insteadOfNothing is the text after :- , or the failure with that after :? .
func insteadOfNothing(env Env, ref *ast.Ref) (string, error) {
	text, err := Word(env, ref.Default)
	switch {
	case err != nil || !ref.Must:
		return text, err
	case text == "":
		return "", diag.Errorf(ref.Pos, "%s is empty, or was never set", ref.Name)
	}
	return "", diag.Errorf(ref.Pos, "%s", text)
}

// refText expands a reference to one string.
func refText(env Env, ref *ast.Ref) (string, error) {
	v, err := valueOf(env, ref)
	if err != nil {
		return "", err
	}
	return textOf(ref, v)
}

// textToSplit expands an unquoted reference, which is about to be split, to one string.
func textToSplit(env Env, ref *ast.Ref) (string, error) {
	if !ref.IsList() {
		return refText(env, ref)
	}
	members, err := membersOf(env, ref)
	if err != nil {
		return "", err
	}
	text := strings.Join(members, " ")
	if text == "" && ref.Default != nil {
		return insteadOfNothing(env, ref)
	}
	return textOf(ref, value.String(text))
}

// textOf expands the value v of a reference.
func textOf(ref *ast.Ref, v value.Value) (string, error) {
	text, err := v.Text()
	if err != nil {
		return "", unusableValue(ref, err)
	}
	return text, nil
}
