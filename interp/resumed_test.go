package interp_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp"
	"ftsh/interp/durable"
	"ftsh/interp/journal"
	"ftsh/interp/journal/memory"
	"ftsh/interp/world"
)

// shutdown is an engine with the programs of the bubble, and
//
//	stop       has the shell told to end, the first time that it runs
//	moan WORD  writes that to standard error, and ends with 1
type shutdown struct {
	*bubble
	dir     string // has a file list of two lines, and folders sub and hushed
	stopped bool
	tell    context.CancelCauseFunc
}

func (s *shutdown) Run(ctx context.Context, c *world.Command) (world.Status, error) {
	switch {
	case c.Args[0] == "moan":
		_, _ = unix.Write(c.Files[2], []byte(c.Args[1]+"\n"))
		return world.Status{Code: 1}, nil
	case c.Args[0] != "stop":
		return s.bubble.Run(ctx, c)
	case s.stopped:
		return world.Status{}, nil
	}
	s.stopped = true
	s.tell(errors.New("a signal"))
	<-ctx.Done()
	return world.Status{}, context.Cause(ctx)
}

// resumed are scripts that are suspended while `stop` runs, and what they say before and, behind a |, when they go on.
var resumed = []struct{ name, script, want string }{
	{"conditions of a try", "try 4 times every 0 s only on unknown matching one matching two; say ${try.attempt}; " +
		"if ${try.attempt} .eql. 1; stop; else if ${try.attempt} .eql. 2; moan two; else if ${try.attempt} .eql. 3; " +
		"moan one; end; moan three; catch; say ${error.reason}; end", "1 | 2 3 4 rejected = 0"},
	{"exceptions of a try", "try 4 times every 0 s except on 99 matching one matching two; say ${try.attempt}; " +
		"if ${try.attempt} .eql. 1; stop; end; moan two; catch; say ${error.reason}; end", "1 | 2 rejected = 0"},
	{"what is uncertain", "try 4 times every 0 s unknown on matching one matching two; say ${try.attempt}; " +
		"if ${try.attempt} .eql. 1; stop; end; moan two; verify; say verify; if ${try.attempt} .eql. 1; absent; end; end",
		"1 | verify 2 verify = 0"},
	{"a file to read, from another directory", "if true; cd sub; try; stop; catch; end; read x; say $x; " +
		"end < list", " | one = 0"},
	{"a file by its whole name", "top=$PWD; if true; cd sub; try; stop; catch; end; read x; say $x; " +
		"end < $top/list", " | one = 0"},
	{"the rest of a file", "if true; read x; say $x; cd sub; try; stop; catch; end; " +
		"read x; say $x; end < list", "one | two = 0"},
	{"a PATH that was secret", "secret PATH; PATH=hush; try; stop; catch; end; try; work 1s; catch; " +
		"if ${error.message} .matches. 'it was secret'; say lost; end; end", " | lost = 0"},
	{"a directory that was secret", "secret d; d=hushed; cd $d; try; stop; catch; end; try; echo x > file; catch; " +
		"say ${error.kind}; end; try; work 1s; catch; say ${error.kind}; end", " | redirect error = 0"},
	{"break before finally", "for x in 1 2 3; say $x; try; break; finally; stop; end; end; say end", "1 | end = 0"},
	{"continue before finally", "for x in 1 2 3; say $x; try; continue; finally; stop; end; say never; end; say end",
		"1 | 2 3 end = 0"},
	{"return before finally", "function f; try; return a; finally; stop; end; say never; end; x=f(); say $x", " | a = 0"},
	{"return without a value", "function f; try; return; finally; stop; end; say never; end; f; say end", " | end = 0"},
	{"exit before finally", "try; exit 3; finally; stop; end; say never", " | = exit 3"},
	{"failure before finally", "try; failure no; finally; stop; end; say never", " | = failed:failure:attempts"},
	{"success before finally", "try; say try; finally; stop; end; say end", "try | end = 0"},
	{"break in catch", "for x in 1 2 3; say $x; try; failure no; catch; break; finally; stop; end; end; say end",
		"1 | end = 0"},
	{"continue in catch", "for x in 1 2 3; say $x; try; failure no; catch; continue; finally; stop; end; end; say end",
		"1 | 2 3 end = 0"},
}

// TestResumed holds what a script does that was suspended.
func TestResumed(t *testing.T) {
	for _, test := range resumed {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &shutdown{bubble: &bubble{start: time.Now()}, dir: scratchDir(t)}
				err := errors.Join(os.WriteFile(filepath.Join(s.dir, "list"), []byte("one\ntwo\n"), 0o600),
					os.Mkdir(filepath.Join(s.dir, "sub"), 0o700), os.Mkdir(filepath.Join(s.dir, "hushed"), 0o700))
				if err != nil {
					t.Fatal(err)
				}
				fs := memory.New(rand.New(rand.NewPCG(1, 1)))
				if err = s.live(t, fs, test.script); howEnded(err) != "suspended" {
					t.Fatal(err)
				}
				said := s.words()
				s.said = nil
				err = s.live(t, fs, test.script)
				if got := strings.TrimSuffix(said+" | "+s.words(), " ") + " = " + howEnded(err); got != test.want {
					t.Errorf("got  %s\nwant %s", got, test.want)
				}
			})
		})
	}
}

// live runs a script until it ends or is suspended.
func (s *shutdown) live(t *testing.T, fs journal.FS, script string) error {
	j, err := journal.Open("/j", journal.Config{FS: fs, Machine: "m", Host: "h"})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	s.tell = cancel
	out := temporary(t)
	config := s.config()
	config.World, config.Script.Dir = s.world(s), s.dir
	config.Script.Files = []int{-1, int(out.Fd()), int(out.Fd())}
	config.Durable = &durable.Script{Journal: j, Canonical: canonical}
	return interp.New(config).Run(ctx, parse(t, strings.ReplaceAll(script, "; ", "\n")))
}
