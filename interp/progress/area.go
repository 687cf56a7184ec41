package progress

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// area is the rows at the bottom of a terminal in which the lines stand. The
// rows above them are made the part that scrolls, so that what programs write
// stays there.
//
// Everything is written at once: a terminal takes up to 2 KB without letting
// another process in between.
type area struct {
	fd            int
	columns, rows int      // of the terminal, when the area was made
	lines         []string // as they stand there; none: there is no area
	lost          bool     // a program may have drawn over it
	claim         int      // a descriptor of it that is locked; 0: none
}

// terminalSize returns the terminal's size, or zeros if it is too small for an area.
func (a *area) terminalSize() (columns, rows int) {
	size, err := unix.IoctlGetWinsize(a.fd, unix.TIOCGWINSZ)
	if err != nil || size.Col < 20 || size.Row < 4 {
		return 0, 0
	}
	return int(size.Col), int(size.Row)
}

const (
	saveCursor    = "\x1b7"
	restoreCursor = "\x1b8"
	index         = "\x1bD" // a row down in the same column, scrolling at the bottom
)

// showLines draws the lines, if they are not what stands there.
func (a *area) showLines(lines []string) {
	columns, rows := a.terminalSize()
	lines = lines[:min(len(lines), rows/2)]
	moved := len(a.lines) > 0 && (a.lost || columns != a.columns || rows != a.rows)
	if !moved && slices.Equal(lines, a.lines) || len(a.lines) == 0 && !a.claimTerminal() {
		return
	}
	var out bytes.Buffer
	if moved || len(lines) != len(a.lines) {
		a.giveRowsBack(&out, rows)
		a.takeRows(&out, columns, rows, len(lines))
	}
	if len(lines) > 0 {
		out.WriteString(saveCursor + "\x1b[0;2m")
		for i, text := range lines {
			fmt.Fprintf(&out, "\x1b[%d;1H%s\x1b[K", a.rows-len(lines)+1+i, text)
		}
		out.WriteString(restoreCursor)
	}
	a.lines, a.lost = lines, false
	_, _ = unix.Write(a.fd, out.Bytes())
	if len(lines) == 0 && a.claim != 0 {
		_ = unix.Close(a.claim)
		a.claim = 0
	}
}

// claimTerminal keeps other shells, such as those that this one has started,
// from drawing an area on the same terminal, or finds that one of them does.
func (a *area) claimTerminal() bool {
	const flags = unix.O_RDONLY | unix.O_NOCTTY | unix.O_NONBLOCK | unix.O_CLOEXEC
	claim, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", a.fd), flags, 0)
	if err != nil {
		return true // it cannot be known
	}
	if unix.Flock(claim, unix.LOCK_EX|unix.LOCK_NB) != nil {
		_ = unix.Close(claim)
		return false
	}
	a.claim = claim
	return true
}

// takeRows takes rows at the bottom out of what scrolls. If the cursor is in one of
// them, what is above moves up first.
func (a *area) takeRows(out *bytes.Buffer, columns, rows, height int) {
	if height == 0 {
		return
	}
	a.columns, a.rows = columns, rows
	out.WriteString(strings.Repeat(index, height))
	fmt.Fprintf(out, "\x1b[%dA%s\x1b[1;%dr%s", height, saveCursor, rows-height, restoreCursor)
}

// giveRowsBack clears the area and makes all rows scroll again. A terminal that has
// grown has left the area where it was.
func (a *area) giveRowsBack(out *bytes.Buffer, rows int) {
	if len(a.lines) == 0 {
		return
	}
	out.WriteString(saveCursor)
	for i := range a.lines {
		if row := a.rows - len(a.lines) + 1 + i; row <= rows {
			fmt.Fprintf(out, "\x1b[%d;1H\x1b[2K", row)
		}
	}
	out.WriteString("\x1b[r" + restoreCursor)
}
