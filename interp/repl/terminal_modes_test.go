package repl_test

import (
	"strings"
	"testing"

	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
)

// The terminal is as it was after a program that left it in a mode of its own.
func TestCrashInRawMode(t *testing.T) {
	for name, key := range map[string]string{"status 3": "c", "killed": "k"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{
				"bin/edit": rawProgram, "bin/ask": "#!/bin/sh\nread a\necho got $a\n",
			}})
			c.CursorAfter(prompt)
			c.Send("edit\r")
			c.Shows("editing")
			c.Send(key)
			c.Shows("failed: edit: ")
			c.Wait("the usual screen", func() bool { return !c.Screen.IsAltScreen() })
			c.CursorAfter(prompt)
			c.Send("ask\r")
			c.Wait("ask", func() bool { return strings.HasSuffix(strings.TrimSpace(strings.Join(c.Lines(), "\n")), "ask") })
			c.Send("x\r")
			c.Sees("x", "got x", prompt)
		})
	}
}

// What stty sets stays.
func TestSttyStays(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.Runs("stty -echoctl intr ^X")
	c.Send("stty -a | grep -o intr...... \r")
	c.Sees("intr = ^X;", prompt)
}

func TestPasswordPrompt(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{"bin/login": `#!/bin/sh
old=$(stty -g </dev/tty)
stty -echo </dev/tty
printf 'Password: ' >/dev/tty
read password </dev/tty
stty "$old" </dev/tty
echo >/dev/tty
echo "got $password"
`}})
	c.CursorAfter(prompt)
	c.Send("login < /dev/null > out\r")
	c.CursorAfter("Password: ")
	c.Send("secret\r")
	c.Sees("Password:", prompt)
	c.Runs("cat out", "got secret")
	if strings.Count(string(c.Raw), "secret") != 1 {
		t.Errorf("%q", c.Raw)
	}
}

func TestWindowSize(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.Runs("stty size", "24 80")
	c.Resize(50, 20)
	c.Runs("stty size", "20 50")
	c.Send(strings.Repeat("abcde", 10))
	c.Wait("the text to wrap at 50", func() bool {
		p := c.Screen.CursorPosition()
		return p.X == 8 && c.Row(p.Y) == "cdeabcde"
	})
	c.Resize(30, 20)
	c.Wait("the text to wrap at 30", func() bool {
		p := c.Screen.CursorPosition()
		return p.X == 28 && c.Row(p.Y-1) == prompt+strings.Repeat("abcde", 5)[:22]
	})
	c.Resize(80, 24)
	c.CursorAfter(prompt + strings.Repeat("abcde", 10))
}

// Programs such as less and top work as they do elsewhere.
func TestRealPrograms(t *testing.T) {
	for name, test := range map[string]struct{ command, shows, quit string }{
		"less": {"less text", "line 20", "q"},
		"vi":   {"vi text", "line 20", "\x1b:q!\r"},
		"top":  {"top", "PID", "q"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skip.Without(t, name)
			var text strings.Builder
			for n := range 200 {
				text.WriteString("line " + string(rune('0'+n/100)) + string(rune('0'+n/10%10)) + string(rune('0'+n%10)) + "\n")
			}
			c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{
				"text": strings.ReplaceAll(text.String(), "line 0", "line "),
			}})
			c.CursorAfter(prompt)
			c.Send(test.command + "\r")
			c.Shows(test.shows)
			c.Stops(test.command)
			c.CursorAfter(prompt)
			c.Send(ctrlL)
			c.Wait("an empty screen", func() bool { return c.Row(0) == strings.TrimSpace(prompt) && len(c.Lines()) == 1 })
			c.Send("fg\r")
			c.Shows(test.shows)
			c.Send(test.quit)
			c.Wait("the prompt", func() bool { return c.BeforeCursor() == prompt })
			c.Runs("true")
		})
	}
}
