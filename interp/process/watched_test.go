package process_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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
	cfg.Clock, cfg.Guardian = clock, true
	h, err := process.Open(cfg)
	if err != nil {
		panic(err)
	}
	leave := h.Watch()
	told := ""
	names, _ := filepath.Glob("/proc/self/task/*/children")
	for _, name := range names {
		children, _ := os.ReadFile(name)
		for word := range strings.FieldsSeq(string(children)) { // there is only one
			guardian, _ := strconv.Atoi(word)
			told += arguments(guardian)
		}
	}
	if !strings.Contains(told+"\x00", "\x00"+home+"\x00") {
		fmt.Fprintf(os.Stderr, "the guardian was told %q, and not of %s\n", told, home)
		os.Exit(1)
	}
	leave()
	h.Close()
	clock.Close()
}
