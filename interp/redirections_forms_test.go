package interp_test

import (
	"slices"
	"strings"
)

// A form is one or more redirections, as they are written. The names say what is there before: the file `old` and the
// variable `set` hold the line old, `in` the lines a and b; `new`, `unset`, `absent` and the folder `missing` are not
// there.
type form struct {
	text     string
	document string   // the here-document
	holds    []string // its lines, expanded
}

// formTexts has a line for each form.
const formTexts = `
		< in
		0< in
		3< in
		< absent
		> new
		> old
		1> old
		2> new
		3> old
		> missing/new
		> folder
		> /dev/full
		>> new
		>> old
		2>> old
		3>> new
		>> missing/new
		>> /dev/full
		=> new
		=> old
		=> missing/new
		=> folder
		=> /dev/full
		>& new
		>& old
		>& /dev/full
		&> new
		&> old
		&> missing/new
		>>& new
		>>& old
		>>& folder
		&>> new
		&>> old
		&> 2
		>&2
		>& 2
		2>&1
		3>&1
		1>&3
		>& ./2
		> /dev/stdout
		> /dev/stderr
		>> /dev/stderr
		2> /dev/stdout
		3> /dev/fd/1
		> /dev/fd/2
		> /dev/fd/3
		> /dev/fd/9
		> /dev/fd/10
		&> /dev/stderr
		&>> /dev/stdout
		=> /dev/stdout
		=> /dev/fd/3
		< /dev/stdin
		3< /dev/stdin
		< /dev/fd/3
		0<&3
		3<&0
		<&3
		-> unset
		-> set
		1-> set
		2-> unset
		3-> set
		->> unset
		->> set
		2->> set
		3->> unset
		->& unset
		->& set
		->>& unset
		->>& set
		-< set
		-< unset
		0-< set
		3-< set
		> new 2>&1
		2>&1 > new
		3> new >&3
		3< in <&3
		3< in < /dev/fd/3
		> old > /dev/stdout
		> new 2> /dev/stdout
		> new 2> /dev/fd/1
		=> old 2> /dev/stdout
		-> set 2> /dev/stdout
		3> new > /dev/fd/3
		< in < /dev/stdin
		=> old 2>&1
		=> new => old
		> new > old
		-> set 2>&1
		-> unset 2-> set
		-> set -> unset
		< in > new
		< in => in
		< old => old
		-< set -> set
		> new < absent
		> old < absent
		=> old < absent
		-> set < absent
		-> set > missing/new
		=> old > missing/new
		>> old => missing/new
	`

// forms are all forms of redirection [5], to what is there, to what is not, and to what cannot be.
func forms() (list []form) {
	for line := range strings.Lines(formTexts) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, form{text: line})
		}
	}
	return append(list,
		form{"<< END", "$set\nb\nEND\n", []string{"old", "b"}}, // "expanded unless WORD is quoted" [5]
		form{"<< 'END'", "$set\nb\nEND\n", []string{"$set", "b"}},
		form{"<<- END", "\t$set\n\tb\n\tEND\n", []string{"old", "b"}}, // "strips leading tabs" [5]
		form{"<<- 'END'", "\t$set\n\tb\n\tEND\n", []string{"$set", "b"}},
		form{"3<< END", "a\nEND\n", []string{"a"}},
		form{"3<<- END", "\ta\nEND\n", []string{"a"}},
		form{"<< END > new", "a\nEND\n", []string{"a"}},
	)
}

// reads is the descriptor that bodies read from; -1: none.
func (f form) reads() int {
	for _, a := range slices.Backward(atomsOf(f.text)) {
		if a.input() {
			return a.number()
		}
	}
	return -1
}

// writes are the descriptors that programs write to: 1, and what else the form is about.
func (f form) writes() []int {
	list := []int{1}
	for _, a := range atomsOf(f.text) {
		switch {
		case a.input():
		case a.both() || a.stream() == 2 || a.target == "2":
			list = append(list, 2)
		case a.fd > 1:
			list = append(list, a.fd)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// targets are the names of files and variables that are written to.
func (f form) targets() (list []string) {
	for _, a := range atomsOf(f.text) {
		writes := !a.input() && !a.duplicates() && a.stream() < 0 && !unfit(a.target) && a.target != "/dev/full"
		if writes && !slices.Contains(list, a.target) {
			list = append(list, a.target)
		}
	}
	return list
}

// isVariable reports whether a target is one of the variables.
func isVariable(name string) bool { return name == "set" || name == "unset" }

// forbidden are forms that are none, with what the shell says: a syntax error names what to write instead [3, 5].
var forbidden = map[string]string{
	"3=> new":          "no descriptor may stand before =>", // the table of [5] says where `n` may stand
	"2->& set":         "no descriptor may stand before ->&",
	"2->>& set":        "no descriptor may stand before ->>&",
	"3>>& new":         "no descriptor may stand before >>&",
	"3>& new":          `expected one digit after 3>&, not "new"`, // "exactly one literal digit" [5]
	"<& in":            `expected one digit after <&, not "in"`,
	"<& 10":            `expected one digit after <&, not "10"`,
	">>& 2":            ">>& takes a file; to duplicate a descriptor write >&2, and ./2 for a file of that name",
	">&-":              ">&- is not known here; a descriptor cannot be closed, send it to /dev/null",
	"2>&-":             "2>&- is not known here; a descriptor cannot be closed, send it to /dev/null",
	"<&-":              "<&- is not known here; a descriptor cannot be closed, send it to /dev/null",
	"<> new":           "<> is not known here; write < or >",
	">| new":           ">| is not known here; write >",
	"<<< set":          "<<< is not known here; write  -< name  to read a variable, or a here-document",
	"-> $set":          "a name after -> is literal: write set, not $set", // "names … are literal" [5]
	"->> $set":         "a name after ->> is literal: write set, not $set",
	"->& $set":         "a name after ->& is literal: write set, not $set",
	"->>& $set":        "a name after ->>& is literal: write set, not $set",
	"-< $set":          "a name after -< is literal: write set, not $set",
	"-> a.b":           `expected the name of a variable after ->, not "a.b"`,
	">":                "expected a file after >, not the end of the line",
	"=>":               "expected a file after =>, not the end of the line",
	"->":               "expected the name of a variable after ->, not the end of the line",
	"<<":               "expected the word that ends the here-document after <<, not the end of the line",
	"<(true)":          "<(…) is not known here; put the output into a variable or a file first:  cmd -> name",
	">(true)":          ">(…) is not known here; put the output into a variable or a file first:  cmd -> name",
	"<< $set\na\n$set": "the word after << is taken as it is written; leave out the $, or quote it with '",
}
