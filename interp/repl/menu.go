package repl

import (
	"slices"
	"strconv"

	"github.com/clipperhouse/displaywidth"
)

// candidate is something that could be written.
type candidate struct {
	text  string // as it is written, quoted
	shown string // as it is shown in a menu
	whole bool   // a blank follows: the word is complete
}

// menu is several candidates below what is typed, one of which may be chosen.
//
// Fault of readline: with a candidate that is wider than the terminal it
// divides by zero, and its menu counts code points, so that the cursor comes
// back to the wrong place after wide characters.
type menu struct {
	list   []candidate
	before line // without any of them
	start  int  // where the word begins that they replace, in runes
	chosen int  // -1: none yet
}

// complete is Tab.
func (e *editor) complete() (rune, bool) {
	l := e.now
	list, start := e.host.candidates(string(l.text[:l.pos]))
	begin := len([]rune(string(l.text[:l.pos])[:start]))
	switch len(list) {
	case 0:
		e.screen.buf.WriteByte('\a')
		return 0, false
	case 1:
		return e.become(l.written(begin, list[0]))
	}
	if common := commonStart(list); len(common) > l.pos-begin {
		return e.become(l.replace(begin, l.pos, common))
	}
	e.menu = &menu{list: list, before: l, start: begin, chosen: -1}
	return 0, false
}

// written is a line with a candidate in the place of the word at the cursor.
func (l line) written(start int, c candidate) line {
	to := l.replace(start, l.pos, []rune(c.text))
	if c.whole && (to.pos == len(to.text) || !isBlank(to.text[to.pos])) {
		return to.insert(" ")
	}
	return to
}

// commonStart is what all candidates begin with, in whole clusters.
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

// menuPress does what a key means while there is a menu. A key that means
// nothing there closes it and means what it means elsewhere: then done is false.
func (e *editor) menuPress(k key) (r rune, pass, done bool) {
	m := e.menu
	columns, _ := e.term.size()
	across := m.columns(columns)
	switch k.code {
	case keyTab, keyRight:
		r, pass = e.choose(m.chosen + 1)
	case keyBackTab, keyLeft:
		r, pass = e.choose(m.chosen - 1)
	case keyDown:
		r, pass = e.choose(m.chosen + across)
	case keyUp:
		r, pass = e.choose(m.chosen - across)
	case keyEscape, keyCancel, keyInterrupt:
		e.menu = nil
		r, pass = e.become(m.before)
	case keyEnter:
		e.menu = nil
		if m.chosen < 0 {
			return 0, false, false
		}
		r, pass = e.become(m.before.written(m.start, m.list[m.chosen]))
	default:
		e.menu = nil
		return 0, false, false
	}
	return r, pass, true
}

// choose writes another candidate.
func (e *editor) choose(n int) (rune, bool) {
	m := e.menu
	m.chosen = (n%len(m.list) + len(m.list)) % len(m.list)
	return e.become(m.before.replace(m.start, m.before.pos, []rune(m.list[m.chosen].text)))
}

// menuGap is between two columns.
const menuGap = 2

// columns is how many candidates stand beside each other.
func (m *menu) columns(columns int) int { return max(1, columns/m.cell(columns)) }

// cell is how wide a column is.
func (m *menu) cell(columns int) int {
	widest := 1
	for _, c := range m.list {
		widest = max(widest, displaywidth.String(c.shown)+menuGap)
	}
	return min(widest, columns)
}

// put lays out as much of a menu as the height allows, and with it the chosen one.
func (m *menu) put(l *layout, height int) {
	height = max(1, min(height, menuHeight))
	cell, across := m.cell(l.columns), m.columns(l.columns)
	rows := (len(m.list) + across - 1) / across
	top := 0
	if m.chosen >= 0 {
		top = max(0, m.chosen/across-height+1)
	}
	for n := top; n < min(rows, top+height); n++ {
		l.newLine()
		m.putRow(l, m.list[n*across:min(len(m.list), (n+1)*across)], n*across, cell)
	}
	if more := len(m.list) - min(rows, top+height)*across; more > 0 {
		l.putRow("… "+strconv.Itoa(more)+" more", styleFaint)
	}
}

// menuHeight is how many rows a menu has at most.
const menuHeight = 10

// putRow lays out one row of candidates, of which the first has that number.
func (m *menu) putRow(l *layout, list []candidate, first, cell int) {
	for i, c := range list {
		as := stylePlain
		if first+i == m.chosen {
			as = styleSelected
		}
		begin := l.last().width
		clusters(c.shown, func(c cluster) bool {
			if l.last().width-begin+max(1, c.width) >= cell {
				l.put("…", 1, as) // cut: no cell is wider than the terminal
				return false
			}
			l.putCluster(c, as)
			return true
		})
		l.setStyle(stylePlain)
		for l.last().width < begin+cell && i < len(list)-1 {
			l.put(" ", 1, stylePlain)
		}
	}
}
