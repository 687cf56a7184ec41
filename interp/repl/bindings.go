package repl

import "github.com/chzyer/readline"

// bindings are what keys do, by their names. What has Shift in its name and is not
// here does what it does without.
func bindings() map[string]func(e *editor) {
	b := map[string]func(e *editor){}
	bind := func(do func(e *editor), keys ...string) {
		for _, key := range keys {
			b[key] = do
		}
	}
	bind((*editor).enter, "enter")
	bind(func(e *editor) { e.now = e.now.insert("\n") }, "alt-enter", "shift-enter", "ctrl-enter")
	bind(func(e *editor) { e.ending = readline.CharInterrupt }, "ctrl-c")
	bind((*editor).leave, "ctrl-d")
	bind((*editor).complete, "tab", "shift-tab")
	bind(func(e *editor) { e.screen.clear() }, "ctrl-l")
	bind((*editor).beginSearch, "ctrl-r", "ctrl-s")
	bind(func(e *editor) { e.now = e.vertical(line.up, -1) }, "up", "ctrl-p")
	bind(func(e *editor) { e.now = e.vertical(line.down, 1) }, "down", "ctrl-n")
	bind(func(e *editor) { e.now = e.now.transpose() }, "ctrl-t")
	bind(func(e *editor) { e.now = e.undo.undo(e.now) }, "ctrl-_", "ctrl-/", "ctrl-x ctrl-u")
	bind(func(e *editor) { e.now = e.undo.redo(e.now) }, "alt-/", "alt-_")
	bind((*editor).yank, "ctrl-y")
	bind((*editor).yankOlder, "alt-y")
	bind((*editor).lastWord, "alt-.")
	bind(func(e *editor) { e.do(func() { e.now = newLine(e.shell.compose(e.now.String())) }) }, "alt-e", "ctrl-x ctrl-e")
	bind(func(e *editor) { e.do(func() { e.shell.page(e.now.throughWord()) }) }, "f1", "alt-h")
	bindMoves(bind)
	return b
}

// bindMoves binds the keys that move the cursor, and those that delete what is
// between it and where a move leads to.
func bindMoves(bind func(do func(e *editor), keys ...string)) {
	move := func(to func(line) line, keys ...string) { bind(func(e *editor) { e.move(to) }, keys...) }
	move(line.left, "left", "ctrl-b")
	bind(func(e *editor) { e.move(either(e.now.pos == len(e.now.text), line.final, line.right)) }, "right", "ctrl-f")
	move(line.home, "home", "ctrl-a")
	move(line.end, "end", "ctrl-e")
	move(line.wordLeft, "ctrl-left", "alt-b")
	move(line.wordRight, "ctrl-right", "alt-right", "alt-f")
	move(line.first, "ctrl-home", "alt-home", "alt-<")
	move(line.final, "ctrl-end", "alt-end", "alt->")
	bind((*editor).wordOrDirectoryBack, "alt-left")

	bind(func(e *editor) { e.delete(line.left) }, "backspace")
	bind(func(e *editor) { e.delete(line.right) }, "delete")
	kill := func(to func(line) line, keys ...string) { bind(func(e *editor) { e.kill(to) }, keys...) }
	kill(line.wordRight, "alt-d", "ctrl-delete", "alt-delete")
	kill(line.wordLeft, "alt-backspace", "ctrl-backspace")
	kill(line.blankLeft, "ctrl-w")
	kill(line.pastEnd, "ctrl-k")
	kill(line.home, "ctrl-u")
}

// move moves the cursor, from the end of the text into what is suggested.
func (e *editor) move(to func(line) line) {
	if e.now.pos == len(e.now.text) {
		whole := line{[]rune(e.suggested()), e.now.pos}
		if moved := to(whole); moved.pos > e.now.pos {
			e.now = line{whole.text[:moved.pos], moved.pos}
			return
		}
	}
	e.now = to(e.now)
}

// wordOrDirectoryBack moves by a word, or where nothing is typed goes to the
// directory before.
func (e *editor) wordOrDirectoryBack() {
	if len(e.now.text) == 0 {
		e.do(e.shell.goBack)
	} else {
		e.now = e.now.wordLeft()
	}
}

// vertical moves by a line, and from the first or last line to another
// statement of the history.
func (e *editor) vertical(move func(line) (line, bool), step int) line {
	if l, ok := move(e.now); ok {
		return l
	}
	return e.recall.step(e.now, step, e.now.String())
}
