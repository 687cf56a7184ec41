package interp_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/interp"
)

// ended are scripts that end by themselves, in all ways, having opened what there is to open.
var ended = map[string]string{
	"success":             "sh -c 'exit 0'",
	"failure":             "sh -c 'exit 1'",
	"missing":             "no-such-program > out 2>> err < /dev/null -> x",
	"exit in redirection": "if true\nexit 3\nend > out -> x",
	"exit in branches":    "forall x in 1 2 3\nexit $x\nend => out",
	"return":              "function f\nfor x in 1 2\ntry\nreturn 5\nfinally\ntrue\nend\nend => out\nend\nf -> y\nx=f()",
	"redirection fails":   "echo x > a >> b => c -> d < /does/not/exist",
	"second one fails":    "sh -c 'exit 0' -> a 2-> b 3< /dev/null 4>&7",
	"atomic fails":        "echo x => /dev/null",
	"atomic twice":        "echo x => out => out",
	"pipeline fails":      "echo x | no-such-program | cat => out",
	"stage's redirection": "echo x > out | cat < /does/not/exist | cat -> y",
	"early end of input":  "yes | head -n 1 | cat",
	"heredoc unread":      "true << END\ntext\nEND",
	"large input unread":  "head -c 3000000 /dev/zero -> x\ntrue -< x\ntrue -< x | true",
	"large appended":      "for i in 1 2 3\nhead -c 700000 /dev/zero ->> x\nend",
	"try with output":     "try 3 times every 0 s\necho x\nfalse\nfinally\ntrue\nend > a 2>> b -> c",
	"atomic try":          "try 3 times every 0 s\necho x\nfalse\nend => out",
	"try's target":        "try 3 times every 0 s\ntrue\ncatch\ntrue\nend > /does/not/exist",
	"forany with output":  "forany x in 1 2 3\necho $x\nfalse\nend => out",
	"hedged":              "forany x in 1 2 3 .hedge. 1 ms\nsh -c \"sleep 0.$x\"\nend > out 2>> err -> v",
	"hedged, all fail":    "forany x in 1 2 3 .hedge. 1 ms\nsh -c \"exit $x\"\nend => out",
	"limit":               "try for 20 ms\nsleep 100 > out | sh -c 'sleep 100' => out2\nend -> x",
	"stderr":              "try 3 times only on matching x every 0 s\nsh -c 'echo x >&2; exit 1'\nend",
	"long stderr": "try 2 times only on matching x every 0 s\nsh -c 'head -c 2000000 /dev/zero >&2; exit 1'\n" +
		"end 2> /dev/null",
	"branches in turn":   "forall x in 1 .to. 20 .limit. 2\nsh -c \"echo $x\" -> y\ntest $x != 10\nend -> z",
	"deep":               "function f\nif $1 .gt. 0\ny=f($1 .sub. 1)\nend\nreturn 1\nend\nx=f(500)",
	"exec":               "forall x in 1 2\nexec sh -c 'exit 0'\nend => out",
	"exec here":          "exec sh -c 'exit 0' > out -> x",
	"directories":        "cd /usr\nforall x in 1 2 3\ncd /tmp\nfalse\nend",
	"hedged directories": "forany x in 1 2 3 .hedge. 1 ms\ncd /usr\nsleep 2 ms\ncd / | cd /tmp\nend",
	"undefined":          "echo $x > out -> y",
	"retryafter":         "try 2 times every 0 s\nretryafter -f /dev/null\nfalse\nend",
}

// TestNothingIsLeft runs scripts to their ends, whatever those are.
func TestNothingIsLeft(t *testing.T) {
	for name, text := range ended {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			warmUp(t, s)
			goroutines, files := holdings()
			for range 2 {
				_, _ = s.run(context.Background(), t, text)
			}
			checkNothingLeft(t, goroutines, files)
			checkNoTemporaryFiles(t, s.dir)
		})
	}
}

// TestNothingOfTurnsIsKept holds that a long loop does not take more and more memory, whatever its turns do.
func TestNothingOfTurnsIsKept(t *testing.T) {
	for name, turn := range map[string]string{
		"try":      "try\nsuccess\nend",
		"limited":  "try for 1 hour or 2 times\nsuccess\ncatch\nsuccess\nfinally\nsuccess\nend",
		"caught":   "try 2 times every 0 s\nfalse\ncatch\nsuccess\nend",
		"forany":   "forany x in 1\nsuccess\nend",
		"hedge":    "forany x in 1 .hedge. 1 s\nsuccess\nend",
		"forall":   "forall x in 1\nsuccess\nend",
		"function": "f a b",
		"pipeline": "f | f",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const turns, most = 4000, 100 // bytes
				b := &bubble{start: time.Now()}
				config := b.config()
				var sizes []uint64
				withBuiltins(&config, map[string]interp.Builtin{"measure": func(context.Context, int, []string) error {
					var m runtime.MemStats
					runtime.GC()
					runtime.ReadMemStats(&m)
					sizes = append(sizes, m.HeapAlloc)
					return nil
				}})
				script := "function f\nlocal x=$#\nend\nfor i in 1 .to. 4100\n" + turn +
					"\nif $i .eql. 100\nmeasure\nend\nend\nmeasure"
				if err := interp.New(config).Run(t.Context(), parse(t, script)); err != nil {
					t.Fatal(err)
				}
				if kept := float64(sizes[1]) - float64(sizes[0]); kept > turns*most {
					t.Errorf("%.0f bytes are kept of each turn", kept/turns)
				}
			})
		})
	}
}
