package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"ftsh/ast/constant"
	"ftsh/backoff/shared/locked"
	"ftsh/interp/process/clock"
)

// showResources shows the state of the resources that shells of this user share, or
// of those that are named; or resets one.
func showResources(args []string) int {
	clock := clock.New()
	defer clock.Close()
	folder, err := locked.Existing(locked.Path(os.Getenv("FTSH_STATE_DIR"), os.Getenv("XDG_RUNTIME_DIR")), clock)
	switch {
	case errors.Is(err, os.ErrNotExist) && len(args) == 0:
		return showAnswer("no resource has been used\n")
	case err != nil:
		return refuseToRun(err, "")
	}
	if len(args) > 0 && args[0] == "reset" {
		return resetResource(folder, clock, args[1:])
	}
	known, err := folder.Names()
	if err != nil {
		return refuseToRun(err, "")
	}
	names := args
	if len(args) == 0 {
		names = known
	}
	var text strings.Builder
	for _, name := range names {
		if !slices.Contains(known, name) {
			return refuseToRun(noResource(name, known), "")
		}
		status, err := lookAtResource(folder, clock, name)
		if err != nil {
			return refuseToRun(err, "")
		}
		describeResource(&text, status)
	}
	if text.Len() == 0 {
		return showAnswer("no resource has been used\n")
	}
	return showAnswer(text.String())
}

func noResource(name string, known []string) error {
	if len(known) == 0 {
		return fmt.Errorf("nobody has used a resource %s, nor any other", name)
	}
	return fmt.Errorf("nobody has used a resource %s; there are %s", name, strings.Join(known, " "))
}

func resetResource(folder *locked.Folder, clock *clock.Clock, names []string) int {
	if len(names) != 1 {
		return refuseToRun(errors.New("usage: ftsh --resources reset NAME"), "")
	}
	known, err := folder.Names()
	if err == nil && !slices.Contains(known, names[0]) {
		err = noResource(names[0], known)
	}
	if err == nil {
		ctx, done := locked.Brief(clock)
		defer done()
		err = folder.Reset(ctx, names[0])
	}
	if err != nil {
		return refuseToRun(err, "")
	}
	return statusSuccess
}

func lookAtResource(folder *locked.Folder, clock *clock.Clock, name string) (locked.Status, error) {
	ctx, done := locked.Brief(clock)
	defer done()
	return folder.Look(ctx, name)
}

// describeResource writes the state of a resource as a paragraph.
func describeResource(text *strings.Builder, s locked.Status) {
	line := func(title, format string, args ...any) {
		fmt.Fprintf(text, "    %-10s %s\n", title, fmt.Sprintf(format, args...))
	}
	text.WriteString(s.Name + "\n")
	switch {
	case !s.Used:
		line("unused", "since the machine was started")
		return
	case s.Rules.Slots > 0:
		line("slots", "%d of %d taken, %d waiting", s.Taken, s.Rules.Slots, s.Waiting)
	case s.Waiting > 0:
		line("line", "%d waiting", s.Waiting)
	}
	line("attempts", "%.0f in the last 10 minutes, %.0f of them retries", s.Attempts, s.Retries)
	if s.Rules.Budgeted {
		line("budget", "%v percent: %s", s.Rules.Percent, describeBudget(s))
	}
	if s.Rules.Failures > 0 {
		line("breaker", "%s", describeBreaker(s))
	}
	if s.Floor > 0 {
		line("retryafter", "no attempt for another %s", briefTime(s.Floor))
	}
}

// describeBudget says how many retries the budget allows.
func describeBudget(s locked.Status) string {
	if math.IsInf(s.Left, 1) {
		return "any number of retries allowed"
	}
	text := fmt.Sprintf("%.0f more retries allowed", s.Left)
	if s.Retrying > 0 {
		text += fmt.Sprintf(", %d waiting", s.Retrying)
	}
	return text
}

func describeBreaker(s locked.Status) string {
	if s.Open == 0 {
		return fmt.Sprintf("closed; failures in the last %s: %d, open at %d",
			briefTime(s.Rules.Within), s.Recent, s.Rules.Failures)
	}
	next := "now"
	if s.Probe > 0 {
		next = "in " + briefTime(s.Probe)
	}
	return fmt.Sprintf("open for %s, next probe %s", briefTime(s.Open), next)
}

// briefTime is a time in seconds, or if it is short in milliseconds.
func briefTime(d time.Duration) string {
	unit := time.Second
	if d < time.Second {
		unit = time.Millisecond
	}
	return constant.Brief(d.Round(unit))
}
