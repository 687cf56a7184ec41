package repl_test

import (
	"strings"
	"testing"

	"ftsh/testdata/shelltest"
)

const (
	altE  = "\x1be"
	altH  = "\x1bh"
	alt   = "\x1b"
	f1    = "\x1bOP"
	ctrlX = "\x18"
)

func TestSuggestions(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{
		Files: map[string]string{historyFile: "echo one two\necho other\ntry\\necho x\\nend\n"}})
	c.CursorAfter(prompt)
	c.Send("echo o")
	c.Sees(prompt + "echo other")
	c.CursorAfter(prompt + "echo o")
	c.Send("n")
	c.Sees(prompt + "echo one two")
	c.CursorAfter(prompt + "echo on")
	c.Send("\x1bf") // Alt-F: a word
	c.CursorAfter(prompt + "echo one")
	c.Send(right)
	c.CursorAfter(prompt + "echo one two")
	c.Send(enter)
	c.Sees("one two", prompt)
	c.Send("echo oth")
	c.Sees(prompt + "echo other")
	c.Send(enter) // runs what was typed, and no more
	c.Sees(prompt+"echo oth", "oth", prompt)
	c.Send("try")
	c.Sees(prompt + "try …")
	c.Send(ctrlE + right)
	c.Sees(prompt+"try", "try…     echo x", "try… end  # try in line 1")
}

func TestUpByWhatIsTyped(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{historyFile: "echo one\ntrue\necho two\nfalse\n"}})
	c.CursorAfter(prompt)
	c.Send("echo" + up)
	c.CursorAfter(prompt + "echo two")
	c.Send(up)
	c.CursorAfter(prompt + "echo one")
	c.Send(up)
	c.CursorAfter(prompt + "echo one")
	c.Send(down + down)
	c.CursorAfter(prompt + "echo")
	c.Send(ctrlU + "ONE" + up)
	c.CursorAfter(prompt + "ONE")
}

func TestLastWord(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{historyFile: "true a/b\ntrue 'c d' > \"e f\"\n"}})
	c.CursorAfter(prompt)
	c.Send("echo \x1b.")
	c.CursorAfter(prompt + `echo "e f"`)
	c.Send("\x1b.")
	c.CursorAfter(prompt + `echo a/b`)
	c.Send(" \x1b." + enter)
	c.Sees("a/b e f", prompt)
}

func TestStatementInTheEditor(t *testing.T) {
	for name, key := range map[string]string{"Alt-E": altE, "Ctrl-X Ctrl-E": ctrlX + "\x05"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t, shelltest.ConsoleConfig{Env: []string{"EDITOR=write"}, Files: map[string]string{
				"bin/write": "#!/bin/sh\nsed 's/one/two/; a\\\necho three' \"$1\" > new && cat new > \"$1\"\n",
			}})
			c.CursorAfter(prompt)
			c.Send("echo one" + key)
			c.Sees(prompt+"echo two", "… echo three")
			c.Send("x" + enter)
			c.Sees("two", "threex", prompt)
			c.Runs("echo next", "next")
		})
	}
}

func TestPromptKnowsTheLastStatement(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{".config/ftsh/rc.ftsh": `
function prompt
    if $PROMPT_ELAPSED .matches. "^[0-9]+[.][0-9]{3}$"
        return "${error.status} ${error.kind}> "
    end
end
`}})
	c.CursorAfter("0 > ")
	c.Send("sh -c 'exit 3'\r")
	c.CursorAfter("3 exit> ")
	c.Send("true\r")
	c.CursorAfter("0 > ")
}

var viKeysCases = map[string]struct{ typed, keys, want string }{
	"Escape":                  {"echo", "x", "ec|h"},
	"Escape after one":        {"e", "x", "|"},
	"Escape in the middle":    {"echo", "hi\x1bx", "e|ho"},
	"Escape at the beginning": {"echo", "0i\x1bx", "|cho"},
	"d$":                      {"echo one two", "0wd$", "echo| "},
	"D":                       {"echo one two", "bD", "echo one|"},
	"cw":                      {"echo one two", "bcwnew", "echo one new|"},
	"cw in a word":            {"echo one two", "0wcwx", "echo x| two"},
	"u":                       {"echo one two", "bdwu", "echo one |two"},
	"u after cw":              {"echo one two", "bcwnew\x1bu", "echo one |two"},
	"redo":                    {"echo one two", "bdwu\x12", "echo one| "},
	"dot":                     {"echo one two", "0dw.", "|two"},
	"dot of cw":               {"a b c", "0cwx y\x1bw.", "x y x |y c"},
	"counts":                  {"a b c d e", "02w2dw", "a b |e"},
	"a count before d":        {"a b c d e", "03dw", "|d e"},
	"counts multiply":         {"a b c d e", "02d2w", "|e"},
	"x with a count":          {"echo abcd", "03x", "|o abcd"},
	"ciw":                     {"echo one two", "0wlciwx", "echo x| two"},
	"diw":                     {"echo one two", "0wldiw", "echo | two"},
	"daw":                     {"echo one two", "0wldaw", "echo |two"},
	"ci\"":                    {`echo "a b" c`, "0f\"lci\"x", `echo "x|" c`},
	"di(":                     {"x=(1 .add. 2)", "hdi(", "x=(|)"},
	"da'":                     {"echo 'a b' c", "0f'lda'", "echo | c"},
	"f and ;":                 {"a.b.c.d", "0f.;", "a.b|.c.d"},
	"dt":                      {"a.b.c", "0dtb", "|b.c"},
	"F":                       {"a.b.c", "Fb", "a.|b.c"},
	"cc":                      {"echo one", "ccx", "x|"},
	"dd":                      {"echo one", "ddix", "x|"},
	"yy and p":                {"ab", "yyp", "aa|bb"},
	"yw and P":                {"ab cd", "0ywP", "ab| ab cd"},
	"C":                       {"echo one", "bCx", "echo x|"},
	"S":                       {"echo one", "Sx", "x|"},
	"s":                       {"echo one", "0sx", "x|cho one"},
	"r":                       {"echo one", "0rx", "|xcho one"},
	"tilde":                   {"echo one", "03~", "ECH|o one"},
	"e":                       {"one two", "0e", "on|e two"},
	"W and B":                 {"a-b c-d e", "0WWB", "a-b |c-d e"},
	"A":                       {"echo one", "0Ax", "echo onex|"},
	"I":                       {"  echo", "Ix", "  x|echo"},
	"an arrow between":        {"echo one", "0\x1b[Cx", "e|ho one"},
	"Escape stays in a line":  {"a", "\x1b\x1bix", "x|a"},
	"an unfinished command":   {"echo one", "0d\x1bx", "|cho one"},
}

// TestViKeys types a text in vi's mode, and then keys after Escape.
func TestViKeys(t *testing.T) {
	for name, test := range viKeysCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t, shelltest.ConsoleConfig{Env: []string{"FTSH_EDITMODE=vi"}})
			c.CursorAfter(prompt)
			c.Send(test.typed)
			c.CursorAfter(prompt + test.typed)
			c.Send(escape)
			c.Wait("the cursor on the last character", func() bool { return c.BeforeCursor() != prompt+test.typed })
			c.Send(test.keys)
			before, after, _ := strings.Cut(test.want, "|")
			c.Wait("the cursor at | in "+test.want, func() bool {
				return c.Row(0) == strings.TrimRight(prompt+before+after, " ") && c.BeforeCursor() == prompt+before
			})
		})
	}
}

func TestCompletionByFunctions(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{".config/ftsh/rc.ftsh": `
function complete_deploy
    if $# .eql. 1
        echo "start	bring it up"
        echo "stop	take it down"
    else
        echo "$1-it"
        echo "two words"
    end
end
`, "file": ""}})
	c.CursorAfter(prompt)
	c.Send("deploy s\t")
	c.CursorAfter(prompt + "deploy st")
	c.Send("\t")
	c.Sees(prompt+"deploy st", "start  bring it up", "stop   take it down")
	c.Send("\t\t" + enter)
	c.CursorAfter(prompt + "deploy stop ")
	c.Send("s\t")
	c.CursorAfter(prompt + "deploy stop stop-it ")
	c.Send("t\t")
	c.CursorAfter(prompt + `deploy stop stop-it two\ words `)
	c.Send("fi\t") // the function knows nothing of it, the directory does
	c.CursorAfter(prompt + `deploy stop stop-it two\ words file `)
}

func TestReadyCompletions(t *testing.T) {
	programs := map[string]string{
		"bin/squeue": "#!/bin/sh\ncase $1 in --help) " +
			"echo '  -j, --jobs=job_id(s)   comma separated list of jobs'; exit;; esac\n" +
			"printf '4711\\tnightly RUNNING\\n4712\\tweekly PENDING\\n'\n",
		"bin/scancel": "#!/bin/sh\necho '  -Q, --quiet   no errors'\n",
		"bin/sbatch": "#!/bin/sh\n" +
			"echo '  -A, --account=name   charge job to specified account'\necho '      --array=x  many'\n",
		"bin/systemctl": "#!/bin/sh\ncase $1 in --help) echo '  start UNIT...    Start (activate) one or more units';; " +
			"*) echo 'cron.service loaded active running Regular background program';; esac\n",
		".ssh/config": "Host alpha beta\nHost *.example\n", ".ssh/known_hosts": "gamma,10.0.0.1 ssh-ed25519 AAAA\n",
	}
	for name, test := range map[string]struct{ typed, want string }{
		"a job number":        {"scancel 4\t\t", "4711  nightly RUNNING\n4712  weekly PENDING"},
		"an option":           {"scancel --q\t", "scancel --quiet"},
		"a job in the queue":  {"squeue 471\t\t", "4711  nightly RUNNING\n4712  weekly PENDING"},
		"an option of squeue": {"squeue --j\t", "squeue --jobs"},
		"another's option":    {"sbatch --acc\t", "sbatch --account"},
		"a verb":              {"systemctl sta\t", "systemctl start"},
		"a unit":              {"systemctl start cr\t", "systemctl start cron.service"},
		"a host":              {"ssh be\t", "ssh beta"},
		"a known host":        {"ssh ga\t", "ssh gamma"},
		"a command of git":    {"git checko\t", "git checkout"},
		"a branch": {"git init -q -b trunk r; cd r\r" +
			"git -c user.name=a -c user.email=b commit -q --allow-empty -m x\rgit switch tr\t", "git switch trunk"},
		"an option of git":     {"git init -q .\rgit commit --amen\t", "git commit --amend"},
		"a bracket":            {"[\t", "ftsh ~> ["},
		"a resource after via": {"resource disk\rslots 2\rend\rtry via d\t", "try via disk"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t, shelltest.ConsoleConfig{Files: programs})
			c.CursorAfter(prompt)
			c.Send(test.typed)
			c.Shows(test.want)
		})
	}
}

func TestCompletionOfWhatIsStopped(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send("cat\r")
	c.Stops("cat")
	c.CursorAfter(prompt)
	c.Send("fg \t")
	c.CursorAfter(prompt + "fg 1 ")
	c.Send(enter)
	c.Sees(prompt+"fg 1", "cat")
	c.Send(ctrlD)
	c.CursorAfter(prompt)
}

func TestPageOfAWord(t *testing.T) {
	for name, test := range map[string]struct{ keys, page string }{
		"a keyword":              {"forall" + f1, "page begins: forall"},
		"at the end":             {"forall x in a" + ctrlA + altH, "page begins: forall"},
		"a builtin":              {"echo" + altH, "page begins: Builtins"},
		"a program":              {"frob x y" + ctrlA + altH, "the page of frob"},
		"an argument's program":  {"frob xyz" + altH, "the page of frob"},
		"the prompt's own":       {altH, "page begins: Interactive use"},
		"a group of a try":       {"finally" + f1, "page begins: catch, finally, giveup"},
		"a word of the language": {"try for 3 minutes" + ctrlA + altH, "page begins: try"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t, shelltest.ConsoleConfig{Env: []string{"PAGER=page"}, Files: map[string]string{
				"bin/page": "#!/bin/sh\nsed -n 's/\x1b[^m]*m//g; 1s/^/page begins: /p' $1\n",
				"bin/man":  "#!/bin/sh\nshift; echo the page of $*\n",
			}})
			c.CursorAfter(prompt)
			c.Send(test.keys)
			c.Shows(test.page)
			c.Send(ctrlC)
		})
	}
}

func TestDirectoryBefore(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{"a/b": ""}})
	c.CursorAfter(prompt)
	c.Send("cd a\r")
	c.CursorAfter("ftsh ~/a> ")
	c.Send("cd -\r")
	c.CursorAfter(prompt)
	c.Send("\x1b[1;3D") // Alt-Left
	c.CursorAfter("ftsh ~/a> ")
	c.Send("echo $OLDPWD\r")
	c.Shows("\n" + c.Home)
}

func TestHistoryBuiltin(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{historyFile: "echo one\ntry\\necho two\\nend\n"}})
	c.Runs("history", "echo one", "try", "echo two", "end", "history")
	c.Runs("history TWO", "history TWO")
	c.Runs("history one | wc -l", "2")
}

func TestAbbreviations(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{
		".config/ftsh/rc.ftsh": "abbr e echo -n\nabbr gone x\nabbr gone\n",
	}})
	c.Runs("abbr", "abbr e echo -n")
	c.Send("e ")
	c.CursorAfter(prompt + "echo -n ")
	c.Send("e; e")
	c.CursorAfter(prompt + "echo -n e; e")
	c.Send(enter)
	c.Sees(prompt+"echo -n e; echo -n", "e⏎", prompt)
	c.Send(`'e' `)
	c.CursorAfter(prompt + `'e' `)
}
