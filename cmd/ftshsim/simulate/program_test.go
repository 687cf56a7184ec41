package simulate

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// TestEvaluate compares with the programs of this machine.
func TestEvaluate(t *testing.T) {
	dir := t.TempDir()
	for _, line := range []string{
		"true", "false", "test", "test x", "[ x ]", "[ 1 -lt 2 ]", "[ 2 -lt 1 ]", "test a = a", "test a != a",
		"test ! a = a", "test ! x",
		"test -e /", "test -d /", "test -f /", "test -e nothing", "test -s nothing", "test -n x", "test -z x",
		"test 3 -ge 3", "test 3 -ne 3",
		"expr 1 + 2", "expr 7 - 7", "expr 6 * 7", "expr 7 / 2", "expr 7 % 4", "expr 3 > 2", "expr 3 <= 2", "expr 5 = 5",
	} {
		args := strings.Fields(line)
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		out, _ := cmd.Output()
		status, output, known := evaluateProgram(dir, args)
		if want := fmt.Sprint(cmd.ProcessState.ExitCode(), " ", string(out)); !known ||
			fmt.Sprint(status, " ", output) != want {
			t.Errorf("%s: %d %q, known %v; want %q", line, status, output, known, want)
		}
	}
	for _, line := range []string{"wc -l x", "test a -a b", "test -r x", "expr a : b", "expr length x"} {
		if _, _, known := evaluateProgram(dir, strings.Fields(line)); known {
			t.Errorf("%s is known", line)
		}
	}
}
