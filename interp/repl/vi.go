package repl

import "github.com/chzyer/readline"

// viMode follows readline's vi mode, which does not tell what it is in.
type viMode struct {
	command bool // keys are commands, after Escape
	pending rune // a command that waits for one more key
}

// carrier is what readline takes for a key that changes nothing, after which
// it asks the Listener: Ctrl-G, but in vi's commands, where it would not ask,
// the h that moves left.
func (v *viMode) carrier() rune {
	if v.command {
		return 'h'
	}
	return readline.CharBell
}

// viPress does what a key means in vi's commands where readline does not, or
// not rightly; elsewhere done is false.
func (e *editor) viPress(k key) (r rune, pass, done bool) {
	v := &e.vi
	if !v.command {
		if k.code == keyEscape {
			v.command = true
			return readline.CharEsc, true, true
		}
		return 0, false, false
	}
	if k.code != keyChar {
		v.pending = 0
		return 0, false, k.code == keyEscape
	}
	if v.pending == 'r' {
		v.pending = 0
		r, pass = e.viReplace(k.char)
		return r, pass, true
	}
	r, pass = e.viCommand(k.char)
	return r, pass, true
}

// viCommand does the commands that readline gets wrong, and follows the others.
//
// Faults of readline: r, e and E panic at the end of the line; j and k know
// only its own history; f, t, d and c read the next key themselves.
func (e *editor) viCommand(char rune) (rune, bool) {
	l := e.now
	switch char {
	case 'j':
		return e.become(e.vertical(keyDown))
	case 'k':
		return e.become(e.vertical(keyUp))
	case 'h':
		return e.become(l.at(previous(l.text, l.pos)))
	case 'l', ' ':
		return e.become(l.at(following(l.text, l.pos)))
	case 'x':
		return e.kill(l.pos, following(l.text, l.pos))
	case 'e', 'E':
		return e.become(l.at(max(l.pos, l.at(following(l.text, l.pos)).wordRight()-1)))
	case 'p':
		return e.become(l.insert(e.killed))
	case '/', '?':
		return e.beginSearch()
	case 'r':
		e.vi.pending = 'r'
		return 0, false
	case 'i', 'I', 'a', 'A', 's', 'S', 'c':
		e.vi.command = false
	}
	return char, true
}

// viReplace is what r does with the next character.
func (e *editor) viReplace(char rune) (rune, bool) {
	l := e.now
	end := following(l.text, l.pos)
	if end == l.pos {
		return 0, false
	}
	return e.become(l.replace(l.pos, end, []rune{char}).at(l.pos))
}
