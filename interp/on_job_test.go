package interp_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/ast"
	"ftsh/interp"
	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/jobs"
	"ftsh/interp/journal"
	"ftsh/interp/journal/memory"
)

// jobRedirections are programs with redirections, and what they write: as the jobs that they become (a digit before an
// operator stands apart there), and what comes back to standard output and, behind a !, to standard error; or why they
// are refused.
var jobRedirections = []struct{ script, ran, out string }{
	{"tell a > /dev/stdout", "tell a >&1", "a"},
	{"tell a >> /dev/stdout", "tell a >&1", "a"},
	{"tell a > /dev/stderr", "tell a >&2", "!a"},
	{"warn a 2> /dev/stderr", "warn a 2>&2", "!a"},
	{"warn a 2> /dev/stdout", "warn a 2>&1", "a"},
	{"tell a > /dev/fd/1", "tell a >&1", "a"},
	{"tell a > /proc/self/fd/2", "tell a >&2", "!a"},
	{"warn a >& /dev/stdout", "warn a >&1 2>&1", "a"},
	{"warn a &>> /dev/stderr", "warn a >&2 2>&2", "!a"},
	{"tell a 2> /dev/null > /dev/stdout", "tell a 2> /dev/null >&1", "a"},
	{"tell a | copy > /dev/stdout", "tell a | copy >&1", "a"},
	{"warn a |& copy", "warn a |& copy", "a"},
	{"copy < /dev/stdin", "", "error /dev/stdin" + ofShell},
	{"tell a > /dev/stdin", "", "error /dev/stdin" + ofShell},
	{"tell a > /dev/fd/3", "", "error /dev/fd/3" + ofShell},
	{"tell a => /dev/stdout", "", "error /dev/stdout" + ofShell},
	{"tell a > f > /dev/stdout", "", "error /dev/stdout" + ofShell},
	{"tell a 2> f 2> /dev/stderr", "", "error /dev/stderr" + ofShell},
	{"tell a &> f 2> /dev/stderr", "", "error /dev/stderr" + ofShell},
	{"tell a > /dev/stdout | copy", "", "error /dev/stdout" + ofShell},
	{"if true; tell a > /dev/stdout; end > f", "", "error /dev/stdout" + ofShell},
	{"if true; tell a > /dev/stderr; end > f", "tell a >&2", "!a"},
	{"if true; tell a; end > f; copy < f", "tell a; copy < f", "a"},
	{"if true; tell a; end 3> f", "", ofBlock},
	{"if true; tell a >&3; end 3> f", "", ofBlock},
	{"tell a 3> f >&3; copy < f", "tell a 3> f >&3; copy < f", "a"},
	{"tell a >&3", "tell a >&3", "redirect descriptor 3 is not open (job 7 on node)"},
	{"tell a > f; tell b >> f; tell c => g; copy < f; copy < g",
		"tell a > f; tell b >> f; tell c => g; copy < f; copy < g", "a b c"},
	{"tell a -> x; tell b ->> x; copy -< x",
		`tell a >> "${0}/out.0"; tell b >> "${0}/out.0"; copy < "${0}/in.0"`, "a b"},
	{"warn a ->& x; warn b ->>& x; warn c 2->> x; copy -< x",
		`warn a >>& "${0}/out.0"; warn b >>& "${0}/out.0"; warn c 2>> "${0}/out.0"; copy < "${0}/in.0"`, "a b c"},
	{"copy << E; a b; E", `copy < "${0}/in.0"`, "a b"},
	{"copy -< x", "", "error x is not defined"},
	{"tell a > \"\"", "", "redirect > needs the name of a file, found an empty word"},
	{"tell a > $x", "", "error variable x was never set; ${x:-text} gives a default"},
	{"tell a -> x | fail 3", `tell a >> "${0}/out.0" | fail 3`, "exit ended with status 3 (job 7 on node)"},
}

const (
	ofShell = " is a stream of the shell, which a job cannot open here"
	ofBlock = "error descriptor 3 is of the block around, which a job cannot share; redirect it after the program itself"
)

// TestJobRedirections holds what becomes of the redirections of programs that run as jobs.
func TestJobRedirections(t *testing.T) {
	for _, test := range jobRedirections {
		t.Run(test.script, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t) // in real time: what is captured is waited for in the kernel
			out, stderr := temporary(t), temporary(t)
			script := "on slurm\n" + strings.ReplaceAll(test.script, "; ", "\n") + "\nend"
			err := interp.New(c.config(out, stderr)).Run(t.Context(), parse(t, script))
			c.under.Wait()
			got := strings.ReplaceAll(readFile(t, out.Name())+"!"+readFile(t, stderr.Name()), "\n", " ")
			got = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(got), "!"))
			var failure *interp.Failure
			if errors.As(err, &failure) {
				message := strings.TrimPrefix(failure.Message, "on slurm: ")
				got += string(failure.Kind) + " " + message
			}
			if ran := strings.Join(c.ran, "; "); ran != test.ran || got != test.out {
				t.Errorf("{%q, %q, %q},", test.script, ran, got)
			}
		})
	}
}

func temporary(t *testing.T) *os.File {
	file, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}

// TestJobGoesOn holds that jobs go on while no shell runs: each one that is suspended leaves them alone, and the one
// that sees the end of a job removes its folder. Each job waits for 26 minutes, and each shell is told to end after 10.
func TestJobGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.waits = 26 * time.Minute
		file := parse(t, "say begin\non slurm\ntell text\nsay between\ncopy 2> /dev/stderr\nend\nsay end")
		fs := memory.New(rand.New(rand.NewPCG(1, 1)))
		var lives []string
		for range 6 {
			err := c.goOn(t, file, fs, 10*time.Minute)
			lives = append(lives, fmt.Sprintf("%s, %d left", howEnded(err), c.tickets(t)))
		}
		c.under.Wait()
		suspended := slices.Repeat([]string{"suspended, 1 left"}, 5)
		if want := append(suspended, "0, 0 left"); !slices.Equal(lives, want) {
			t.Errorf("its lives were %q, want %q", lives, want)
		}
		if want := []string{"tell text", "copy 2>&2"}; !slices.Equal(c.ran, want) || len(c.submitted) != len(want) {
			t.Errorf("%v jobs were submitted, and %q ran; want %q", c.submitted, c.ran, want)
		}
		if want := []string{"tell|text", "copy"}; !slices.Equal(c.ended, want) {
			t.Errorf("the ends of %q were told, want %q", c.ended, want)
		}
		if c.wrote != "text\n" {
			t.Errorf("the jobs wrote %q", c.wrote)
		}
		if got, want := c.words(), "begin between end"; got != want || len(c.cancelled) > 0 {
			t.Errorf("said %q, want %q; cancelled %q", got, want, c.cancelled)
		}
	})
}

// goOn runs a script with a journal until it ends or, after so long, is told to.
func (c *cluster) goOn(t *testing.T, file *ast.File, fs journal.FS, long time.Duration) error {
	j, err := journal.Open("/j", journal.Config{FS: fs, Machine: "m", Host: "h"})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	out := temporary(t)
	config := c.config(out, out)
	config.Durable, config.Observer = &durable.Script{Journal: j, Canonical: canonical}, c
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	defer time.AfterFunc(long, func() { cancel(errors.New("a signal")) }).Stop()
	err = interp.New(config).Run(ctx, file)
	c.wrote += readFile(t, out.Name())
	return err
}

func (c *cluster) Enabled(level int) bool { return level <= event.Structures }

// Observe notes the words of commands that have ended, and what jobs wait for.
func (c *cluster) Observe(e event.Event) {
	c.lock.Lock()
	defer c.lock.Unlock()
	switch {
	case e.Kind == event.JobWait:
		c.held = append(c.held, e.Message)
	case e.Kind == event.CommandEnd && e.Command[0] != "say":
		c.ended = append(c.ended, strings.Join(e.Command, "|"))
	}
}

// TestJobsWaitForOthers holds that an observer is told where a limit lets no further job begin.
func TestJobsWaitForOthers(t *testing.T) {
	for limit, want := range map[string]int{"": 0, ".limit. 1": 2, ".limit. 2": 1, ".limit. 3": 0} {
		synctest.Test(t, func(t *testing.T) {
			c := newCluster(t)
			out := temporary(t)
			config := c.config(out, out)
			config.Observer = c
			script := "on slurm " + limit + "\nforall x in 1 2 3\ntell a > f$x\nend\nend"
			if err := interp.New(config).Run(t.Context(), parse(t, script)); err != nil || len(c.held) != want {
				t.Errorf("%q: told %q, want %d (%v)", limit, c.held, want, err)
			}
			c.under.Wait()
		})
	}
}

// TestClusterIsUnusable holds that an on fails if its batch system cannot be used, but for where jobs are awaited
// there: then the script is suspended, and its programs do not run here.
func TestClusterIsUnusable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.waits = 15 * time.Minute
		out := temporary(t)
		script := parse(t, "on slurm\ntell text > file\nend\nsay end")
		c.broken = errors.New("no controller")
		err := interp.New(c.config(out, out)).Run(t.Context(), script)
		if failure, failed := err.(*interp.Failure); !failed || failure.Message != "on slurm: no controller" {
			t.Errorf("without a journal: %v", err)
		}
		fs := memory.New(rand.New(rand.NewPCG(1, 1)))
		for life, want := range []string{"suspended", "suspended", "0"} {
			c.broken = nil
			if life == 1 {
				c.broken = errors.New("no controller")
			}
			if err := c.goOn(t, script, fs, 10*time.Minute); howEnded(err) != want {
				t.Errorf("life %d: %v, want %s", life, err, want)
			}
		}
		c.under.Wait()
		if got := c.words(); got != "end" || len(c.ran) != 1 || len(c.submitted) != 1 || len(c.told) > 0 {
			t.Errorf("said %q, ran %q of %v jobs, and here %q", got, c.ran, c.submitted, c.told)
		}
	})
}

// TestJobsGoInTogether holds how many jobs are submitted at a time: those of branches that become ready within a
// second, and none is waited for that cannot come.
func TestJobsGoInTogether(t *testing.T) {
	for _, test := range []struct{ script, want string }{
		{"forall x in 1 2 3; tell a > f$x; end", "[3]"},
		{"forall x in 1 2 3; tell a > f$x; tell b > f$x; end", "[3 3]"},
		{"forall x in 1 2; forall y in 1 2; tell a > f$x$y; end; end", "[4]"},
		{"forall x in 0 1 500 800; if $x .gt. 0; on here; work ${x}ms; end; tell a > f$x; end; end", "[3]"},
		{"forall x in 1 3; on here; work ${x}s; end; tell a > f$x; end", "[1 1]"},
		{"forall x in 1 2 3 .limit. 1; tell a > f$x; end", "[1 1 1]"},
		{"for x in 1 2; tell a > f$x; end", "[1 1]"},
		{"forall x in 1; tell a > f$x; end; tell b > f", "[1 1]"},
	} {
		t.Run(test.script, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(t)
				out := temporary(t)
				script := "on slurm\n" + strings.ReplaceAll(test.script, "; ", "\n") + "\nend"
				err := interp.New(c.config(out, out)).Run(t.Context(), parse(t, script))
				if got := fmt.Sprint(c.submitted); got != test.want || err != nil {
					t.Errorf("submitted %s at a time, want %s (%v)", got, test.want, err)
				}
				c.under.Wait()
			})
		})
	}
}

// TestOnIsRefused holds what is said of an on whose line is wrong. Nothing in it runs.
func TestOnIsRefused(t *testing.T) {
	for _, test := range []struct{ n, line, want string }{
		{"x", "on slurm .pilots. $n", `"x" is not an integer`},
		{"0", "on slurm .pilots. $n", ".pilots. 0: wanted at least 1"},
		{"x", "on slurm .limit. $n", `"x" is not an integer`},
		{"0", "on slurm .limit. $n", ".limit. 0: wanted at least 1 job at a time"},
		{"--output=x", "on slurm $n",
			"--output=x cannot stand after on slurm: write > FILE or => FILE after the program"},
		{"x", "on slurm $n $m", "variable m was never set; ${m:-text} gives a default"},
		{"x", "on slurm .limit. $m", "variable m was never set; ${m:-text} gives a default"},
	} {
		t.Run(test.line, func(t *testing.T) {
			c := newCluster(t)
			out := temporary(t)
			err := interp.New(c.config(out, out)).Run(t.Context(), parse(t, "n="+test.n+"\n"+test.line+"\ntell a\nend"))
			failure, failed := err.(*interp.Failure)
			if !failed || failure.Kind != interp.KindError || failure.Message != test.want || len(c.submitted) > 0 {
				t.Errorf("%s: %v\nwant %s; submitted %v", test.line, err, test.want, c.submitted)
			}
		})
	}
}

// TestJobIsGone holds what becomes of a script whose job was removed while no shell ran: nobody knows what it has done.
func TestJobIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.waits = time.Hour
		script, fs := parse(t, "on slurm\ntell text > file\nend\nsay end"), memory.New(rand.New(rand.NewPCG(1, 1)))
		if err := c.goOn(t, script, fs, 10*time.Minute); howEnded(err) != "suspended" {
			t.Fatal(err)
		}
		before := c.undecided(t, script, fs)
		c.removeTickets(t)
		after := c.undecided(t, script, fs)
		if len(before) > 0 || len(after) != 1 || after[0].Text != "tell text > file" {
			t.Errorf("undecided before %+v, after %+v; want none, and then the job", before, after)
		}
		err := c.goOn(t, script, fs, 10*time.Minute)
		c.under.Wait()
		if howEnded(err) != "failed:unknown:" || len(c.ran) > 0 || c.words() != "" {
			t.Errorf("it ended with %v, ran %q and said %q", err, c.ran, c.words())
		}
	})
}

// TestJobThatSetsAVariable holds that such a job cannot be taken for done if nobody knows what it has done.
func TestJobThatSetsAVariable(t *testing.T) {
	for command, want := range map[string]bool{"tell a > file": false, "tell a -> x": true, "tell a | copy -> x": true} {
		c := newCluster(t) // in real time: what is captured is waited for in the kernel
		c.waits = time.Hour
		fs, out := memory.New(rand.New(rand.NewPCG(1, 1))), temporary(t)
		j, err := journal.Open("/j", journal.Config{FS: fs, Machine: "m", Host: "h"})
		if err != nil {
			t.Fatal(err)
		}
		config, file := c.config(out, out), parse(t, "on slurm\n"+command+"\nend")
		config.Durable = &durable.Script{Journal: j, Canonical: canonical}
		ctx, cancel := context.WithCancelCause(t.Context())
		c.tell = func() { cancel(errors.New("a signal")) }
		if err := interp.New(config).Run(ctx, file); howEnded(err) != "suspended" {
			t.Error(err)
		}
		_ = j.Close()
		c.removeTickets(t)
		list := c.undecided(t, file, fs)
		if len(list) != 1 || list[0].Captures != want {
			t.Errorf("%s: %+v is undecided, which sets a variable: %v", command, list, want)
		}
		c.lock.Lock()
		for _, end := range c.live {
			end()
		}
		c.lock.Unlock()
		c.under.Wait()
	}
}

// removeTickets removes the folders of jobs.
func (c *cluster) removeTickets(t *testing.T) {
	list, _ := filepath.Glob(filepath.Join(c.folder, "c", "[a-z]*", "job"))
	for _, name := range list {
		if err := os.RemoveAll(filepath.Dir(name)); err != nil {
			t.Fatal(err)
		}
	}
}

// undecided lists what somebody has to decide about before a script goes on.
func (c *cluster) undecided(t *testing.T, file *ast.File, fs journal.FS) []durable.Undecided {
	j, err := journal.Open("/j", journal.Config{FS: fs, Machine: "m", Host: "h"})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	out := temporary(t)
	config := c.config(out, out)
	config.Durable = &durable.Script{Journal: j, Canonical: canonical}
	return interp.Undecided(config, file)
}

// TestJobIsCutOff holds that a job which has not begun when a limit passes never does.
func TestJobIsCutOff(t *testing.T) {
	for _, test := range []struct{ script, want string }{
		{"try for 10 s; tell a > f; catch; say ${error.kind} ${error.reason} ${error.message}; end",
			"timeout deadline the limit of 10s passed = 0"},
		{"try for 10 s; try 2 times each 4 s every 0 s; tell a > f; catch; say ${error.kind}; end; end",
			"timeout = 0"},
		{"try; forall x in 1 2; if $x .eql. 1; on here; work 5s; end; failure no; end; tell a > f; end; catch; " +
			"say ${error.message}; end", "no = 0"},
		{"tell a > f; say never", " = failed:cancelled:"},
	} {
		t.Run(test.script, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(t)
				c.waits = time.Hour
				ctx, cancel := context.WithCancelCause(t.Context())
				defer time.AfterFunc(time.Minute, func() { cancel(errors.New("a signal")) }).Stop()
				out := temporary(t)
				script := "on slurm\n" + strings.ReplaceAll(test.script, "; ", "\n") + "\nend"
				err := interp.New(c.config(out, out)).Run(ctx, parse(t, script))
				took := c.Now().Truncate(10 * time.Second)
				if got := c.words() + " = " + howEnded(err); got != test.want || took > time.Minute {
					t.Errorf("after %v: %s\nwant %s", took, got, test.want)
				}
				c.under.Wait()
				if len(c.ran) > 0 {
					t.Errorf("%q ran all the same", c.ran)
				}
			})
		})
	}
}

// TestCutOffBeforeTheClusterIsOpen holds that where nobody has asked for the cluster, the reason of the cut-off is all.
func TestCutOffBeforeTheClusterIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, out := newCluster(t), temporary(t)
		config := c.config(out, out)
		config.World = clustered{config.World, jobs.Clusters(
			func(ctx context.Context, _ string, _ []string, _ func(string)) (*jobs.Cluster, error) {
				<-ctx.Done()
				return new(jobs.Door).Open(ctx, jobs.Config{System: c, Folder: c.folder, Marker: "m", Clock: c})
			})}
		script := parse(t, "try for 10 s\non slurm\nwork\nend\ncatch\nsay ${error.message}\nend")
		if err := interp.New(config).Run(t.Context(), script); err != nil {
			t.Error(err)
		}
		if got := c.words(); got != "the limit of 10s passed" {
			t.Errorf("%q", got)
		}
	})
}
