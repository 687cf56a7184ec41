package process_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ftsh/interp/process"
	"ftsh/interp/process/clock"
)

// TestWatchInGroup has a guardian that is started before any command be told where the groups of commands are.
func TestWatchInGroup(t *testing.T) {
	playApart(t, "watched", groupVariable+"="+delegate(t))
}

func playWatched() {
	home := os.Getenv(groupVariable)
	joinGroup()
	cfg := whole
	clock := clock.New()
	cfg.Clock, cfg.Guardian, cfg.ExecGuardian = clock, true, true
	h, err := process.Open(cfg)
	if err != nil {
		panic(err)
	}
	leave := h.Watch()
	guardian := 0
	for guardian == 0 { // it takes a moment to get its name
		guardian = guardianOf(os.Getpid())
	}
	if told := arguments(guardian); !strings.Contains(told, "\x00"+home+"\x00") {
		fmt.Fprintf(os.Stderr, "the guardian was told %q, and not of %s\n", told, home)
		os.Exit(1)
	}
	leave()
	h.Close()
	clock.Close()
}
