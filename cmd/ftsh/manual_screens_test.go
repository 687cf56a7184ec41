package main

import (
	"strings"
	"testing"

	"ftsh/testdata/shelltest"
)

var manualScreensCases = map[string]struct {
	page    string
	columns int
	args    []string
	play    func(c *shelltest.Console)
}{
	"first": {page: "interactive", columns: 60, play: func(c *shelltest.Console) {
		c.CursorAfter(shelltest.Prompt)
		c.Runs("cut -c 1-3 mirrors -> names")
		c.Send("for m in $names\recho $m\rend\r")
		c.Sees("for… end", "alp", "bet", shelltest.Prompt)
		c.Runs("fetch", "failed: fetch: ended with status 22")
	}},
	"mistake": {page: "interactive", columns: 60, play: func(c *shelltest.Console) {
		c.CursorAfter(shelltest.Prompt)
		c.Send("cat mirrors; done\r")
		c.Shows("help bash tells more")
		c.CursorAfter(shelltest.Prompt)
	}},
	"menu": {page: "interactive", columns: 60, play: func(c *shelltest.Console) {
		c.CursorAfter(shelltest.Prompt)
		c.Send("cat my\t\t")
		c.Shows("my-notes.txt")
		c.CursorAfter(shelltest.Prompt + `cat my\ results.txt`)
	}},
	"described": {page: "interactive", columns: 60, play: func(c *shelltest.Console) {
		c.CursorAfter(shelltest.Prompt)
		c.Send("deploy \t\t\t")
		c.CursorAfter(shelltest.Prompt + "deploy start")
		c.Shows("take it down")
	}},
	"history": {page: "interactive", columns: 60, play: func(c *shelltest.Console) {
		c.CursorAfter(shelltest.Prompt)
		c.Runs("cut -c 1-3 mirrors -> names")
		c.Runs("history names | wc -l", "2")
	}},
	"branches": {page: "interactive", columns: 60, play: func(c *shelltest.Console) {
		c.CursorAfter(shelltest.Prompt)
		c.Send("forall host in ann bob .keepgoing. .limit. 1\rfetch $host\rend\r")
		c.Sees("failed: host=bob: ended with status 22", shelltest.Prompt)
	}},
	"search": {page: "interactive", columns: 60, play: func(c *shelltest.Console) {
		c.CursorAfter(shelltest.Prompt)
		c.Runs("cut -c 1-3 mirrors -> names")
		c.Runs("true")
		c.Send("\x12" + "mirr")
		c.Sees(shelltest.Prompt+"cut -c 1-3 mirrors -> names", "search: mirr")
	}},
	"stopped": {page: "interactive", columns: 60, play: func(c *shelltest.Console) {
		c.CursorAfter(shelltest.Prompt)
		c.Send("try for 1 hour\rcat > notes\rend\r")
		c.Wait("the statement to run", func() bool { return c.Screen.CursorPosition().Y == 3 })
		c.Stops("try for 1 hour …")
		c.Runs("jobs", "1  stopped  try for 1 hour …")
		c.Send("fg\r")
		c.Sees(shelltest.Prompt+"fg", "try for 1 hour", "cat > notes", "end")
	}},
	"wait": {page: "progress", columns: 80, args: []string{"-f", "log", "nightly.ftsh"},
		play: func(c *shelltest.Console) {
			c.Bottom(`try, line 1: attempt 1 of 5 failed, next in 9 min 58 s, .*`)
		}},
	"narrow": {page: "progress", columns: 40, args: []string{"-f", "log", "nightly.ftsh"},
		play: func(c *shelltest.Console) {
			c.Bottom(`try:1 1/5, next 9 min 58 s, .*`)
		}},
	"forall": {page: "progress", columns: 80, args: []string{"pictures.ftsh"}, play: func(c *shelltest.Console) {
		c.Bottom(`forall picture, line 1: .* 0 done, 0 failed, 3 running of 6`)
		c.Release("a")
		c.Release("b")
		c.Bottom(`forall picture, line 1: .* 2 done, 0 failed, 3 running of 6`)
	}},
}

// TestManualScreens holds that the screens in the pages on interactive use are
// those of real sessions: each must stand in its page as a block of text.
func TestManualScreens(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"mirrors":        "alpha\nbeta\n",
		"my results.txt": "",
		"my-notes.txt":   "",
		"bin/fetch":      "#!/bin/sh\nexit 22\n",
		"bin/convert":    "#!/bin/sh\nmkfifo \"$1\"; read x < \"$1\"; true\n",
		"nightly.ftsh":   "try for 2 hours or 5 times every 10 minutes\n    fetch results.tar\nend\n",
		"pictures.ftsh":  "forall picture in a b c d e f .limit. 3\n    convert $picture\nend\n",
		".config/ftsh/rc.ftsh": `
function complete_deploy
    printf 'start\tbring the service up\nstop\ttake it down\n'
end
`,
	}
	for name, test := range manualScreensCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := []string{"TZ=UTC"}
			c := shelltest.NewConsole(t, shelltest.ConsoleConfig{Columns: test.columns, Rows: 20, Args: test.args, Env: env,
				Files: files})
			test.play(c)
			last := c.Now()
			var screen strings.Builder
			for _, line := range last {
				early := strings.HasPrefix(line, "no program runs that could be stopped") // Ctrl-Z, and it is repeated
				if (line != "" || len(test.args) == 0) && !early {
					screen.WriteString(strings.ReplaceAll(undated(line), "^Z^Z", "^Z") + "\n")
				}
			}
			page := readPage(t, "manual/"+test.page+".md")
			if !strings.Contains(undated(page), "```text\n"+screen.String()+"```") {
				t.Errorf("the page %s lacks this screen:\n%s", test.page, screen.String())
			}
		})
	}
}

// undated is a text without what is different in each run.
func undated(text string) string {
	for _, c := range changing {
		text = c.ReplaceAllString(text, "")
	}
	return text
}
