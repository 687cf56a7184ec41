package expand_test

import (
	"context"
	"strings"
	"testing"

	"ftsh/ast"
	"ftsh/interp/expand"
)

// TestUndefined has what is said of values that are not there.
func TestUndefined(t *testing.T) {
	for word, want := range map[string]string{
		"$x":   "variable x was never set; ${x:-text} gives a default",
		"${x}": "variable x was never set; ${x:-text} gives a default",
		"$(date)": "variable date was never set; $(date) is a variable here, to keep what a command writes use  " +
			"date -> name  or  ${ date }",
		"$try":           "variable try was never set; the shell's own values stand in braces: ${try.…}",
		"${try}":         "variable try was never set; ${try:-text} gives a default",
		"$3":             "parameter $3 was not given; ${3:-text} gives a default",
		"$RANDOM":        "as it is one of bash alone; write  shuf -n 1",
		"$SRANDOM":       "write  shuf -n 1",
		"$SECONDS":       "${try.elapsed}",
		"$EPOCHSECONDS":  "date +%s -> now",
		"$EPOCHREALTIME": "date +%s -> now",
		"$HOSTNAME":      "uname -n -> host",
		"$HOSTTYPE":      "uname -m -> machine",
		"$MACHTYPE":      "uname -m -> machine",
		"$OSTYPE":        "uname -s -> system",
		"$UID":           "id -u -> user",
		"${EUID}":        "id -u -> user",
		"$BASHPID":       "write $$",
		"$BASH_SOURCE":   "the script is $0",
		"$LINENO":        "${error.line}",
		"$FUNCNAME":      "${error.line}",
		"$BASH_LINENO":   "${error.line}",
		"$BASH_COMMAND":  "${error.command}",
		"$PIPESTATUS":    "${error.status}",
		"$REPLY":         "read name",
		"$OPTARG":        "drop it with shift",
		"$OPTIND":        "drop it with shift",
		"$RANDOMLY":      "variable RANDOMLY was never set; ${RANDOMLY:-text} gives a default",
		"${error.kind}":  "${error.kind} is not defined here; ${error.kind:-text} gives a default",
	} {
		value := parse(t, "v="+word+"\n").(*ast.Assign).Value
		_, err := expand.Eval(context.Background(), expand.With(nil), value)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, wanted %s", word, err, want)
		}
	}
}

// TestFailuresPassOn has an operand that cannot be had at each place of an expression: the failure is that of the
// operand.
func TestFailuresPassOn(t *testing.T) {
	for _, text := range []string{
		"$x", "($x)", "$x .add. 1", "1 .add. $x", "$x .mul. 1", "1 .sub. $x", "-1 .div. $x", "$x .eq. a", "a .eq. $x",
		"$x .ne. a",
		"$x .eql. 1", "1 .eql. $x", "$x .lt. 1", "1 .ge. $x", "$x .and. true", "true .and. $x", "$x .or. true",
		"false .or. $x",
		".not. $x", ".exists. $x", ".isfile. $x", "$x .matches. a", "a .matches. $x", "$x .to. 3", "1 .to. $x",
		"1 .to. 3 .step. $x", `"a$x"`, "${y:-$x}", "${#x}", "${x#a}", "${a#$x}", "${a%%$x}",
	} {
		value := parse(t, "v="+text+"\n").(*ast.Assign).Value
		v, err := expand.Eval(context.Background(), expand.With(nil, "a", "a"), value)
		if err == nil || !strings.Contains(err.Error(), "variable x was never set") {
			t.Errorf("%s: %v, %v", text, v, err)
		}
	}
}
