package repl

import "testing"

// TestReadWord looks at beginnings of words: what they would mean, and what is open.
func TestReadWord(t *testing.T) {
	lookup := func(name string) (string, bool) { return "v/" + name, name == "x" }
	for raw, want := range map[string]struct {
		value, folder, reference string
		quote                    byte
		refers, failed           bool
	}{
		`a/b`:           {value: "a/b", folder: "a/"},
		`a\ b`:          {value: "a b"},
		`"a/b c`:        {value: "a/b c", folder: "a/", quote: '"'},
		`'a\'b`:         {value: "a'b", quote: '\''},
		`'a'"b`:         {value: "ab", quote: '"'},
		`"a\nb`:         {value: `a\nb`, quote: '"'},
		`$x/b`:          {value: "v/x/b", folder: "v/x/"},
		`"${x}/b`:       {value: "v/x/b", folder: "v/x/", quote: '"'},
		`$y/b`:          {value: "/b", folder: "/", failed: true},
		`a/$`:           {value: "a/", folder: "a/", refers: true, failed: true},
		`"a$`:           {value: "a", quote: '"', refers: true, failed: true},
		`'a$`:           {value: "a$", quote: '\''},
		`a\$`:           {value: "a$"},
		`$na`:           {reference: "na", refers: true, failed: true},
		`${try.at`:      {reference: "try.at", refers: true, failed: true},
		`"$(na`:         {reference: "na", quote: '"', refers: true, failed: true},
		`${x:-"a`:       {failed: true},
		`é/ö`:           {value: "é/ö", folder: "é/"},
		`a` + "`" + `b`: {value: "a`b"},
	} {
		w := readWord(raw, lookup)
		name, refers := w.reference()
		if name != want.reference || refers != want.refers || w.quote != want.quote || w.failed != want.failed {
			t.Errorf("%s: reference %q %v, quote %q, failed %v", raw, name, refers, w.quote, w.failed)
		}
		if !refers && !w.failed && (w.value != want.value || w.folder != want.folder) {
			t.Errorf("%s: %q in %q, want %q in %q", raw, w.value, w.folder, want.value, want.folder)
		}
	}
}
