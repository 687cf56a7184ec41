package progress

import (
	"bytes"
	"fmt"
	"slices"

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
	claim         int      // see claimTerminal; 0: none
	buf           bytes.Buffer
}

// terminalSize asks for the terminal's size; false if it is too small for an area.
func (a *area) terminalSize() (columns, rows int, ok bool) {
	size, err := unix.IoctlGetWinsize(a.fd, unix.TIOCGWINSZ)
	if err != nil || size.Col < 20 || size.Row < 4 {
		return 0, 0, false
	}
	return int(size.Col), int(size.Row), true
}

// showLines draws the lines, if they are not what stands there.
func (a *area) showLines(lines []string) {
	columns, rows, ok := a.terminalSize()
	if !ok {
		lines = nil
	}
	lines = lines[:min(len(lines), max(0, rows/2))]
	moved := len(a.lines) > 0 && (a.lost || columns != a.columns || rows != a.rows)
	if !moved && slices.Equal(lines, a.lines) {
		return
	}
	if len(a.lines) == 0 && !a.claimTerminal() {
		return
	}
	if moved || len(lines) != len(a.lines) {
		a.giveRowsBack(rows)
		if len(lines) > 0 {
			a.takeRows(columns, rows, len(lines))
		}
	}
	a.writeLines(lines)
	a.lines, a.lost = append(a.lines[:0], lines...), false
	_, _ = unix.Write(a.fd, a.buf.Bytes())
	a.buf.Reset()
	if len(lines) == 0 {
		a.releaseTerminal()
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

func (a *area) releaseTerminal() {
	if a.claim != 0 {
		_ = unix.Close(a.claim)
		a.claim = 0
	}
}

const (
	saveCursor    = "\x1b7"
	restoreCursor = "\x1b8"
	index         = "\x1bD" // a row down in the same column, scrolling at the bottom
)

// takeRows takes rows at the bottom out of what scrolls. If the cursor is in one of
// them, what is above moves up first.
func (a *area) takeRows(columns, rows, height int) {
	a.columns, a.rows = columns, rows
	for range height {
		a.buf.WriteString(index)
	}
	fmt.Fprintf(&a.buf, "\x1b[%dA%s\x1b[1;%dr%s", height, saveCursor, rows-height, restoreCursor)
}

// giveRowsBack clears the area and makes all rows scroll again. A terminal that has
// grown has left the area where it was.
func (a *area) giveRowsBack(rows int) {
	if len(a.lines) == 0 {
		return
	}
	a.buf.WriteString(saveCursor)
	for i := range a.lines {
		if row := a.rows - len(a.lines) + 1 + i; row <= rows {
			fmt.Fprintf(&a.buf, "\x1b[%d;1H\x1b[2K", row)
		}
	}
	a.buf.WriteString("\x1b[r" + restoreCursor)
	a.lines = a.lines[:0]
}

// writeLines writes the lines into the area.
func (a *area) writeLines(lines []string) {
	if len(lines) == 0 {
		return
	}
	a.buf.WriteString(saveCursor + "\x1b[0;2m")
	for i, text := range lines {
		fmt.Fprintf(&a.buf, "\x1b[%d;1H%s\x1b[K", a.rows-len(lines)+1+i, text)
	}
	a.buf.WriteString(restoreCursor)
}
