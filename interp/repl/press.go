package repl

import (
	"io"

	"github.com/chzyer/readline"
)

// press decides what a key does. It returns what readline shall take it for;
// false if readline need not see it.
func (e *editor) press(k key) (rune, bool) {
	if k.code == keyPlace {
		return e.placeReported(k.args)
	}
	if e.search != nil {
		if r, pass, done := e.searchPress(k); done {
			return r, pass
		}
	}
	if e.menu != nil {
		if r, pass, done := e.menuPress(k); done {
			return r, pass
		}
	}
	if e.rl.IsVimMode() {
		if r, pass, done := e.viPress(k); done {
			return r, pass
		}
	}
	return e.edit(k)
}

// edit does what keys mean while a statement is typed. Those that are not
// here do nothing.
//
// Fault of readline: Ctrl-Z, which is one of these, stops the process that has
// started the shell.
func (e *editor) edit(k key) (rune, bool) {
	switch k.code {
	case keyChar:
		return k.char, true
	case keyEnter:
		return e.enter()
	case keyInterrupt:
		return e.stop(errInterrupted)
	case keyLeave:
		return e.leave()
	case keyTab:
		return e.complete()
	case keySearch, keySearchForward:
		return e.beginSearch()
	case keyClear:
		e.screen.clear()
		return 0, false
	}
	if to, ok := e.move(k.code); ok {
		return e.become(e.now.at(to))
	}
	return e.change(k)
}

// become has readline take over a text and a cursor, which does not stay within
// what has become one character.
func (e *editor) become(l line) (rune, bool) {
	l.pos = clusterEnd(l.text, l.pos)
	e.next = &l
	return e.vi.carrier(), true
}

// enter ends the statement if it is complete, and begins a new line if not.
func (e *editor) enter() (rune, bool) {
	if text := e.now.String(); !e.host.complete(text) {
		return e.become(e.now.at(len(e.now.text)).insert("\n"))
	}
	e.accepted = true
	e.vi = viMode{}
	return readline.CharEnter, true
}

// stop ends reading without a statement. Readline has more than one key for
// that, but takes only this one in all of its modes.
func (e *editor) stop(why error) (rune, bool) {
	e.accepted, e.stopped = true, why
	e.vi = viMode{}
	return readline.CharInterrupt, true
}

// leave is Ctrl-D: it ends the shell where nothing is typed, and else deletes.
func (e *editor) leave() (rune, bool) {
	if len(e.now.text) == 0 {
		return e.stop(io.EOF)
	}
	return e.change(key{code: keyDelete})
}

// move returns where a key moves the cursor to; false if it does not move it.
func (e *editor) move(code keyCode) (int, bool) {
	l := e.now
	switch code {
	case keyLeft:
		return previous(l.text, l.pos), true
	case keyRight:
		return following(l.text, l.pos), true
	case keyHome:
		return lineStart(l.text, l.pos), true
	case keyEnd:
		return lineEnd(l.text, l.pos), true
	case keyWordLeft:
		return l.wordLeft(), true
	case keyWordRight:
		return l.wordRight(), true
	case keyTextStart:
		return 0, true
	case keyTextEnd:
		return len(l.text), true
	}
	return 0, false
}

// change does what changes the text.
func (e *editor) change(k key) (rune, bool) {
	l := e.now
	switch k.code {
	case keyPaste:
		return e.become(l.insert(k.text))
	case keyNewline:
		return e.become(l.insert("\n"))
	case keyBackspace:
		return e.delete(previous(l.text, l.pos), l.pos)
	case keyDelete:
		return e.delete(l.pos, following(l.text, l.pos))
	case keyKillWord:
		return e.kill(l.pos, l.wordRight())
	case keyRubWord:
		return e.kill(l.wordLeft(), l.pos)
	case keyRubBlank:
		return e.kill(l.blankLeft(), l.pos)
	case keyKillEnd:
		return e.kill(l.pos, max(lineEnd(l.text, l.pos), min(l.pos+1, len(l.text))))
	case keyKillStart:
		return e.kill(lineStart(l.text, l.pos), l.pos)
	case keyYank:
		return e.become(l.insert(e.killed))
	case keyTranspose:
		return e.become(l.transpose())
	case keyUp, keyDown:
		return e.become(e.vertical(k.code))
	}
	return 0, false
}

// delete takes out what is between two places.
func (e *editor) delete(start, end int) (rune, bool) {
	l, _ := e.now.cut(start, end)
	return e.become(l)
}

// kill does so, too, and Ctrl-Y brings it back.
func (e *editor) kill(start, end int) (rune, bool) {
	l, text := e.now.cut(start, end)
	if text != "" {
		e.killed = text
	}
	return e.become(l)
}

// vertical moves by a line, and from the first or last line to another
// statement of the history.
func (e *editor) vertical(code keyCode) line {
	if code == keyUp {
		if l, ok := e.now.up(); ok {
			return l
		}
		return e.recall.older(e.now)
	}
	if l, ok := e.now.down(); ok {
		return l
	}
	return e.recall.newer(e.now)
}
