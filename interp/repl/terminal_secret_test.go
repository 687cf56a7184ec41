package repl_test

import (
	"strings"
	"testing"

	"ftsh/testdata/shelltest"
)

// What holds the value of a secret is not kept, and not suggested, from the statement on that makes it one.
func TestSecretIsNotKept(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{historyFile: "echo 1 hush-hush\n"}})
	c.Runs("true 2 hush-hush")
	c.Send(ctrlL)
	c.Runs("secret x; x=hush-hush")
	c.Send(ctrlL)
	c.Runs("true 3 hush-hush")
	c.Send(ctrlL)
	c.Runs("true 4; history", "true 4; history")
	c.Send("true " + up)
	c.CursorAfter(prompt + "true 4; history")
	c.Send(ctrlC)
	if kept := c.history(); kept != "echo 1 hush-hush\ntrue 4; history\n" {
		t.Errorf("kept:\n%s", kept)
	}
}

// The prompt shows no secret: not in what has failed, and not in the directory before the cursor.
func TestSecretAtThePrompt(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{"value": "hush-hush\n"}})
	c.CursorAfter(prompt)
	c.Runs("secret x; read x < value; echo ${#x}", "9")
	c.Runs("$x", "failed: ***: no such program")
	c.Runs("sh -c 'exit 3' \"$x\"", "failed: sh -c exit 3 ***: ended with status 3")
	c.Send("mkdir $x; cd $x\r")
	c.CursorAfter("ftsh ~/***> ")
	if strings.Contains(string(c.Raw), "hush") {
		t.Errorf("it stands in %q", c.Raw)
	}
}
