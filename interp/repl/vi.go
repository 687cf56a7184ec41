package repl

import (
	"slices"
	"strings"
)

// viMode is the state of the keys of vi. The zero value inserts.
type viMode struct {
	command bool   // keys are commands, after Escape
	pending string // keys of a command that is not whole yet
	record  []key  // the keys of the command, and what it has had typed
	change  []key  // those of the last command that changed something
	again   bool   // they are being pressed again
	find    string // the last f, F, t or T with its character
}

// viPress does what a key means in vi. False: it means what it means elsewhere.
func (e *editor) viPress(k key) bool {
	v := &e.vi
	if !v.again {
		v.record = append(v.record, k)
	}
	switch {
	case !v.command:
		e.chain = e.was // one insertion is one change
		if k.name != "escape" {
			return false
		}
		v.command = true
		e.now = e.now.at(max(e.now.home().pos, e.now.left().pos))
		e.viEnd(true)
	case k.name == "char":
		v.pending += k.text
		if c, whole := readVi(v.pending); whole {
			v.pending = ""
			e.viDo(c)
		}
	case k.name == "ctrl-r":
		e.now = e.undo.moveTo(1, e.now)
		v.record = nil
	default:
		v.pending, v.record = "", nil
		return k.name == "escape"
	}
	return true
}

// viEnd ends a command, which did or did not change something.
func (e *editor) viEnd(changed bool) {
	v := &e.vi
	if changed && !v.again && len(v.record) > 0 {
		v.change = v.record
	}
	if !v.again {
		v.record = nil
	}
	if l := e.now; v.command && l.pos > lineStart(l.text, l.pos) && l.pos == lineEnd(l.text, l.pos) {
		e.now = l.left() // commands stand on a character
	}
}

// viCommand is a command of vi: a motion or an action, maybe after an operator.
type viCommand struct {
	count    int  // 0: none was given
	operator byte // d, c or y; 0: none
	what     byte // the motion or action
	of       rune // the character that f, t, r, i, a and g are followed by
}

// readVi reads a command from its keys; false if it is not whole.
func readVi(keys string) (c viCommand, whole bool) {
	count := func() {
		n, digits := 0, 0
		for digits < len(keys) && '0' <= keys[digits] && keys[digits] <= '9' && (digits > 0 || keys[0] != '0') {
			n, digits = min(n*10+int(keys[digits]-'0'), 1000), digits+1
		}
		if digits > 0 {
			c.count, keys = max(c.count, 1)*n, keys[digits:]
		}
	}
	count()
	if keys != "" && strings.IndexByte("dcy", keys[0]) >= 0 {
		c.operator, keys = keys[0], keys[1:]
		count()
	}
	if keys == "" {
		return c, false
	}
	c.what, keys = keys[0], keys[1:]
	if strings.IndexByte("fFtTrg", c.what) >= 0 || c.operator != 0 && (c.what == 'i' || c.what == 'a') {
		for _, c.of = range keys {
			return c, true
		}
		return c, false
	}
	return c, true
}

func (e *editor) viDo(c viCommand) {
	before := e.now
	shorts := map[byte]string{'D': "d$", 'C': "c$", 'Y': "yy", 'S': "cc", 's': "cl", 'x': "dl", 'X': "dh"}
	if short := shorts[c.what]; short != "" && c.operator == 0 {
		count := c.count
		c, _ = readVi(short)
		c.count = count
	}
	if c.operator != 0 {
		e.viOperate(c)
	} else if to, _, ok := e.viMotion(c); ok {
		e.now = to
	} else {
		e.viAction(c)
	}
	if e.vi.command {
		e.viEnd(strings.IndexByte("u.jk", c.what) < 0 && !slices.Equal(before.text, e.now.text))
	}
}

// viOperate deletes, changes or copies what a motion goes over, whole lines, or what stands around the cursor.
func (e *editor) viOperate(c viCommand) {
	at, ok := e.viRange(c)
	if !ok {
		return
	}
	e.kills.addKill(string(e.now.text[at.start:at.end]), false, false)
	if c.operator == 'y' {
		e.now = e.now.at(at.start)
		return
	}
	e.now = e.now.replaceText(at.start, at.end, nil)
	if c.operator == 'c' {
		e.vi.command, e.chain = false, "typing"
	}
}

// viRange returns the piece of text that an operator works on.
func (e *editor) viRange(c viCommand) (at span, ok bool) {
	l := e.now
	switch {
	case c.what == c.operator:
		at = span{l.home().pos, l.end().pos}
		for range c.count - 1 {
			at.end = lineEnd(l.text, min(at.end+1, len(l.text)))
		}
		if c.operator == 'd' && at.end < len(l.text) {
			at.end++
		} else if c.operator == 'd' && at.start > 0 {
			at.start--
		}
		return at, true
	case c.what == 'i' || c.what == 'a':
		return l.viAround(c.of, c.what == 'a')
	case c.operator == 'c' && (c.what == 'w' || c.what == 'W') && viClass(l.runeAtCursor(), false) != 0:
		big, to := c.what == 'W', l // to the end of the word, and not on to the next
		for range max(1, c.count) {
			to = to.on(isBlank)
			to = to.on(ofClass(viClass(to.runeAtCursor(), big), big, true))
		}
		return span{l.pos, to.pos}, true
	}
	to, inclusive, ok := e.viMotion(c)
	at = span{min(l.pos, to.pos), max(l.pos, to.pos)}
	if inclusive && to.pos > l.pos {
		at.end = following(l.text, at.end)
	}
	return at, ok
}

func (e *editor) viAction(c viCommand) {
	l, v := e.now, &e.vi
	insert := func(l line) { e.now, v.command = l, false }
	switch c.what {
	case 'i':
		insert(l)
	case 'a':
		insert(l.at(min(l.right().pos, l.end().pos)))
	case 'I':
		insert(l.home().on(isSpace))
	case 'A':
		insert(l.end())
	case 'o':
		insert(l.end().insertText("\n"))
	case 'O':
		insert(l.home().insertText("\n").left())
	case 'p', 'P':
		if c.what == 'p' {
			l = l.right()
		}
		if n := len(e.kills.texts); n > 0 { // and stands on its last character
			e.now = l.insertText(strings.Repeat(e.kills.texts[n-1], max(1, c.count))).left()
		}
	case 'r', '~':
		e.viReplace(c)
	case 'u':
		e.now = e.undo.moveTo(-1, l)
	case 'j':
		e.now = e.recall.stepTo(l, 1, "")
	case 'k':
		e.now = e.recall.stepTo(l, -1, "")
	case '/', '?':
		e.beginSearch()
	case '.':
		v.again = true
		for range max(1, c.count) {
			for _, k := range v.change {
				e.dispatchKey(k)
			}
		}
		v.again = false
	}
}

// viReplace puts another character in the place of those at the cursor, or changes between small and capital letters.
func (e *editor) viReplace(c viCommand) {
	for range max(1, c.count) {
		l := e.now
		end := min(following(l.text, l.pos), l.end().pos)
		if end == l.pos {
			return
		}
		text := string(l.text[l.pos:end])
		other := strings.ToUpper(text)
		switch {
		case c.what == 'r':
			other = string(c.of)
		case other == text:
			other = strings.ToLower(text)
		}
		e.now = l.replaceText(l.pos, end, []rune(other))
	}
	if c.what == 'r' {
		e.now = e.now.left()
	}
}
