package main

import (
	"strings"
	"testing"
)

// The terminal is as it was after a program that left it in a mode of its own.
func TestCrashInRawMode(t *testing.T) {
	for name, key := range map[string]string{"status 3": "c", "killed": "k"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t, consoleConfig{files: map[string]string{"bin/edit": rawProgram, "bin/ask": "#!/bin/sh\nread a\necho got $a\n"}})
			c.cursorAfter(prompt)
			c.send("edit\r")
			c.shows("editing")
			c.send(key)
			c.shows("failed: edit: ")
			c.wait("the usual screen", func() bool { return !c.screen.IsAltScreen() })
			c.cursorAfter(prompt)
			c.send("ask\r")
			c.wait("ask", func() bool { return strings.HasSuffix(strings.TrimSpace(strings.Join(c.lines(), "\n")), "ask") })
			c.send("x\r")
			c.sees("x", "got x", prompt)
		})
	}
}

// What stty sets stays.
func TestSttyStays(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.runs("stty -echoctl intr ^X")
	c.send("stty -a | grep -o intr...... \r")
	c.sees("intr = ^X;", prompt)
}

func TestPasswordPrompt(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{files: map[string]string{"bin/login": `#!/bin/sh
old=$(stty -g </dev/tty)
stty -echo </dev/tty
printf 'Password: ' >/dev/tty
read password </dev/tty
stty "$old" </dev/tty
echo >/dev/tty
echo "got $password"
`}})
	c.cursorAfter(prompt)
	c.send("login < /dev/null > out\r")
	c.cursorAfter("Password: ")
	c.send("secret\r")
	c.sees("Password:", prompt)
	c.runs("cat out", "got secret")
	if strings.Count(string(c.raw), "secret") != 1 {
		t.Errorf("%q", c.raw)
	}
}

func TestWindowSize(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.runs("stty size", "24 80")
	c.resize(50, 20)
	c.runs("stty size", "20 50")
	c.send(strings.Repeat("abcde", 10))
	c.wait("the text to wrap at 50", func() bool {
		p := c.screen.CursorPosition()
		return p.X == 8 && c.row(p.Y) == "cdeabcde"
	})
	c.resize(30, 20)
	c.wait("the text to wrap at 30", func() bool {
		p := c.screen.CursorPosition()
		return p.X == 28 && c.row(p.Y-1) == prompt+strings.Repeat("abcde", 5)[:22]
	})
	c.resize(80, 24)
	c.cursorAfter(prompt + strings.Repeat("abcde", 10))
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
			requireProgram(t, name)
			var text strings.Builder
			for n := range 200 {
				text.WriteString("line " + string(rune('0'+n/100)) + string(rune('0'+n/10%10)) + string(rune('0'+n%10)) + "\n")
			}
			c := newConsole(t, consoleConfig{files: map[string]string{"text": strings.ReplaceAll(text.String(), "line 0", "line ")}})
			c.cursorAfter(prompt)
			c.send(test.command + "\r")
			c.shows(test.shows)
			c.stops(test.command)
			c.cursorAfter(prompt)
			c.send(ctrlL)
			c.wait("an empty screen", func() bool { return c.row(0) == strings.TrimSpace(prompt) && len(c.lines()) == 1 })
			c.send("fg\r")
			c.shows(test.shows)
			c.send(test.quit)
			c.wait("the prompt", func() bool { return c.beforeCursor() == prompt })
			c.runs("true")
		})
	}
}
