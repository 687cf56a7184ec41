package expand_test

import (
	"slices"
	"testing"
	"time"

	"ftsh/ast"
	"ftsh/interp/expand"
	"ftsh/parser"
)

// parse reads a script of one statement.
func parse(t *testing.T, text string) ast.Node {
	t.Helper()
	file, err := parser.Parse(&ast.Source{Name: "test", Text: text}, parser.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return file.Body.List[0].Node
}

// surroundings are those of the scripts below.
func surroundings() expand.Env {
	return expand.With([]string{"one", "two words"}, "x", "1 2", "empty", "", "text", "a b\nc\n\nd*\n", "HOME", "/home/me")
}

func TestWordsAsWritten(t *testing.T) {
	cases := map[string][]string{
		`echo a"b c"d'e f' --opt="$x" pre$x.post`: {"echo", "ab cde f", "--opt=1 2", "pre1", "2.post"},
		`echo $# $1 "$2" ${2} $(1)`:               {"echo", "2", "one", "two words", "two", "words", "one"},
		`echo "<$@>" $@ "$*" ""`:                  {"echo", "<one", "two words>", "one", "two", "words", "one two words", ""},
		`echo '$x' "\$x" \$x $empty "$empty"`:     {"echo", "$x", "$x", "$x", ""},
		`printf "%s\n" 'a\\b' '\"' 'it\'s'`:       {"printf", `%s\n`, `a\\b`, `\"`, "it's"},
		`echo ${nope:-a b} "${nope:-a $x}" $1x`:   {"echo", "a", "b", "a 1 2", "onex"},
		`echo ~/x a~ "~"`:                         {"echo", "/home/me/x", "a~", "~"},
		`echo [ x[ *.nope http://h/? \*`:          {"echo", "[", "x[", "*.nope", "http://h/?", "*"},
		`test a = b, if=x`:                        {"test", "a", "=", "b,", "if=x"},
	}
	for text, want := range cases {
		got, err := expand.Words(surroundings(), nil, parse(t, text).(*ast.Command).Words)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s\n got %q, %v\nwant %q", text, got, err, want)
		}
	}
}

func TestListsAsWritten(t *testing.T) {
	cases := map[string][]string{
		`X, Y, Z`:                      {"X", "Y", "Z"},
		`a,b c`:                        {"a,b", "c"},
		`$x, "$x", 'q', last`:          {"1", "2", "1 2", "q", "last"},
		`x 1 .to. 2 "a b"`:             {"x", "1", "2", "a b"},
		`0 .to. 20 .step. 7, 3 .to. 1`: {"0", "7", "14", "1", "2", "3"},
		`.lines. $text`:                {"a b", "c", "", "d*"},
		`"$@" $*`:                      {"one", "two words", "one", "two", "words"},
		`*.nope x`:                     {"x"},
		`(1 .add. 2) .mul. 3`:          {"9"},
		`quoted\, "comma,"`:            {"quoted,", "comma,"},
	}
	for text, want := range cases {
		loop := parse(t, "for i in "+text+"\nend").(*ast.For)
		list, err := expand.List(t.Context(), surroundings(), loop.List)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []string
		for i := range list.Len() {
			item, _ := list.At(i).Exact()
			got = append(got, item)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", text, got, want)
		}
	}
}

func TestExpressionsAsWritten(t *testing.T) {
	cases := map[string]string{
		`7 .add. 2 .mul. 3`:                         "13",
		`(7 .add. 2) .mul. 3`:                       "27",
		`-7 .div. 2`:                                "-3",
		`-7 .mod. 3`:                                "-1",
		`2 .pow. 3 .pow. 2`:                         "64",
		`10 .sub. 3 .sub. 2`:                        "5",
		`(1 .gt. 2) .or. (2 .gt. 1)`:                "true",
		`.not. true .or. true`:                      "true",
		`3 .gt. 2 .and. 1 .lt. 2`:                   "true",
		`5 .eql. 05 .and. 5 .ne. 05`:                "true",
		`$empty .eq. PENDING`:                       "false",
		`.exists. / .and. .not. .exists. /nope`:     "true",
		`.defined. x .and. .not. .defined. nope`:    "true",
		`"a1" .matches. "^[a-z]\\d$"`:               "true",
		`$text`:                                     "a b\nc\n\nd*\n",
		`"$text"`:                                   "a b\nc\n\nd*",
		`1 .to. 4`:                                  "1 2 3 4",
		`4 .to. 1 .step. 2`:                         "1 3",
		`*`:                                         "*",
		`9223372036854775806 .add. 1`:               "9223372036854775807",
		`-9223372036854775808 .add. 0`:              "-9223372036854775808",
		`false .and. $nope .eq. x .or. true`:        "true",
		`((((((((((1)))))))))) .add. ((((((1))))))`: "2",
	}
	for text, want := range cases {
		v, err := expand.Eval(t.Context(), surroundings(), parse(t, "r="+text).(*ast.Assign).Value)
		got, _ := v.Exact()
		if err != nil || got != want {
			t.Errorf("%s\n got %q, %v\nwant %q", text, got, err, want)
		}
	}
}

func TestLimitsAsWritten(t *testing.T) {
	cases := map[string]time.Duration{
		"90s":                      90 * time.Second,
		"for 1h30m":                90 * time.Minute,
		"for 1 hour 30 minutes":    90 * time.Minute,
		"1.5 seconds":              1500 * time.Millisecond,
		"2 times or 2d":            48 * time.Hour,
		"for 1 .add. 1 minutes":    2 * time.Minute,
		"for 250 ms 10 times":      250 * time.Millisecond,
		"for ${limit:-3 hours}":    3 * time.Hour,
		"for ${amount:-0.5} hours": 30 * time.Minute,
	}
	for text, want := range cases {
		try := parse(t, "try "+text+"\nend").(*ast.Try)
		if got, err := expand.Duration(t.Context(), surroundings(), try.For); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
}
