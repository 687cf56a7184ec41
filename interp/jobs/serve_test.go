package jobs

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/interp/journal"
)

// pilotFolder is a pilot's folder, and those of programs for it.
func pilotFolder(t *testing.T, n int) (pilot *Assignment, programs []ticket) {
	t.Helper()
	in, err := makeFolder(filepath.Join(t.TempDir(), "jobs"))
	if err != nil {
		t.Fatal(err)
	}
	own, err := newTicket(in, "pilot-1", &Job{order: order{Words: texts{"pilot"}, Pilot: true}})
	if err != nil {
		t.Fatal(err)
	}
	if pilot, err = Begin([]string{string(own.folder), "1", "s"}, &system{}); err != nil || !pilot.Pilot {
		t.Fatal(err)
	}
	for k := 1; k <= n; k++ {
		p, err := newTicket(in, fmt.Sprint("program-", k), &Job{order: order{Words: texts{"true"}}, pilots: &pilots{}})
		if err != nil {
			t.Fatal(err)
		}
		if err := own.write(fmt.Sprint("next-", k), asJSON(nextProgram{journal.Text(p.folder), 1})); err != nil {
			t.Fatal(err)
		}
		programs = append(programs, p)
	}
	return pilot, programs
}

// TestServe: a pilot runs what it is handed, passes over what is not wanted any more, and ends while there is time.
func TestServe(t *testing.T) {
	for name, c := range map[string]struct {
		left, each time.Duration
		unwanted   int // the program that the shell has claimed
		runs       string
	}{
		"time enough":     {left: time.Hour, each: time.Second, runs: "[1 2 3 4]"},
		"no limit":        {left: 0, each: time.Hour, runs: "[1 2 3 4]"},
		"too little":      {left: 10 * time.Minute, each: 4 * time.Minute, runs: "[1 2]"},
		"a tenth is left": {left: 100 * time.Second, each: 46 * time.Second, runs: "[1 2]"},
		"not wanted":      {left: time.Hour, each: time.Second, unwanted: 2, runs: "[1 3 4]"},
	} {
		t.Run(name, func(t *testing.T) {
			pilot, programs := pilotFolder(t, 4)
			if c.unwanted > 0 {
				if _, won, err := programs[c.unwanted-1].take(1, claim{Shell: true, Word: "w"}); !won || err != nil {
					t.Fatal(won, err)
				}
			}
			clock := &hand{}
			ctx, cancel := context.WithCancel(t.Context())
			var runs []string
			config := Worker{System: &system{}, Clock: clock, Perform: func(_ context.Context, a *Assignment) Ending {
				clock.now.Add(int64(c.each))
				runs = append(runs, a.ticket.name[len("program-"):])
				if a.ticket.name == "program-4" {
					cancel() // there are no more
				}
				return Ending{Kind: "exit", Status: 3}
			}}
			if err := pilot.serve(ctx, config, func() stay { return stay{c.left, c.left} }); err != nil {
				t.Fatal(err)
			}
			cancel()
			if got := fmt.Sprint(runs); got != c.runs {
				t.Errorf("ran %s, want %s", got, c.runs)
			}
			if s, there, _ := programs[0].ended(1); !there || s.Status != 3 || s.Number != "7" {
				t.Errorf("status %v, there %v", s, there)
			}
		})
	}
}

// TestServeIdle: a pilot ends when there has been nothing for a minute, counted from the end of its last program.
func TestServeIdle(t *testing.T) { synctest.Test(t, serveIdle) }

func serveIdle(t *testing.T) {
	pilot, _ := pilotFolder(t, 2)
	clock := bubble{time.Now()}
	const each = 50 * time.Second
	config := Worker{System: &system{}, Clock: clock, Perform: func(context.Context, *Assignment) Ending {
		time.Sleep(each)
		return Ending{}
	}}
	if err := pilot.serve(t.Context(), config, func() stay { return stay{} }); err != nil {
		t.Fatal(err)
	}
	if took := clock.Now(); took < 2*each+idleTime || took > 2*each+idleTime+time.Second {
		t.Errorf("it ended after %v, want %v", took, 2*each+idleTime)
	}
}

// TestPauseNear: a runner looks often when a limit of the script passes, and hardly ever otherwise.
func TestPauseNear(t *testing.T) {
	const usual, often = 2 * time.Second, 50 * time.Millisecond
	now := time.Now()
	for name, c := range map[string]struct {
		limit time.Time
		want  time.Duration
	}{
		"none":             {time.Time{}, usual},
		"far":              {now.Add(time.Hour), usual},
		"near":             {now.Add(time.Second), time.Second + often},
		"now":              {now, often},
		"just passed":      {now.Add(-time.Second), often},
		"passed by now":    {now.Add(-4 * time.Second), usual},
		"as far as a look": {now.Add(usual), usual},
	} {
		if got := pauseNear(c.limit, now, usual); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestTakeSignals: what the shell has put into the folder for the programs comes once, as a signal to the runner.
func TestTakeSignals(t *testing.T) {
	came := make(chan os.Signal, 4)
	signal.Notify(came, syscall.SIGUSR1, syscall.SIGUSR2)
	defer signal.Stop(came)
	for _, c := range []struct {
		sent, wanted bool
	}{{true, false}, {false, true}} {
		a := &Assignment{ticket: newJob(t, false), signals: !c.sent}
		if err := a.ticket.put(signalName(syscall.SIGUSR2), nil, false); err != nil {
			t.Fatal(err)
		}
		a.takeSignals()
		a.takeSignals()
		if c.wanted {
			if sig := <-came; sig != syscall.SIGUSR2 {
				t.Errorf("%v came", sig)
			}
		}
		if len(came) > 0 {
			t.Errorf("%v came, too", <-came)
		}
	}
}
