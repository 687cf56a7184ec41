package main

import (
	"strings"
	"testing"
)

// TestTab types something and Tab, and looks at what is there then.
func TestTab(t *testing.T) {
	files := map[string]string{
		"bin/frobnicate": "#!/bin/sh\necho frobnicated \"$@\"\n",
		"plain.txt":      "", "two words.txt": "", "it's": "", "dollar$sign": "", "back\\slash": "", "-option": "", "世界": "",
		"folder/inner one": "", "folder/inner two": "", "folder space/x": "", "#hash": "",
	}
	for name, test := range map[string]struct{ typed, want string }{
		"a program":                    {"frob", "frobnicate "},
		"a builtin":                    {"retrya", "retryafter "},
		"a function":                   {"function myfunc\rend\rmyf", "myfunc "},
		"a keyword":                    {"forev" + back + back + "al", "forall "},
		"a keyword in a block":         {"try\rfina", "finally "},
		"a setting of a resource":      {"resource r\rbrea", "breaker "},
		"no keyword as an argument":    {"echo fina", "echo fina"},
		"a command after a bar":        {"true | frob", "true | frobnicate "},
		"a command after if try":       {"if try frob", "if try frobnicate "},
		"a clause of a try":            {"try for 3 minutes ev", "try for 3 minutes every "},
		"a unit of a try":              {"try for 3 mi", "try for 3 mi"},
		"a unit of a try, longer":      {"try for 3 min", "try for 3 minutes "},
		"a policy":                     {"try 3 times backoff dec", "try 3 times backoff decorrelated "},
		"a condition":                  {"try 3 times only on mis", "try 3 times only on missing "},
		"a variable":                   {"somevar=1\recho $somev", "echo $somevar"},
		"a variable in quotes":         {"somevar=1\recho \"a $somev", "echo \"a $somevar"},
		"a variable in braces":         {"somevar=1\recho ${somev", "echo ${somevar}"},
		"a value of the shell":         {"echo ${error.ki", "echo ${error.kind}"},
		"a captured variable":          {"somevar=1\recho x -> somev", "echo x -> somevar "},
		"no variable in single quotes": {"somevar=1\recho '$somev", "echo '$somev"},
		"a file":                       {"cat pl", "cat plain.txt "},
		"a file after a redirection":   {"cat < pl", "cat < plain.txt "},
		"a file as a value":            {"x=pl", "x=plain.txt "},
		"a file in a list":             {"for f in pl", "for f in plain.txt "},
		"a blank in a name":            {"cat tw", `cat two\ words.txt `},
		"a blank in quotes":            {`cat "tw`, `cat "two words.txt" `},
		"a blank in single quotes":     {`cat 'tw`, `cat 'two words.txt' `},
		"a blank that was typed":       {`cat two\ w`, `cat two\ words.txt `},
		"a quote in a name":            {"cat it", `cat it\'s `},
		"a quote in single quotes":     {"cat 'it", `cat 'it\'s' `},
		"a quote in double quotes":     {`cat "it`, `cat "it's" `},
		"a dollar in a name":           {"cat dol", `cat dollar\$sign `},
		"a dollar in double quotes":    {`cat "dol`, `cat "dollar\$sign" `},
		"a backslash in a name":        {"cat bac", `cat back\\slash `},
		"a name like an option":        {"cat ./-o", "cat ./-option "},
		"a name like a comment":        {"cat ./#", "cat ./#hash "},
		"wide characters":              {"cat 世", "cat 世界 "},
		"a directory":                  {"cat fol", `cat folder`},
		"a file in a directory":        {"cat folder/in", `cat folder/inner\ `},
		"a file in a quoted directory": {`cat "folder space"/`, `cat "folder space"/x `},
		"a file behind an open quote":  {`cat "folder space/`, `cat "folder space/x" `},
		"a file in the home directory": {"cat ~/pl", "cat ~/plain.txt "},
		"a file below a variable":      {"cat $HOME/pl", "cat $HOME/plain.txt "},
		"a directory for cd":           {"cd bi", "cd bin/"},
		"no file for cd":               {"cd pl", "cd pl"},
		"in the middle of a line":      {"echo pl x" + left + left, "echo plain.txt¦ x"},
		"what does not exist":          {"cat nothing", "cat nothing"},
		"nothing in a comment":         {"true # pl", "true # pl"},
		"another directory after cd":   {"cd folder\rcat 'inner o", "cat 'inner one' "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t, consoleConfig{files: files})
			c.cursorAfter(prompt)
			c.send(test.typed + "\t")
			before, _, _ := strings.Cut(test.want, "¦")
			c.wait("the text "+test.want, func() bool {
				_, text, _ := strings.Cut(c.beforeCursor(), "> ")
				if _, continued, ok := strings.Cut(c.beforeCursor(), "… "); ok {
					text = continued
				}
				return text == before
			})
		})
	}
}

func TestMenu(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{files: map[string]string{"d/one a": "", "d/one b": "", "d/two": "", "d/sub/x": ""}})
	c.cursorAfter(prompt)
	c.send("cat d/\t")
	c.sees(prompt+"cat d/", "one a  one b  sub/   two")
	c.cursorAfter(prompt + "cat d/")
	c.send("\t")
	c.sees(prompt+`cat d/one\ a`, "one a  one b  sub/   two")
	c.send("\t\t")
	c.sees(prompt+"cat d/sub/", "one a  one b  sub/   two")
	c.send("\x1b[Z") // Shift-Tab
	c.sees(prompt+`cat d/one\ b`, "one a  one b  sub/   two")
	c.send(enter) // takes it, and runs nothing
	c.wait("the menu to go", func() bool { return len(c.lines()) == 1 })
	c.cursorAfter(prompt + `cat d/one\ b `)
	c.send("d/\t")
	c.shows("one a  one b")
	c.send(escape)
	c.wait("the menu to go", func() bool { return len(c.lines()) == 1 })
	c.send("two\r")
	c.sees(prompt+`cat d/one\ b d/two`, prompt)
}

func TestLargeMenu(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for _, a := range "abcdefgh" {
		for _, b := range "abcdefgh" {
			files["d/file-with-a-name-"+string(a)+string(b)] = ""
		}
	}
	c := newConsole(t, consoleConfig{columns: 40, rows: 12, files: files})
	c.cursorAfter(prompt)
	c.send("cat d/\t")
	c.cursorAfter(prompt + "cat d/file-with-a-name-")
	c.send("\t")
	c.sees("file-with-a-name-bb", "… 54 more")
	c.send(strings.Repeat(down, 20))
	c.shows("cat d/file-with-a-name-cd\n")
	c.sees("file-with-a-name-cd", "… 44 more")
}
