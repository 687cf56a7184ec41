package interp_test

import (
	"context"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ftsh/interp"
)

// TestLargeOutputIsClosed holds how many files large output keeps open, with a
// collector that never runs by itself.
func TestLargeOutputIsClosed(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const capture = "head -c 1100000 /dev/zero -> x\n"
	for _, c := range []struct {
		name, text string
		most       int
	}{
		{"overwritten", "for i in 1 .to. 10\n" + capture + "end\ncount", 1},
		{"appended", capture + "for i in 1 .to. 5\nhead -c 10 /dev/zero ->> x\nend\ncount", 1},
		{"unset", capture + "unset x\ncount", 0},
		{"small since", capture + "x=1\ncount", 0},
		{"local", "function f\nlocal x\n" + capture + "end\nfor i in 1 .to. 5\nf\nend\ncount", 0},
		{"of stages", "for i in 1 .to. 80\n" + strings.TrimSuffix(capture, "\n") + " | true\nend\ncount", 70},
		{"shared", "for i in 1 .to. 80\n" + capture + "y=$x\nend\ncount", 70},
		{"of branches", "forall i in 1 .to. 80 .limit. 2\n" + capture + "end\ncount", 70},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t)
			open := -1
			config := s.config(-1)
			withBuiltins(&config, map[string]interp.Builtin{"count": func(context.Context, int, []string) error {
				open = filesIn(s.dir)
				return nil
			}})
			if err := interp.New(config).Run(context.Background(), parse(t, c.text)); err != nil {
				t.Fatal(err)
			}
			if open < 0 || open > c.most {
				t.Errorf("%d files are open, wanted at most %d", open, c.most)
			}
		})
	}
}

// TestLargeOutputIsKept holds that nothing is closed that a value still refers to.
func TestLargeOutputIsKept(t *testing.T) {
	const capture = "head -c 1100000 /dev/zero -> x\n"
	for name, text := range map[string]string{
		"copied":   capture + "y=$x\nx=1\nwc -c -< y",
		"returned": "function f\nlocal x\n" + capture + "return $x\nend\ny=f()\nwc -c -< y",
		"branch":   capture + "forall i in 1 2\nif $i .eq. 1\nx=1\nend\nend\nwc -c -< x",
		"winner":   "forany i in 1 2 .hedge. 1 hour\n" + capture + "end\nwc -c -< x",
		"stage":    strings.TrimSuffix(capture, "\n") + " | true\nwc -c -< x",
	} {
		t.Run(name, func(t *testing.T) {
			out, err := newStage(t).run(context.Background(), t, text)
			if err != nil || strings.TrimSpace(out) != "1100000" {
				t.Errorf("got %q, %v", out, err)
			}
		})
	}
}

// filesIn counts the files without a name that this process has open in a folder.
func filesIn(dir string) (count int) {
	for fd := range 1024 {
		name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
		var info unix.Stat_t
		if err == nil && strings.HasPrefix(name, dir+"/") && unix.Fstat(fd, &info) == nil && info.Nlink == 0 {
			count++
		}
	}
	return count
}
