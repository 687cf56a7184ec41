package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestCheckMachine has journals of this machine and of others: machines go by their own names, and by those of their
// hosts only if neither has one.
func TestCheckMachine(t *testing.T) {
	for _, tt := range []struct {
		machine, host, ourMachine, ourHost string
		foreign                            bool
	}{
		{"m", "h", "m", "h", false},
		{"m", "h", "m", "renamed", false},
		{"m", "h", "other", "h", true},
		{"m", "h", "", "h", true},
		{"", "h", "m", "h", true},
		{"", "h", "", "h", false},
		{"", "h", "", "other", true},
	} {
		r := &recovered{image: newImage(), path: "/j"}
		r.image.machine, r.image.host = tt.machine, tt.host
		err := r.checkMachine(Config{Machine: tt.ourMachine, Host: tt.ourHost})
		var foreign *ForeignError
		if errors.As(err, &foreign) != tt.foreign {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// TestTornWarning names the lines that are dropped.
func TestTornWarning(t *testing.T) {
	for torn, want := range map[int]string{
		1: "the journal /j: line 5, the last 70 bytes, ", 2: "the journal /j: lines 5 to 6, the last 70 bytes, ",
	} {
		r := &recovered{position: position{lines: 4}, torn: torn}
		if got := tornWarning("/j", r, 70); !strings.HasPrefix(got, want) {
			t.Errorf("%d: %s", torn, got)
		}
	}
}

// TestTreeLines holds that the tree of a rewritten file is in lines of no great length.
func TestTreeLines(t *testing.T) {
	i := newImage()
	for n := range 300 {
		c := Change{Path: "a", Key: fmt.Sprint("k", n), Value: json.RawMessage(Quote(strings.Repeat("v", 1<<10)))}
		i.applyChange(c, 0, 0, 0)
	}
	lines := i.treeLines()
	for _, line := range lines {
		if len(line) > treeLine+2<<10 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
	if len(lines) < 300>>5 {
		t.Errorf("%d lines", len(lines))
	}
}
