package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"ftsh/cmd/ftsh/manual"
)

// showManual lists the topics, or shows the page of one.
func showManual(topics []string) int {
	if len(topics) == 0 {
		return showAnswer(topicList())
	}
	text, found := manual.Page(strings.Join(topics, " "))
	if !found {
		hint := "ftsh --manual lists the pages, ftsh --manual -k " + topics[0] + " those that tell of it"
		return refuseToRun(fmt.Errorf("the manual has no page %s", strings.Join(topics, " ")), hint)
	}
	if isTerminal(1) {
		text = laidOut(text, terminalColumns(1))
		showInPager([]byte(text))
	}
	return statusOfPrint(printRaw([]byte(text)))
}

// laidOut is a page of the manual as a terminal shows it.
func laidOut(page string, columns int) string {
	return manual.Render(page, manual.Terminal{Columns: columns, Styled: isStyled()})
}

// searchManual lists the pages that tell of words.
func searchManual(words []string) int {
	found := manual.Search(words...)
	if len(found) == 0 {
		refuseToRun(fmt.Errorf("no page of the manual tells of %s", strings.Join(words, " and ")),
			"ftsh --manual lists the pages")
		return statusFailed
	}
	var list strings.Builder
	for _, f := range found {
		fmt.Fprintf(&list, "%-14s %s\n", f.Topic, f.Title)
		if f.Line != "" && f.Line != f.Title {
			fmt.Fprintf(&list, "%-14s   %s\n", "", f.Line)
		}
	}
	return showAnswer(list.String())
}

// topicList is the names of the pages with their titles.
func topicList() string {
	return "ftsh --manual TOPIC shows a page of the manual, ftsh --manual -k WORD finds those\n" +
		"that tell of a word, also in the words of other shells. Begin with those marked *.\n\n" + manual.List()
}

// isStyled reports whether a terminal may be written to with bold text and colours.
func isStyled() bool { return !isPlain() && os.Getenv("NO_COLOR") == "" }

// terminalColumns returns the width of a terminal, 0 if it does not say.
func terminalColumns(fd int) int {
	size, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}

// pager shows a text as git does: with $PAGER or less, which ends at once if the
// text fits the screen, and shows colours. Without either the text is written as it is.
const pager = `
LESS=${LESS-FRX} export LESS
if [ -n "${PAGER-}" ]; then eval "exec $PAGER"; fi
if command -v less > /dev/null; then exec less; fi
exec cat`

// showInPager makes this process a pager that reads the text; it returns if that is not possible.
func showInPager(text []byte) {
	fd, err := unix.Open(os.TempDir(), unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return
	}
	defer func() { _ = unix.Close(fd) }()
	if _, err := unix.Write(fd, text); err != nil {
		return
	}
	if _, err := unix.Seek(fd, 0, 0); err != nil || unix.Dup3(fd, 0, 0) != nil {
		return
	}
	_ = syscall.Exec("/bin/sh", []string{"sh", "-c", pager}, os.Environ())
}
