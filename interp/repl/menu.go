package repl

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// candidate is something that could be written.
type candidate struct {
	text  string // as it is written, quoted
	shown string // as it is shown in a menu
	whole bool   // a blank follows: the word is complete
	about string // a description
}

type menu struct {
	list   []candidate
	before line // without any of them
	start  int  // where the word begins that they replace, in runes
	chosen int  // -1: none yet
}

// pressTab completes the word at the cursor, or opens a menu.
func (e *editor) pressTab() {
	l := e.now
	before := string(l.text[:l.pos])
	list, start := e.shell.candidates(before)
	begin := utf8.RuneCountInString(before[:start])
	switch len(list) {
	case 0:
		e.screen.buf.WriteByte('\a')
		return
	case 1:
		e.now = l.withCandidate(begin, list[0])
		return
	}
	if common := commonStart(list); len(common) > l.pos-begin {
		e.now = l.replaceText(begin, l.pos, common)
		return
	}
	e.menu = &menu{list: list, before: l, start: begin, chosen: -1}
}

// withCandidate is a line with a candidate in the place of the word at the cursor.
func (l line) withCandidate(start int, c candidate) line {
	to := l.replaceText(start, l.pos, []rune(c.text))
	if c.whole && (to.pos == len(to.text) || !isBlank(to.text[to.pos])) {
		return to.insertText(" ")
	}
	return to
}

// commonStart returns the beginning that all candidates share, in whole clusters.
func commonStart(list []candidate) []rune {
	common := []rune(list[0].text)
	for _, c := range list[1:] {
		text := []rune(c.text)
		n := 0
		for n < min(len(common), len(text)) && common[n] == text[n] {
			n++
		}
		common = common[:n]
	}
	if n := len(common); n > 0 && common[n-1] == '\\' && !slices.Equal(common, []rune(list[0].text)) {
		common = common[:n-1] // half of an escape
	}
	return common
}

// menuPress does what a key means while there is a menu. False: it means nothing there, and closes the menu.
func (e *editor) menuPress(k key) bool {
	m := e.menu
	columns, _ := e.term.cellSize()
	switch across := m.countColumns(columns); k.name {
	case "tab", "right":
		e.chooseCandidate(m.chosen + 1)
	case "shift-tab", "left":
		e.chooseCandidate(m.chosen - 1)
	case "down":
		e.chooseCandidate(m.chosen + across)
	case "up":
		e.chooseCandidate(m.chosen - across)
	case "escape", "ctrl-g":
		e.menu, e.now = nil, m.before
	default:
		e.menu = nil
		if k.name != "enter" || m.chosen < 0 {
			return false
		}
		e.now = m.before.withCandidate(m.start, m.list[m.chosen])
	}
	return true
}

func (e *editor) chooseCandidate(n int) {
	m := e.menu
	m.chosen = (n%len(m.list) + len(m.list)) % len(m.list)
	e.now = m.before.replaceText(m.start, m.before.pos, []rune(m.list[m.chosen].text))
}

const menuGap = 2

// countColumns returns how many candidates stand beside each other: one, if any has a description.
func (m *menu) countColumns(columns int) int {
	described := slices.ContainsFunc(m.list, func(c candidate) bool { return c.about != "" })
	return ifElse(described, 1, max(1, columns/m.cellWidth(columns)))
}

func (m *menu) cellWidth(columns int) int {
	widest := 1
	for _, c := range m.list {
		widest = max(widest, displaywidth.String(c.shown)+menuGap)
	}
	return min(widest, columns)
}

// putOn lays out as much of a menu as the height allows, and with it the chosen one.
func (m *menu) putOn(l *layout, height int) {
	height = max(1, min(height, menuHeight))
	cell, across := m.cellWidth(l.columns), m.countColumns(l.columns)
	rows := (len(m.list) + across - 1) / across
	top := max(0, m.chosen/across-height+1)
	for n := top; n < min(rows, top+height); n++ {
		l.newLine()
		m.putRow(l, m.list[n*across:min(len(m.list), (n+1)*across)], n*across, cell)
	}
	if more := len(m.list) - min(rows, top+height)*across; more > 0 {
		l.putRow("… "+strconv.Itoa(more)+" more", styleFaint)
	}
}

const menuHeight = 10

// putRow lays out one row of candidates, of which the first has that number.
func (m *menu) putRow(l *layout, list []candidate, first, cell int) {
	for i, c := range list {
		begin := l.lastRow().width
		l.putCut(c.shown, begin+cell, ifElse(first+i == m.chosen, styleSelected, stylePlain))
		l.setStyle(stylePlain)
		for l.lastRow().width < begin+cell && (i < len(list)-1 || c.about != "") {
			l.putPiece(" ", 1, stylePlain)
		}
		l.putCut(c.about, l.columns, styleFaint)
	}
}
