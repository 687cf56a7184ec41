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
	before := string(e.now.text[:e.now.pos])
	list, start := e.shell.candidates(before)
	m := &menu{list: list, before: e.now, start: utf8.RuneCountInString(before[:start]), chosen: -1}
	switch common := commonStart(list); {
	case len(list) == 0:
		e.screen.buf.WriteByte('\a')
	case len(list) == 1:
		e.now = m.complete(list[0])
	case len(common) > e.now.pos-m.start:
		e.now = e.now.replaceText(m.start, e.now.pos, common)
	default:
		e.menu = m
	}
}

// complete is the line with a candidate in the place of the word at the cursor.
func (m *menu) complete(c candidate) line {
	to := m.before.replaceText(m.start, m.before.pos, []rune(c.text))
	if c.whole && (to.pos == len(to.text) || !isBlank(to.text[to.pos])) {
		return to.insertText(" ")
	}
	return to
}

// commonStart returns the beginning that all candidates share, in whole clusters.
func commonStart(list []candidate) (common []rune) {
	for i, c := range list {
		text := []rune(c.text)
		if i == 0 {
			common = text
		}
		n := 0
		for n < min(len(common), len(text)) && common[n] == text[n] {
			n++
		}
		common = common[:n]
	}
	if n := len(common); n > 0 && common[n-1] == '\\' && string(common) != list[0].text {
		common = common[:n-1] // half of an escape
	}
	return common
}

// menuPress does what a key means while there is a menu. False: it means nothing there, and closes the menu.
func (e *editor) menuPress(k key) bool {
	m := e.menu
	columns, _ := e.term.cellSize()
	across, _ := m.measure(columns)
	steps := map[string]int{"tab": 1, "right": 1, "shift-tab": -1, "left": -1, "down": across, "up": -across}
	switch step := steps[k.name]; {
	case step != 0:
		n := len(m.list)
		m.chosen = ((m.chosen+step)%n + n) % n
		e.now = m.before.replaceText(m.start, m.before.pos, []rune(m.list[m.chosen].text))
	case k.name == "escape", k.name == "ctrl-g":
		e.menu, e.now = nil, m.before
	case k.name == "enter" && m.chosen >= 0:
		e.menu, e.now = nil, m.complete(m.list[m.chosen])
	default:
		e.menu = nil
		return false
	}
	return true
}

// measure returns how many candidates stand beside each other, one if any has a description, and how wide each is.
func (m *menu) measure(columns int) (across, width int) {
	const gap = 2
	width = 1
	for _, c := range m.list {
		width = max(width, displaywidth.String(c.shown)+gap)
	}
	width = min(width, columns)
	if slices.ContainsFunc(m.list, func(c candidate) bool { return c.about != "" }) {
		return 1, width
	}
	return max(1, columns/width), width
}

// putOn lays out as much of a menu as the height allows, and with it the chosen one.
func (m *menu) putOn(l *layout, height int) {
	const highest = 10
	height = max(1, min(height, highest))
	across, width := m.measure(l.columns)
	begin := max(0, m.chosen/across-height+1) * across
	end := min(len(m.list), begin+height*across)
	for n := begin; n < end; n++ {
		if n%across == 0 {
			l.newLine()
		}
		c, column, s := m.list[n], l.lastRow().width+width, stylePlain
		if n == m.chosen {
			s = styleSelected
		}
		l.putCut(c.shown, column, s)
		for l.lastRow().width < column && (n%across < across-1 && n < end-1 || c.about != "") {
			l.putPiece(" ", 1, stylePlain)
		}
		l.putCut(c.about, l.columns, styleFaint)
	}
	if more := len(m.list) - end; more > 0 {
		l.putRow("… "+strconv.Itoa(more)+" more", styleFaint)
	}
}
