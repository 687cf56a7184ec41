package repl

import (
	"errors"
	"io"
	"slices"
	"strings"
)

// errInterrupted is the error of reading a statement that was dropped.
var errInterrupted = errors.New("interrupted")

// editor reads statements, and draws them.
type editor struct {
	term     *terminal
	keys     *keyboard
	shell    *shell
	bindings map[string]func(e *editor)

	prompt  string
	now     line
	over    bool   // the line has ended
	why     error  // and is no statement: errInterrupted, or io.EOF
	outside func() // to be done with the terminal as programs want it; then the line goes on
	stale   bool   // something has changed since the last drawing
	moved   bool   // the terminal has another size, and was asked where the cursor is
	asked   int    // how often, without an answer
	screen  screen
	scanned *scan // of the text as it was drawn last

	open     string // what was open at the last Enter
	chord    string // keys that wait for another, as Ctrl-X does
	chain    string // what this key does that the next one may go on with
	was      string // what the key before has done
	undo     undo
	kills    kills
	recall   recall
	vi       viMode
	search   *search
	menu     *menu
	inserted span // in runes: what Alt-Y or Alt-. would replace
	entry    int  // of the history, that Alt-. has taken a word of
}

func newEditor(term *terminal, shell *shell) *editor {
	e := &editor{term: term, shell: shell, screen: screen{term: term}, bindings: keyBindings()}
	if slices.ContainsFunc(dividing[:], func(name string) bool { _, set := shell.Runner.Lookup(name); return set }) {
		e.screen.kind = dividesLines
	}
	e.keys = &keyboard{term: term, idle: e.drawStatement}
	return e
}

// readStatement reads a statement, of one line or several. The error is errInterrupted, io.EOF for Ctrl-D, or errGone.
func (e *editor) readStatement() (string, error) {
	e.now, e.undo, e.vi = line{}, undo{}, viMode{change: e.vi.change}
	e.recall.beginNew()
	for {
		e.prompt = e.shell.beginPrompt()
		e.beginStatement()
		err := e.takeKeys()
		act := e.outside
		e.endStatement(err, act != nil)
		if err != nil || act == nil {
			return e.now.String(), err
		}
		e.shell.setReading(false)
		act()
	}
}

func (e *editor) beginStatement() {
	e.over, e.why, e.outside = false, nil, nil
	e.stale, e.moved, e.asked, e.scanned, e.open = true, false, 0, nil, ""
	mode, _ := e.shell.Runner.Lookup("FTSH_EDITMODE")
	e.keys.vi = mode == "vi"
	e.screen.buf.WriteString("\x1b[?2004h") // the terminal shall bracket what is pasted
}

// takeKeys takes keys until one ends the line.
func (e *editor) takeKeys() error {
	_ = e.term.makeRaw() // where that fails the terminal is gone, as reading from it will tell
	for !e.over {
		typed, err := e.keys.readKey()
		if err != nil {
			e.why = errGone
			break
		}
		e.pressKey(typed)
	}
	_ = e.term.makeUsual()
	return e.why
}

// endStatement draws the statement as it stays on the terminal, or takes it away if it goes on to be typed.
func (e *editor) endStatement(err error, goesOn bool) {
	e.search, e.menu, e.chord, e.chain = nil, nil, "", ""
	e.screen.buf.WriteString("\x1b[?2004l")
	if goesOn {
		e.screen.eraseDrawing()
		return
	}
	l := e.composeText(-1)
	if err == errInterrupted {
		l.putFitting("^C", styleFaint)
	}
	e.screen.drawLast(l)
}

func (e *editor) drawStatement() {
	if e.stale && !e.moved {
		e.stale = false
		_, height := e.term.cellSize()
		e.screen.drawLayout(e.composeLayout(height), height)
	}
}

func (e *editor) pressKey(k key) {
	switch k.name {
	case "":
	case "resized":
		e.askPlace()
	case "looked":
		e.shell.noteLook(0)
		e.scanned, e.stale = nil, true
	case "place":
		e.placeReported(k.at)
	default:
		before := e.now
		e.moved, e.asked, e.stale = false, 0, true
		e.was, e.chain = e.chain, ""
		if k.name != "char" && k.name != "enter" {
			e.open = ""
		}
		e.dispatchKey(k)
		if start, end := clusterAround(e.now.text, e.now.pos); start != e.now.pos {
			e.now = e.now.at(end) // not within what has become one character
		}
		e.undo.noteChange(before, e.now, e.chain == "typing" && e.was == e.chain)
	}
}

// dispatchKey gives a key to what it is for at the moment.
func (e *editor) dispatchKey(k key) {
	switch {
	case e.search != nil && e.searchPress(k):
	case e.menu != nil && e.menuPress(k):
	case e.keys.vi && e.viPress(k):
	default:
		e.editByKey(k)
	}
}

// editByKey does what a key means while a statement is typed. Those that have no meaning do nothing.
func (e *editor) editByKey(k key) {
	name := e.chord + k.name
	e.chord = ""
	switch do := e.bindings[name]; {
	case name == "char":
		if strings.Contains(" ;|)", k.text) {
			e.expandAbbreviation()
		} else {
			e.chain = "typing"
		}
		e.now = e.now.appendTyped(k.text)
	case name == "paste":
		e.now = e.now.insertText(k.text)
	case name == "ctrl-x":
		e.chord = "ctrl-x "
	case do != nil:
		do(e)
	case strings.Contains(name, "shift-"):
		e.editByKey(key{name: strings.Replace(name, "shift-", "", 1)})
	}
}

// expandAbbreviation writes what is meant by an abbreviation at the cursor.
func (e *editor) expandAbbreviation() {
	l := e.now
	begin := l.back(negated(isBlank)).pos
	meant, ok := e.shell.short[string(l.text[begin:l.pos])]
	if !ok {
		return
	}
	if newScan(string(l.text[:begin]), e.shell.commandStyle).place == placeCommand {
		e.now = l.replaceText(begin, l.pos, []rune(meant))
	}
}

// pressEnter ends the statement if it is complete, and else begins a new line. Within a block a line without the word
// end completes nothing: where many lines come at once, such lines are not parsed.
func (e *editor) pressEnter() {
	e.expandAbbreviation()
	l := e.now
	if !isBlock(e.open) || l.pos < len(l.text) ||
		strings.Contains(string(l.text[l.home().pos:]), "end") || !e.term.hasInput(0) {
		e.over, e.open = e.shell.isComplete(l.String())
	}
	if !e.over {
		e.now = l.appendTyped("\n")
	}
}

// pressCtrlD ends the shell where nothing is typed, and else deletes.
func (e *editor) pressCtrlD() {
	if len(e.now.text) == 0 {
		e.over, e.why = true, io.EOF
	}
	e.deleteTo(line.right)
}

// doOutside ends the line to do something with the terminal in the modes that programs want; then the line goes on.
func (e *editor) doOutside(what func()) { e.over, e.outside = true, what }
