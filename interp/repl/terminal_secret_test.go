package repl_test

import (
	"strings"
	"testing"

	"ftsh/testdata/shelltest"
)

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
