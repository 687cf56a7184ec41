package check_test

import (
	"strings"
	"testing"

	"ftsh/ast/check"
)

// Parts of the scripts of largeUnits.
const (
	loop     = "for h in a b\n    make $h\nend"
	two      = "if $# .eq. 1\n    make a\n    make b\nend"
	onceMore = "write > FILE, with which it goes on in the middle, and cat FILE "
	one      = "if $# .eq. 1\n    make a\nelse\n    make b\n    echo done\nend"
)

// largeUnits are scripts, and what is to be written instead, of which the beginning is given; "": nothing is found.
var largeUnits = map[string]struct {
	text    string
	instead string
}{
	"captured":         {loop + " -> v\necho $v", onceMore + "-> v"},
	"captured, added":  {"v=\n" + loop + " ->> v\necho $v", onceMore + "->> v"},
	"both streams":     {loop + " ->& v\necho $v", "write >& FILE"},
	"atomic":           {loop + " => file", "write > FILE.new"},
	"several commands": {two + " => file", "write > FILE.new"},
	"a variable as input": {"v=x\nwhile try read l\n    make \"$l\"\nend -< v",
		"write the text to a file before"},
	"here-document": {"while try read l\n    make \"$l\"\nend << EOT\na\nEOT",
		"write the text to a file before"},
	"descriptor":    {loop + " 2>&1", "redirect the commands within"},
	"device":        {loop + " > /dev/null", "redirect the commands within"},
	"pipeline":      {"function f\n    " + loop + "\nend\nf | sort", "write > FILE after it, or < FILE"},
	"call":          {"function f\n    " + loop + "\nend\nf => file", "write > FILE.new"},
	"in a function": {"function f\n    " + loop + " => file\nend\nf", "write > FILE.new"},
	"in a function's value": {"function f\n    " + loop + " => file\n    return 1\nend\nx=f()\necho $x",
		"write > FILE.new"},
	"call within a unit": {"function f\n    make a\n    make b\nend\nif $# .eq. 1\n    f\nend => file",
		"write > FILE.new"},
	"command in a word":            {"function f\n    " + loop + "\nend\nx=${ f }\necho $x", "write > FILE after its"},
	"commands in a word of a unit": {"for h in a b\n    echo ${ make $h }\nend => file", "write > FILE.new"},
	"one command in a word":        {"function f\n    make\nend\nx=\"${ f } ${ make }\"\necho $x", ""},
	"loop in an attempt":           {"try 3 times\n" + loop + "\nend => file", "write > FILE.new"},
	"catch":                        {"try\n    make\ncatch\n    make a\n    make b\nend => file", "write > FILE.new"},
	"two, not in an attempt":       {"try 3 times\n    make a\n    make b\nend => file", ""},
	"one of two":                   {one + " => file", ""},
	"files":                        {loop + " > file 2>> other", ""},
	"one command":                  {"if $# .eq. 1\n    make\nend -> v\necho $v", ""},
	"loop without a program":       {"for h in a b\n    echo $h\nend -> v\necho $v", ""},
	"pipeline of programs":         {"make a | sort | make b", ""},
	"pipeline of one command":      {"function f\n    make $1\nend\nf a | sort", ""},
	"hedged":                       {"forany h in a b .hedge. 1 s\n    make $h\n    make b\nend", ""},
	"on start":                     {"on start\n    " + loop + " => file\nend", ""},
	"verify":                       {"try 3 times\n    make\nverify\n    " + loop + " => file\nend", ""},
	"silenced":                     {loop + " => file # check: ignore F223 because it takes a second", ""},
}

// TestLargeUnits holds what is found only where a script is to have a journal: what would run again as a whole though
// it is more than one command, and nothing else.
func TestLargeUnits(t *testing.T) {
	for name, c := range largeUnits {

		t.Run(name, func(t *testing.T) {
			c := c
			config := config()
			if found := check.Script(parse(t, c.text, nil), config); len(found) > 0 && found[0].Rule.Code == "F223" {
				t.Errorf("without a journal: %s", texts(found))
			}
			config.Journal = true
			var found []check.Finding
			for _, f := range check.Script(parse(t, c.text, nil), config) {
				if f.Rule.Journal || f.Rule.Code == "F201" {
					found = append(found, f)
				}
			}
			if c.instead == "" && len(found) > 0 || c.instead != "" && (len(found) != 1 ||
				!strings.HasPrefix(found[0].Instead, c.instead)) {
				t.Errorf("%s\nwanted %q, found %s", c.text, c.instead, texts(found))
			}
		})
	}
}

// TestSilencedUnits holds that a comment which silences what is found with a journal is no finding without one, and
// is one where it silences nothing with a journal.
func TestSilencedUnits(t *testing.T) {
	const text = "make # check: ignore F223 because it is short"
	for journal, want := range map[bool]int{false: 0, true: 1} {
		config := config()
		config.Journal = journal
		if found := check.Script(parse(t, text, nil), config); len(found) != want {
			t.Errorf("journal %v: %s", journal, texts(found))
		}
	}
}
