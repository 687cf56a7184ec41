package expand

import (
	"errors"
	"strconv"
	"unicode/utf8"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/interp/value"
)

// quoteLimit limits the bytes of a value that a message shows.
const quoteLimit = 60

// quoteForMessage shows a text in a message: in quotes, control characters escaped, the
// end of a long one cut off.
func quoteForMessage(text string) string {
	if len(text) <= quoteLimit {
		return strconv.Quote(text)
	}
	cut := quoteLimit
	for cut > quoteLimit-utf8.UTFMax && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strconv.Quote(text[:cut]) + "…"
}

// undefined says that a reference refers to nothing.
func undefined(ref *ast.Ref) error {
	what := "variable " + ref.Name + " was never set"
	switch {
	case ref.Kind == ast.Variable && ref.Braced == ast.Round:
		return diag.Errorf(ref.Pos, "%s; $(%s) is a variable here, to keep what a command writes use  %s -> name  or  "+
			"${ %s }",
			what, ref.Name, ref.Name, ref.Name)
	case ref.Kind == ast.Variable && ref.Braced == ast.NoBrace && ast.IsGroupOfValues(ref.Name):
		return diag.Errorf(ref.Pos, "%s; the shell's own values stand in braces: ${%s.…}", what, ref.Name)
	case ref.Kind == ast.Variable && insteadOf(ref.Name) != "":
		return diag.Errorf(ref.Pos, "%s, as it is one of bash alone; %s", what, insteadOf(ref.Name))
	case ref.Kind == ast.Positional:
		what = "parameter $" + ref.Name + " was not given"
	case ref.Kind == ast.Shell:
		what = "${" + ref.Name + "} is not defined here"
	}
	return diag.Errorf(ref.Pos, "%s; ${%s:-text} gives a default", what, ref.Name)
}

// several says that a list has more than the one value that is wanted where it stands.
func several(ref *ast.Ref, members int) error {
	join := `"$*" joins them with blanks`
	if ref.Kind != ast.Arguments {
		join = `set -- "${` + ref.Name + `}" makes them arguments, which "$*" joins with blanks`
	}
	return diag.Errorf(ref.Pos, "${%s} has %d items, and one value is wanted here: %s", ref.Name, members, join)
}

// insteadOf says what to write instead of a variable that bash sets; "" for others.
func insteadOf(name string) string {
	switch name {
	case "RANDOM", "SRANDOM":
		return "write  shuf -n 1 -i 0-32767 -> number  (waits between attempts are random already)"
	case "SECONDS":
		return "in a try there is ${try.elapsed}; else write  date +%s -> begin  and subtract"
	case "EPOCHSECONDS", "EPOCHREALTIME":
		return "write  date +%s -> now"
	case "HOSTNAME":
		return "write  uname -n -> host"
	case "HOSTTYPE", "MACHTYPE":
		return "write  uname -m -> machine"
	case "OSTYPE":
		return "write  uname -s -> system"
	case "UID", "EUID":
		return "write  id -u -> user"
	case "BASHPID":
		return "write $$"
	case "BASH_SOURCE":
		return "the script is $0"
	case "LINENO", "FUNCNAME", "BASH_LINENO", "BASH_COMMAND":
		return "the log names each line and function; a failed one is ${error.line}, its command ${error.command}"
	case "PIPESTATUS":
		return "a pipeline fails if any stage does; in catch, ${error.status} tells the status"
	case "REPLY":
		return "write  read name"
	case "OPTARG", "OPTIND":
		return "look at $1 and drop it with shift"
	}
	return ""
}

// unusableValue says that the value of a reference cannot be expanded.
func unusableValue(ref *ast.Ref, err error) error {
	if errors.Is(err, value.ErrNUL) {
		return diag.Errorf(ref.Pos, "the value of %s %v", ref.Name, err)
	}
	return refusal{diag.Errorf(ref.Pos, "the value of %s cannot be read: %v", ref.Name, err), err}
}

// refusal is an error of the machine, at a place in the script.
type refusal struct {
	what  *diag.Error
	cause error
}

func (r refusal) Error() string { return r.what.Error() }

// Unwrap gives both.
func (r refusal) Unwrap() []error { return []error{r.what, r.cause} }

// unwantedText says that a text is not what is wanted where it stands.
func unwantedText(at ast.Pos, text, wanted string) error {
	return diag.Errorf(at, "%s is not %s", quoteForMessage(text), wanted)
}

// unreadable says that the files that a pattern matches could not be found out.
func unreadable(at ast.Pos, pattern string, err error) error {
	return refusal{diag.Errorf(at, "looking for files that match %s: %v", quoteForMessage(pattern), err), err}
}
