package repl_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
)

// situations lists the states of a prompt when its end comes, each with what leads there.
var situations = map[string]func(c *console){
	"typing":  func(c *console) { c.Typed("touch ran") },
	"running": func(c *console) { c.Send("/bin/sleep 1000\r"); c.begins("/bin/sleep 1000") },
	"waiting": func(c *console) {
		c.Send("try for 1 hour every 10 minutes\rfalse\rend\r")
		c.Shows("next in")
	},
	"stopped": (*console).stopsProgram,
	"stopped, and asked whether it may end": func(c *console) {
		c.stopsProgram()
		c.Send(ctrlD)
		c.Shows("1 stopped; fg goes on, leaving once more ends it")
		c.CursorAfter(prompt)
	},
	"stopped, and running": func(c *console) {
		c.stopsProgram()
		c.Send("/bin/sleep 1000\r")
		c.begins("/bin/sleep 1000")
	},
	"stopped, and going on": func(c *console) {
		c.stopsProgram()
		c.Send("fg\r")
		c.Sees(prompt+"fg", "work")
	},
	"stopped, and deaf": func(c *console) {
		c.Send("deaf\r")
		c.Shows("working")
		c.Send(ctrlZ)
		c.CursorAfter(prompt)
	},
}

func (c *console) stopsProgram() {
	c.Send("work\r")
	c.Shows("working")
	c.Send(ctrlZ)
	c.CursorAfter(prompt)
}

// ends are the ways in which a prompt may have to end. Of a shell below another program nobody tells it but the
// terminal.
var ends = map[string]struct {
	under string
	end   func(c *console)
}{
	"closed":                     {"", func(c *console) { c.CloseTerminal() }},
	"closed, below another":      {"bin/login", func(c *console) { c.CloseTerminal() }},
	"SIGTERM":                    {"", func(c *console) { c.signalsShell(syscall.SIGTERM) }},
	"SIGHUP":                     {"", func(c *console) { c.signalsShell(syscall.SIGHUP) }},
	"closed, SIGTERM afterwards": {"", func(c *console) { c.CloseTerminal(); c.signalsShell(syscall.SIGTERM) }},
}

// signalsShell sends a signal to the shell, which may have ended.
func (c *console) signalsShell(sig syscall.Signal) {
	for pid, name := range c.Processes() {
		if strings.HasSuffix(strings.TrimSpace(name), "/ftsh") {
			_ = syscall.Kill(pid, sig)
		}
	}
}

// TestNothingIsLeft ends prompts in all situations in all ways: shell, programs and all are gone soon.
func TestNothingIsLeft(t *testing.T) {
	rounds := 1
	if skip.Long() {
		rounds = 10 // 400 ends in all, 240 of them by closing the terminal
	}
	for round := range rounds {
		for _, situation := range slices.Sorted(maps.Keys(situations)) {
			for _, way := range slices.Sorted(maps.Keys(ends)) {
				t.Run(fmt.Sprint(situation, ", then ", way, ", ", round), func(t *testing.T) {
					t.Parallel()
					end := ends[way]
					c := newConsole(t, shelltest.ConsoleConfig{Under: end.under, Files: map[string]string{
						"bin/login": "#!/bin/sh\nftsh\ntrue\n",
						"bin/work":  "#!/bin/sh\necho working\nread a\n",
						"bin/deaf":  "#!/bin/sh\ntrap '' INT TERM HUP\necho working\nwhile :; do read a; sleep 0.1; done\n",
					}})
					c.CursorAfter(prompt)
					situations[situation](c)
					end.end(c)
					c.Leaves()
					c.leavesNothing()
				})
			}
		}
	}
}

// leavesNothing waits until no process is left. The shell may be no child of the test, so that only looking tells.
func (c *console) leavesNothing() {
	c.T.Helper()
	for late := time.Now().Add(10 * time.Second); len(c.Processes()) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(late) {
			c.T.Fatal("left behind: ", c.Processes())
		}
	}
}
