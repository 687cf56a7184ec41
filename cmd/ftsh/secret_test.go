package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
)

// TestSecretsStaySecret runs random scripts that do with secrets what scripts do, wrong things above all, and holds
// that nothing which the shell says, at the highest level, or keeps in a journal has a piece of one.
func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()
	for seed := range uint64(skip.Times(20, 8)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			secretsStaySecret(t, seed)
		})
	}
}

// FuzzSecretsStaySecret does so with more of them.
func FuzzSecretsStaySecret(f *testing.F) {
	f.Add(uint64(0))
	f.Fuzz(secretsStaySecret)
}

func secretsStaySecret(t *testing.T, seed uint64) {
	k := &keeper{T: t, Rand: rand.New(rand.NewPCG(seed, 1)), dir: t.TempDir()}
	must(t, os.WriteFile(k.dir+"/captured", []byte(k.value("\n")), 0o600))
	must(t, os.WriteFile(k.dir+"/line", []byte(strings.ReplaceAll(k.value(""), "\n", "")+"\n"), 0o600))
	k.env = append(os.Environ(), "GIVEN="+k.value(""), "HOME="+k.dir, "XDG_STATE_HOME=")
	script := k.script()
	must(t, os.WriteFile(k.dir+"/script", []byte(script), 0o600))
	if out := k.run("-l", "40", "script"); !bytes.Contains(out, []byte("script started")) ||
		!bytes.Contains(out, []byte("***")) {
		t.Errorf("it did not run: %s", out)
	}
	shelltest.Tracer(t)
	k.run("-l", "40", "--log-format", "json", "-f", "log", "--trace", "trace", "script")
	k.run("--report", "log")
	k.run("--report", "log", "--html", "page")
	k.run("-l", "5", "--journal", k.dir+"/j", "script")
	k.run("--journals", k.dir+"/j")
	k.run("-l", "5", "--journal", k.dir+"/j", "--again", "script")
	k.run("--continue", k.dir+"/j")
	for _, name := range []string{"log", "trace", "page", "j"} {
		text, err := os.ReadFile(filepath.Join(k.dir, name))
		must(t, err)
		k.look(name, text)
	}
	if t.Failed() {
		t.Logf("the script:\n%s", script)
	}
}

// keeper makes a script with secrets, and knows what must not be seen.
type keeper struct {
	*testing.T
	*rand.Rand
	dir    string
	env    []string
	pieces []string // of secrets
}

// value is a secret: pieces of letters that stand nowhere else, with what is quoted and escaped between them.
func (k *keeper) value(end string) string {
	const letters = "QXZJKVWY"
	between := []string{"\n", " ", "  ", "\t", "'", `"`, `\`, "$", "%", "%41", "+", "&", "/", "é", "\xff", "\x1b[1m",
		"…", "=", ":", "*", "`", "\r\n", "{", "<"}
	text := ""
	for range 1 + k.IntN(3) {
		piece := ""
		for range 4 + k.IntN(4) {
			piece += string(letters[k.IntN(len(letters))])
		}
		if k.pieces = append(k.pieces, piece); text != "" {
			text += between[k.IntN(len(between))]
		}
		text += piece
	}
	return text + end
}

// doings lists what statements do with a value. Each stands in a try of its own.
var doings = []string{
	`sh -c 'exit 3' x "%s"`, `sh -c 'exit 3' %s`, `sh -c : "a%sb"`, `true | sh -c 'exit 3' "%s" | cat`,
	`"%s"`, `"./%s" a`, `cat < "/no/such/%s"`, `true > "/no/such/%s"`, `true => "/no/such/%s"`, `cd "%s"`, `exec "%s"`,
	`copy="a %s b"`, `copy=%s`, `export copy=%s`, `copy=%s .add. 1`, `copy=f(%s)`, `f "%s" b`, `f %s`, `set -- a "%s"`,
	`failure "about %s"`, `giveup "%s"`, `sleep "%s"`, `retryafter "%s"`, `unset "%s"`, `read "%s"`, `absent "%s"`,
	`exit "%s"`,
	"if %s\n true\nend", "if %s .eql. 1\n true\nend", `copy=a .matches. "(%s"`, "while %s .lt. 2\n true\nend",
	"for x in \"%s\" b\n sh -c 'exit 3' $x\nend", "forany x in a \"%s\"\n sh -c 'exit 3' \"$x\"\nend",
	"forall x in a \"%s\" .keepgoing.\n sh -c 'exit 3' \"$x\"\nend", "forall x in a .limit. %s\n true\nend",
	"forall x in a \"%s\" b .keepgoing. .grouped.\n sh -c 'exit 3' \"$x\"\nend",
	"try for %s\n true\nend", "try 2 times only on \"%s\"\n true\nend", "try 2 times only on matching \"(%s\"\n true\nend",
	"try 2 times every 1 ms key \"%s\"\n sh -c 'exit 3' ${try.key}\nend",
	"try 1 time\n sh -c 'exit 1' \"%s\"\nfinally\n sh -c : \"%[1]s\"\nend",
	"on here\n sh -c 'exit 3' \"%s\"\nend", `cat << E > /dev/null` + "\n%s\nE\ncat nothing-%[1]s 2> /dev/null",
	`sh -c 'echo "$1" >&2; exit 3' sh "%s" 2> /dev/null`, `copy=${nothing:-%s} .mul. x`, `sh -c 'exit 3' ${#nothing} "%s"`,
}

// script is one of them.
func (k *keeper) script() string {
	var text strings.Builder
	text.WriteString("secret GIVEN captured line late inner\ncat captured -> captured\nread line < line\n")
	text.WriteString("function f\n local inner=$1\n sh -c : \"$inner\" $2\n return \"x $1\"\nend\n")
	text.WriteString("late=\"1 $GIVEN\"\n")
	names := []string{"$GIVEN", "$captured", "$line", "$late"}
	for range 12 {
		doing := strings.ReplaceAll(doings[k.IntN(len(doings))], "%%", "%")
		fmt.Fprintf(&text, "try\n"+doing+
			"\ncatch\n echo \"${error.command} | ${error.message} | ${error.summary}\" >&2\nend\n", names[k.IntN(len(names))])
	}
	text.WriteString("for x in a \"$line\" b\n forall y in \"$GIVEN\" \"$captured\" c .keepgoing.\n" +
		"  sh -c 'exit 7' \"$late\" $line\n end\nend\n")
	return text.String()
}

// run runs the shell, and looks at what it says, which it returns.
func (k *keeper) run(args ...string) []byte {
	k.Helper()
	cmd := exec.Command(shelltest.Shell(k), args...)
	cmd.Dir, cmd.Env = k.dir, k.env
	out, _ := cmd.CombinedOutput()
	if bytes.Contains(out, []byte("goroutine ")) {
		k.Errorf("ftsh %q says\n%s", args, out)
	}
	k.look(strings.Join(args, " "), out)
	return out
}

// look holds that a text has no secret.
func (k *keeper) look(what string, text []byte) {
	k.Helper()
	for _, piece := range k.pieces {
		if at := bytes.Index(text, []byte(piece)); at >= 0 {
			k.Errorf("%s: %s stands in %q", what, piece, text[max(0, at-100):min(len(text), at+100)])
			return
		}
	}
}
