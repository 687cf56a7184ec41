package repl

import (
	"slices"
	"strings"

	"ftsh/lexer"
)

// keyBindings maps names of keys to actions. A key with Shift that is not here does what it does without Shift.
func keyBindings() map[string]func(e *editor) {
	move := func(to func(line) line) func(e *editor) { return func(e *editor) { e.moveBy(to) } }
	kill := func(to func(line) line) func(e *editor) { return func(e *editor) { e.killTo(to) } }
	bindings := map[string]func(e *editor){}
	for _, row := range []struct {
		keys string
		do   func(e *editor)
	}{
		{"enter", (*editor).pressEnter},
		{"alt-enter, shift-enter, ctrl-enter", func(e *editor) { e.now = e.now.insertText("\n") }},
		{"ctrl-c", func(e *editor) { e.over, e.why = true, errInterrupted }},
		{"ctrl-d", (*editor).pressCtrlD},
		{"tab, shift-tab", (*editor).pressTab},
		{"ctrl-l", func(e *editor) { e.screen.clearTerminal() }},
		{"ctrl-r, ctrl-s", (*editor).beginSearch},
		{"up, ctrl-p", func(e *editor) { e.lineBy(line.up, -1) }},
		{"down, ctrl-n", func(e *editor) { e.lineBy(line.down, 1) }},
		{"alt-e, ctrl-x ctrl-e", func(e *editor) {
			e.doOutside(func() { e.now = newLine(e.shell.composeElsewhere(e.now.String())) })
		}},
		{"f1, alt-h", func(e *editor) {
			e.doOutside(func() { e.shell.showHelpOn(string(e.now.text[:e.now.on(negated(isBlank)).pos])) })
		}},

		{"left, ctrl-b", move(line.left)},
		{"right, ctrl-f", func(e *editor) {
			if e.now.pos == len(e.now.text) {
				e.moveBy(line.final) // takes all of what is suggested
			} else {
				e.moveBy(line.right)
			}
		}},
		{"home, ctrl-a", move(line.home)},
		{"end, ctrl-e", move(line.end)},
		{"ctrl-left, alt-b", move(line.wordLeft)},
		{"alt-left", func(e *editor) {
			if len(e.now.text) > 0 {
				e.now = e.now.wordLeft()
			} else {
				e.doOutside(func() { e.shell.runText("cd -") })
			}
		}},
		{"ctrl-right, alt-right, alt-f", move(line.wordRight)},
		{"ctrl-home, alt-home, alt-<", move(line.first)},
		{"ctrl-end, alt-end, alt->", move(line.final)},

		{"backspace", func(e *editor) { e.deleteTo(line.left) }},
		{"delete", func(e *editor) { e.deleteTo(line.right) }},
		{"alt-d, ctrl-delete, alt-delete", kill(line.wordRight)},
		{"alt-backspace, ctrl-backspace", kill(line.wordLeft)},
		{"ctrl-w", kill(func(l line) line { return l.back(isBlank).back(negated(isBlank)) })},
		{"ctrl-k", kill(func(l line) line { return l.at(max(l.end().pos, min(l.pos+1, len(l.text)))) })},
		{"ctrl-u", kill(line.home)},
		{"ctrl-t", func(e *editor) { e.now = e.now.transpose() }},
		{"ctrl-y", (*editor).yank},
		{"alt-y", (*editor).yankOlder},
		{"alt-.", (*editor).lastWord},
		{"ctrl-_, ctrl-/, ctrl-x ctrl-u", func(e *editor) { e.now = e.undo.moveTo(-1, e.now) }},
		{"alt-/, alt-_", func(e *editor) { e.now = e.undo.moveTo(1, e.now) }},
	} {
		for key := range strings.SplitSeq(row.keys, ", ") {
			bindings[key] = row.do
		}
	}
	return bindings
}

// moveBy moves the cursor, from the end of the text into what is suggested.
func (e *editor) moveBy(to func(line) line) {
	if e.now.pos == len(e.now.text) {
		whole := line{[]rune(e.suggestedText()), e.now.pos}
		if moved := to(whole); moved.pos > e.now.pos {
			e.now = line{whole.text[:moved.pos], moved.pos}
			return
		}
	}
	e.now = to(e.now)
}

// lineBy moves by a line, and from the first or last line to another statement of the history.
func (e *editor) lineBy(move func(line) (line, bool), step int) {
	to, ok := move(e.now)
	if !ok {
		to = e.recall.stepTo(e.now, step, e.now.String())
	}
	e.now = to
}

// kills are the texts that were deleted to be brought back, the last one at the end.
type kills struct {
	texts []string
	at    int // the one that was brought back last
}

const mostKills = 60

// addKill keeps a text, or joins it to the last one, before or after it.
func (k *kills) addKill(text string, join, before bool) {
	switch n := len(k.texts) - 1; {
	case text == "":
	case join && n >= 0 && before:
		k.texts[n] = text + k.texts[n]
	case join && n >= 0:
		k.texts[n] += text
	default:
		k.texts = append(k.texts[max(0, len(k.texts)-mostKills+1):], text)
	}
}

// deleteTo takes out what is between the cursor and where a move leads to, and returns it.
func (e *editor) deleteTo(to func(line) line) (text string) {
	end := to(e.now).pos
	start, end := min(e.now.pos, end), max(e.now.pos, end)
	text = string(e.now.text[start:end])
	e.now = e.now.replaceText(start, end, nil)
	return text
}

// killTo does so, too, and Ctrl-Y brings it back. What is killed by one key after another is one text.
func (e *editor) killTo(to func(line) line) {
	back := to(e.now).pos < e.now.pos
	e.kills.addKill(e.deleteTo(to), e.was == "kill", back)
	e.chain = "kill"
}

func (e *editor) yank() {
	e.kills.at = len(e.kills.texts) - 1
	if e.kills.at >= 0 {
		e.putIn(span{e.now.pos, e.now.pos}, e.kills.texts[e.kills.at], "yank")
	}
}

// yankOlder puts the text that was killed before in the place of the one that was brought back.
func (e *editor) yankOlder() {
	if n := len(e.kills.texts); e.was == "yank" && n > 0 {
		e.kills.at = (e.kills.at + n - 1) % n
		e.putIn(e.inserted, e.kills.texts[e.kills.at], "yank")
	}
}

// lastWord inserts the last word of the statement before; again, in its place the one of the statement before that.
func (e *editor) lastWord() {
	at := span{e.now.pos, e.now.pos}
	if e.was == "last word" {
		at = e.inserted
	} else {
		e.entry = len(e.recall.entries)
	}
	for e.entry > 0 {
		e.entry--
		word := ""
		eachToken(e.recall.entries[e.entry], func(t token) {
			if t.kind == lexer.Word {
				word = t.text
			}
		})
		if word != "" && word != string(e.now.text[at.start:at.end]) {
			e.putIn(at, word, "last word")
			return
		}
	}
	e.chain = e.was
}

// putIn puts a text in the place of another, and notes where for the next key.
func (e *editor) putIn(at span, text, chain string) {
	e.now = e.now.replaceText(at.start, at.end, []rune(text))
	e.inserted, e.chain = span{at.start, e.now.pos}, chain
}

// undo is the lines that there were, and which of them is on the prompt.
type undo struct {
	lines []line
	at    int
}

// noteChange notes a change by a key, unless the key has moved between the lines. One that goes on with the last change
// is part of it.
func (u *undo) noteChange(before, now line, goesOn bool) {
	before.text, now.text = slices.Clip(before.text), slices.Clip(now.text)
	switch {
	case slices.Equal(before.text, now.text), u.at < len(u.lines) && slices.Equal(u.lines[u.at].text, now.text):
	case goesOn && u.at > 0:
		u.lines = append(u.lines[:u.at], now)
	default:
		u.lines = append(u.lines[:u.at], before, now)
		u.at++
	}
}

// moveTo returns the line before the last change (-1), or after the next (1).
func (u *undo) moveTo(step int, now line) line {
	if to := u.at + step; to >= 0 && to < len(u.lines) {
		u.lines[u.at] = line{slices.Clip(now.text), now.pos}
		u.at = to
		return u.lines[to]
	}
	return now
}
