package repl_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
)

var tabCases = map[string]struct{ typed, want string }{
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
	"a comma in a name":            {"cat bra", `cat brace\{a\,b\} `},
	"braces in double quotes":      {`cat "bra`, `cat "brace{a,b}" `},
	"a variable to export":         {"export HOM", "export HOME"},
	"nothing after it":             {"export HOME ", "export HOME "},
	"a variable to keep secret":    {"secret HOM", "secret HOME "},
	"another one":                  {"secret x HOM", "secret x HOME "},
	"a variable to make local":     {"function f\rlocal HOM", "local HOME"},
	"a variable of a loop":         {"for HOM", "for HOME "},
	"the list of a loop":           {"for x i", "for x in "},
	"an operator before a value":   {"if .ex", "if .exists. "},
	"one after another":            {"if .not. .ex", "if .not. .exists. "},
	"one after an assignment":      {"x=.ex", "x=.exists. "},
	"one between values":           {"if a .ma", "if a .matches. "},
	"none of these before a value": {"if .ma", "if .ma"},
	"none of those after one":      {"if a .ex", "if a .ex"},
	"one in a range":               {"for n in 1 .t", "for n in 1 .to. "},
	"an option of a loop":          {"forall n in 1 .k", "forall n in 1 .keepgoing. "},
	"no option elsewhere":          {"if 1 .k", "if 1 .k"},
	"in the middle of a line":      {"echo pl x" + left + left, "echo plain.txt¦ x"},
	"what does not exist":          {"cat nothing", "cat nothing"},
	"a command in a word":          {"echo ${ frob", "echo ${ frobnicate "},
	"a file in a command in one":   {"echo \"a ${ cat tw", `echo "a ${ cat two\ words.txt `},
	"a variable in one":            {"somevar=1\recho ${ cat $somev", "echo ${ cat $somevar"},
	"an option of ftsh":            {"ftsh --exp", "ftsh --explain "},
	"nothing in a comment":         {"true # pl", "true # pl"},
	"another directory after cd":   {"cd folder\rcat 'inner o", "cat 'inner one' "},
}

// TestTab types something and Tab, and looks at what is there then.
func TestTab(t *testing.T) {
	files := map[string]string{
		"bin/frobnicate": "#!/bin/sh\necho frobnicated \"$@\"\n",
		"plain.txt":      "", "two words.txt": "", "it's": "", "dollar$sign": "", "back\\slash": "",
		"-option": "", "世界": "",
		"folder/inner one": "", "folder/inner two": "", "folder space/x": "", "#hash": "", "brace{a,b}": "",
	}
	for name, test := range tabCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if skip.UnderRace && strings.HasPrefix(test.typed, "ftsh ") {
				skip.Test(t, "the shell itself is asked, and with the race detector takes longer than Tab waits")
			}
			c := newConsole(t, shelltest.ConsoleConfig{Files: files})
			c.CursorAfter(prompt)
			c.Send(test.typed + "\t")
			before, _, _ := strings.Cut(test.want, "¦")
			again, presses := time.Now().Add(7*time.Second), 0 // a list may take two
			c.Wait("the text "+test.want, func() bool {
				_, text, _ := strings.Cut(c.BeforeCursor(), "> ")
				if _, continued, ok := strings.Cut(c.BeforeCursor(), "… "); ok {
					text = strings.TrimLeft(continued, " ")
				}
				if text == test.typed && text != before && time.Now().After(again) && presses < 12 {
					again, presses = time.Now().Add(7*time.Second), presses+1 // no time to list the programs on PATH
					t.Log("Tab is pressed once more, as the machine is busy")
					c.Send("\t")
				}
				return text == before
			})
		})
	}
}

// After if, Tab offers the operators that may stand before a value, and nothing else.
func TestTabAfterIf(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{".hidden": ""}})
	c.CursorAfter(prompt)
	c.Send("if .\t")
	c.Sees(prompt+"if .",
		".defined.  .exists.   .isblock.  .ischar.   .isdir.    .isfile.   .islink.",
		".ispipe.   .isr.      .issock.   .isw.      .isx.      .lines.    .not.")
}

func TestMenu(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{
		"d/one a": "", "d/one b": "", "d/two": "", "d/sub/x": "",
	}})
	c.CursorAfter(prompt)
	c.Send("cat d/\t")
	c.Sees(prompt+"cat d/", "one a  one b  sub/   two")
	c.CursorAfter(prompt + "cat d/")
	c.Send("\t")
	c.Sees(prompt+`cat d/one\ a`, "one a  one b  sub/   two")
	c.Send("\t\t")
	c.Sees(prompt+"cat d/sub/", "one a  one b  sub/   two")
	c.Send("\x1b[Z") // Shift-Tab
	c.Sees(prompt+`cat d/one\ b`, "one a  one b  sub/   two")
	c.Send(enter) // takes it, and runs nothing
	c.Wait("the menu to go", func() bool { return len(c.Lines()) == 1 })
	c.CursorAfter(prompt + `cat d/one\ b `)
	c.Send("d/\t")
	c.Shows("one a  one b")
	c.Send(escape)
	c.Wait("the menu to go", func() bool { return len(c.Lines()) == 1 })
	c.Send("two\r")
	c.Sees(prompt+`cat d/one\ b d/two`, prompt)
	c.Send("cat d/\t\t")
	c.Shows("one a  one b")
	c.Send(ctrlC) // drops the line as ever
	c.CursorAfter(prompt)
	c.Runs("echo next", "next")
}

func TestLargeMenu(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for _, a := range "abcdefgh" {
		for _, b := range "abcdefgh" {
			files["d/file-with-a-name-"+string(a)+string(b)] = ""
		}
	}
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 40, Rows: 12, Files: files})
	c.CursorAfter(prompt)
	c.Send("cat d/\t")
	c.CursorAfter(prompt + "cat d/file-with-a-name-")
	c.Send("\t")
	c.Sees("file-with-a-name-bb", "… 54 more")
	c.Send(strings.Repeat(down, 20))
	c.Shows("cat d/file-with-a-name-cd\n")
	c.Sees("file-with-a-name-cd", "… 44 more")
}

// What fish has for programs is offered, or where it is not there bash-completion.
func TestTabAsksOtherShells(t *testing.T) {
	for shell, file := range map[string]string{
		"fish": "/usr/share/fish/completions/git.fish", "bash": "/usr/share/bash-completion/bash_completion",
	} {
		if _, err := os.Stat(file); err != nil {
			continue
		}
		for typed, want := range map[string]string{
			"git push or\t": "git push origin ",
			"kill -HU\t":    "kill -HUP ",
			"tar --dele\t":  "tar --delete ",
		} {
			t.Run(shell+" "+typed, func(t *testing.T) {
				t.Parallel()
				files := map[string]string{"-file": ""}
				if shell == "bash" {
					files["bin/fish"] = "#!/bin/sh\nexit 1\n"
				}
				c := newConsole(t, shelltest.ConsoleConfig{Files: files})
				c.CursorAfter(prompt)
				c.Send("git init -q .; git remote add origin x\r")
				c.CursorAfter(prompt)
				c.Send(strings.TrimSuffix(typed, "\t"))
				c.Repeats("\t", want) // where the machine is busy the first one may wait in vain
				c.Wait(want, func() bool { return strings.HasPrefix(c.BeforeCursor(), prompt+want) })
			})
		}
	}
}

// An option that nobody knows is no file.
func TestTabOffersNoFileAsAnOption(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{"-file": "", "bin/frob": "#!/bin/sh\n"}})
	c.CursorAfter(prompt)
	c.Send("frob -\tf\t")
	c.CursorAfter(prompt + "frob -f")
}
