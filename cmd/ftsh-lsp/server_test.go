package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDiagnostics(t *testing.T) {
	e := newEditor(t)
	uri, _ := e.open("a.ftsh", "# 𝄞\necho 𝄞 $nothing\n")
	if got := e.diagnostics(uri); !strings.HasPrefix(got, "1:8-1:16 1 F101 nothing sets nothing") {
		t.Errorf("got %s", got)
	}
	e.tell("textDocument/didChange",
		map[string]any{"textDocument": map[string]any{"uri": uri, "version": 2}, "contentChanges": []any{
			map[string]any{"range": textRange{position{1, 9}, position{1, 16}}, "text": "HOME"},
			map[string]any{"range": textRange{position{2, 0}, position{2, 0}}, "text": "try\n"},
		}})
	if got := e.diagnostics(uri); !strings.HasPrefix(got, "2:0-2:3 1  try is not closed by an end") {
		t.Errorf("got %s", got)
	}
	e.tell("textDocument/didClose", map[string]any{"textDocument": documentID{uri}})
	if got := e.diagnostics(uri); got != "" {
		t.Errorf("got %s", got)
	}
}

// TestSourcedDiagnostics holds that a document is looked at again when another that it sources changes.
func TestSourcedDiagnostics(t *testing.T) {
	e := newEditor(t)
	lib, _ := e.open("lib.ftsh", "x=1\n")
	main, _ := e.open("main.ftsh", "source lib.ftsh\necho $x\n")
	if got := e.diagnostics(main); got != "" {
		t.Errorf("got %s", got)
	}
	e.tell("textDocument/didChange",
		map[string]any{"textDocument": documentID{lib}, "contentChanges": []any{map[string]any{"text": "y=1\n"}}})
	if got := e.diagnostics(main); !strings.Contains(got, "nothing sets x") {
		t.Errorf("got %s", got)
	}
	e.tell("textDocument/didChange",
		map[string]any{"textDocument": documentID{lib}, "contentChanges": []any{map[string]any{"text": "try\n"}}})
	if got := e.diagnostics(main); !strings.HasPrefix(got, "0:0-0:6 1  ") ||
		!strings.Contains(got, "lib.ftsh:1:1: try is not closed") {
		t.Errorf("got %s", got)
	}
}

func TestFormatting(t *testing.T) {
	e := newEditor(t)
	uri, _ := e.open("a.ftsh", "try   5 times\necho   x\nend\n")
	var edits []textEdit
	e.ask("textDocument/formatting",
		map[string]any{"textDocument": documentID{uri}, "options": map[string]any{"tabSize": 4}}, &edits)
	if len(edits) != 1 || edits[0].NewText != "try for 5 times\n    echo x\nend\n" ||
		edits[0].Range != (textRange{position{}, position{3, 0}}) {
		t.Errorf("%+v", edits)
	}
	uri, _ = e.open("b.ftsh", "try  \n")
	e.ask("textDocument/formatting", map[string]any{"textDocument": documentID{uri}}, &edits)
	if len(edits) != 0 {
		t.Errorf("a script with errors: %+v", edits)
	}
}

func TestHover(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"t‸ry 3 times\nmake\nend\n", "ftsh --manual try"},
		{"try 3 times\ngive‸up\nend\n", "fails the nearest `try` with limits for good"},
		{"try 3 times backoff decor‸related\nmake\nend\n", "min(M, anything from T to 3·previous wait)"},
		{"try 3 times backoff full fr‸om 2s\nmake\nend\n", "the first wait"},
		{"if 1 .l‸t. 2\nmake\nend\n", "less, at most, greater, at least"},
		{"try\nmake\ncatch\necho ${error.ki‸nd}\nend\n", "the kind of failure"},
		{"x=1\necho $‸x\n", "```ftsh\nx=1\n```"},
		{"echo $H‸OME\n", "may come from the environment"},
		{"# greet NAME says hello.\nfunction greet\necho $1\nend\ngr‸eet Ann\n", "greet NAME says hello."},
		{"try 3 times only on time‸out\nmake\nend\n", "a time limit cut it off"},
		{"try f‸or 3 days or 5 times\nmake\nend\n", "as many as fit into 30 minutes"},
		{"try for 3 days o‸r 5 times\nmake\nend\n", "whichever ends first"},
		{"f‸or x in a b\nmake\nend\n", "`ftsh --manual loops`"},
		{"while‸ true\nmake\nend\n", "`ftsh --manual if`"},
		{"fora‸ny x in a b\nmake\nend\n", "`ftsh --manual forany`"},
		{"try\nmake\nca‸tch\nend\n", "`ftsh --manual catch`"},
		{"try 3 times ea‸ch 30s\nmake\nend\n", "the time of every single attempt"},
		{"try 3 times ev‸ery 30s\nmake\nend\n", "attempts start at least a minute apart"},
		{"try 3 times ke‸y x\nmake\nend\n", "work needs a name"},
		{"make ‸\n", ""},
	} {
		e := newEditor(t)
		uri, cursor := e.open("a.ftsh", c.text)
		var h hover
		e.ask("textDocument/hover", at(uri, cursor), &h)
		if !strings.Contains(h.Contents.Value, c.want) || c.want == "" && h.Contents.Value != "" {
			t.Errorf("%s: got %q, want %q", c.text, h.Contents.Value, c.want)
		}
	}
}

func TestCompletion(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"tr‸", "try true"},
		{"gi‸", "giveup"},
		{"function greet\nend\ngr‸\n", "greet"},
		{"try for 5 mi‸", "milliseconds minutes"},
		{"try for 5 minutes ea‸", "each"},
		{"try 5 times backoff f‸", "full fixed"},
		{"try 5 times only on ti‸", "timeout"},
		{"try 5 times except ‸", "on"},
		{"name=1\nname2=2\necho $na‸", "name name2"},
		{"echo ${error.st‸", "error.status error.stderr"},
		{"resource disk\nslots 1\nend\ntry for 1 hour via ‸\nend\n", "disk"},
		{"cat sub/‸", "one.txt two.txt"},
		{"source li‸", "lib.ftsh"},
		{"if $x .l‸", ".limit. .lt. .le. .lines."},
		{"# tr‸", ""},
		{"true | fa‸", "failure false"},
		{"x=${ fa‸", "failure false"},
		{"if not try fa‸", "failure false"},
		{"function greet\nend\necho \"${ gr‸ }\"\n", "greet"},
	} {
		e := newEditor(t)
		for name, text := range map[string]string{"lib.ftsh": "", "sub/one.txt": "", "sub/two.txt": ""} {
			path := filepath.Join(e.folder, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		uri, cursor := e.open("a.ftsh", c.text)
		var items []completionItem
		e.ask("textDocument/completion", at(uri, cursor), &items)
		var labels []string
		for _, item := range items {
			labels = append(labels, item.Label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestDefinitionAndReferences(t *testing.T) {
	e := newEditor(t)
	lib, _ := e.open("lib.ftsh", "function greet\n    local x=2\n    echo $x $name\nend\n")
	main, cursor := e.open("main.ftsh",
		"source lib.ftsh\nname=Ann\nx=1\ngre‸et $x\nfor name in a b\n    echo $name\nend\n")
	var places []location
	e.ask("textDocument/definition", at(main, cursor), &places)
	if fmt.Sprint(places) != fmt.Sprint([]location{{lib, textRange{position{0, 9}, position{0, 14}}}}) {
		t.Errorf("definition: %v", places)
	}
	refer := func(uri string, p position, declarations bool) int {
		var places []location
		e.ask("textDocument/references",
			map[string]any{"textDocument": documentID{uri}, "position": p,
				"context": map[string]any{"includeDeclaration": declarations}}, &places)
		return len(places)
	}
	if n := refer(lib, position{2, 14}, true); n != 4 {
		t.Errorf("%d references of name from the sourced file, want 4", n)
	}
	if n := refer(lib, position{2, 10}, false); n != 1 {
		t.Errorf("%d references of the local x, want 1", n)
	}
	if n := refer(main, position{2, 0}, true); n != 2 {
		t.Errorf("%d references of the global x, want 2", n)
	}
	e.ask("textDocument/definition", at(main, position{0, 9}), &places)
	if len(places) != 1 || places[0].URI != lib {
		t.Errorf("definition of the file: %v", places)
	}
}

// TestSecretNames holds that the names of a secret are found, one after another, also where a line is broken in one.
func TestSecretNames(t *testing.T) {
	e := newEditor(t)
	uri, cursor := e.open("a.ftsh", "secret tok\\\nen\nsecret names na‸me secret\nname=1\nsecret=2\n")
	var marks []highlight
	e.ask("textDocument/documentHighlight", at(uri, cursor), &marks)
	if got := fmt.Sprint(marks); got != "[{{{2 13} {2 17}} 2} {{{3 0} {3 4}} 3}]" {
		t.Errorf("highlights: %s", got)
	}
	e.ask("textDocument/documentHighlight", at(uri, position{4, 2}), &marks)
	if got := fmt.Sprint(marks); got != "[{{{2 18} {2 24}} 2} {{{4 0} {4 6}} 3}]" {
		t.Errorf("highlights of a variable called secret: %s", got)
	}
	var tip hover
	e.ask("textDocument/hover", at(uri, position{2, 2}), &tip)
	if tip.Contents.Value == "" {
		t.Error("hover says nothing of the statement")
	}
}

func TestSymbolsAndFolding(t *testing.T) {
	e := newEditor(t)
	uri, _ := e.open("a.ftsh", "# one\n# two\nx=1\nfunction f\n    if true\n        x=2\n    else\n        x=3\n"+
		"    end\nend\nresource r\n    slots 1\nend\n")
	var symbols []documentSymbol
	e.ask("textDocument/documentSymbol", map[string]any{"textDocument": documentID{uri}}, &symbols)
	var names []string
	for _, s := range symbols {
		names = append(names, fmt.Sprint(s.Name, ":", s.Kind, ":", s.Range.Start.Line))
	}
	for i, want := range []textRange{{position{2, 0}, position{2, 3}}, {position{3, 0}, position{9, 3}},
		{position{10, 0}, position{12, 3}}} {
		if symbols[i].Range != want {
			t.Errorf("%s is %v, want its whole definition, %v", symbols[i].Name, symbols[i].Range, want)
		}
	}
	if got := strings.Join(names, " "); got != "x:13:2 f:12:3 r:2:10" {
		t.Errorf("symbols: %s", got)
	}
	var folds []foldingRange
	e.ask("textDocument/foldingRange", map[string]any{"textDocument": documentID{uri}}, &folds)
	if got := fmt.Sprint(folds); got != "[{4 5 region} {6 7 region} {3 8 region} {10 11 region} {0 1 comment}]" {
		t.Errorf("folding: %s", got)
	}
}

func TestActions(t *testing.T) {
	e := newEditor(t)
	uri, _ := e.open("a.ftsh", "if true\n    sort x > x\nend\n")
	e.sync()
	var actions []codeAction
	e.ask("textDocument/codeAction",
		map[string]any{"textDocument": documentID{uri}, "range": textRange{position{1, 6}, position{1, 6}},
			"context": map[string]any{}}, &actions)
	if len(actions) != 2 {
		t.Fatalf("%+v", actions)
	}
	mend, silence := actions[0].Edit.Changes[uri], actions[1].Edit.Changes[uri]
	if len(mend) != 1 || mend[0] != (textEdit{textRange{position{1, 11}, position{1, 12}}, "=>"}) {
		t.Errorf("%+v", mend)
	}
	if len(silence) != 1 || silence[0].NewText != "    # check: ignore F107 because …\n" ||
		silence[0].Range.Start != (position{1, 0}) {
		t.Errorf("%+v", silence)
	}
}

// TestSilenceBehind holds that a comment stands where the formatter leaves it with the finding's statement.
func TestSilenceBehind(t *testing.T) {
	e := newEditor(t)
	uri, _ := e.open("a.ftsh", "echo a; sort x > x\n")
	var actions []codeAction
	e.ask("textDocument/codeAction",
		map[string]any{"textDocument": documentID{uri}, "range": textRange{position{0, 9}, position{0, 9}}}, &actions)
	silence := actions[len(actions)-1].Edit.Changes[uri]
	if len(silence) != 1 || silence[0] != (textEdit{textRange{position{0, 18}, position{0, 18}},
		" # check: ignore F107 because …"}) {
		t.Errorf("%+v", silence)
	}
}

func TestHighlightAndRename(t *testing.T) {
	e := newEditor(t)
	lib, _ := e.open("lib.ftsh", "function greet\n    echo $name\nend\n")
	main, cursor := e.open("main.ftsh", "source lib.ftsh\nna‸me=Ann\ngreet\necho ${name:-x} $HOME\n")
	var marks []highlight
	e.ask("textDocument/documentHighlight", at(main, cursor), &marks)
	if got := fmt.Sprint(marks); got != "[{{{1 0} {1 4}} 3} {{{3 7} {3 11}} 2}]" {
		t.Errorf("highlights: %s", got)
	}
	rename := func(p position, name string) message {
		return e.call("textDocument/rename", map[string]any{"textDocument": documentID{main}, "position": p, "newName": name})
	}
	var edit workspaceEdit
	if err := json.Unmarshal(rename(cursor, "who").Result, &edit); err != nil || len(edit.Changes[main]) != 2 ||
		len(edit.Changes[lib]) != 1 {
		t.Errorf("a variable: %v %+v", err, edit)
	}
	if err := json.Unmarshal(rename(position{2, 2}, "hail").Result, &edit); err != nil || len(edit.Changes[lib]) != 1 ||
		edit.Changes[lib][0].NewText != "hail" {
		t.Errorf("a function: %v %+v", err, edit)
	}
	for name, p := range map[string]position{"2x": cursor, "a b": cursor, "PATH_OF": {3, 18}, "x": {0, 9}} {
		if m := rename(p, name); m.Error == nil {
			t.Errorf("renaming what stands at %v to %q is no error", p, name)
		}
	}
	for _, word := range []string{"try", "resource", "end", "catch", "else"} {
		if m := rename(position{2, 2}, word); m.Error == nil {
			t.Errorf("a function can be renamed to %q, which its calls would not be taken for", word)
		}
	}
	var range1 *textRange
	e.ask("textDocument/prepareRename", at(main, position{3, 18}), &range1)
	if range1 != nil {
		t.Error("a variable of the environment can be renamed")
	}
}
