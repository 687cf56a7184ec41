package repl

import (
	"io"
	"strings"

	"github.com/chzyer/readline"
)

// errInterrupted is the error of reading a statement that was dropped. The others are io.EOF for Ctrl-D, and errGone.
var errInterrupted = readline.ErrInterrupt

// editor reads statements, and draws them.
//
// Readline has the loop of a prompt: it sets the modes of the terminal, reads, ends the line and goes back to the
// usual modes. Its standard input is the editor, which takes all keys itself and hands on only the one that ends the
// line; what readline draws is thrown away. So nothing here runs on two goroutines at a time: either read prepares
// and draws, or readline is within Readline and calls Read.
type editor struct {
	term     *terminal
	keys     *keyboard
	rl       *readline.Instance
	shell    *shell
	bindings map[string]func(e *editor)

	prompt  string
	now     line
	over    bool   // the terminal is gone
	ending  byte   // what readline is given to end the line; 0: it goes on
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

func newEditor(term *terminal, shell *shell) (*editor, error) {
	e := &editor{term: term, shell: shell, screen: screen{term: term}, bindings: keyBindings()}
	e.screen.kind = usualKind(shell.Runner.Lookup)
	e.keys = &keyboard{term: term, idle: e.drawStatement}
	rl, err := readline.NewEx(&readline.Config{
		Stdin: io.NopCloser(e), Stdout: io.Discard, Stderr: io.Discard,
		FuncMakeRaw: term.makeRaw, FuncExitRaw: term.makeUsual,
		FuncGetWidth: func() int { return 80 }, FuncOnWidthChanged: func(func()) {},
		FuncIsTerminal:         func() bool { return true },
		DisableAutoSaveHistory: true, UniqueEditLine: true,
	})
	e.rl = rl
	return e, err
}

// stopReading ends the goroutines of readline, which only reading does.
func (e *editor) stopReading() {
	e.term.wakeUp(&e.term.gone)
	if !e.over {
		_, _ = e.rl.Readline()
	}
	_ = e.rl.Config.Stdin.Close()
}

// readStatement reads a statement, of one line or several.
func (e *editor) readStatement() (string, error) {
	e.now, e.undo, e.vi = line{}, undo{}, viMode{change: e.vi.change}
	e.recall.beginNew()
	for {
		e.prompt = e.shell.beginPrompt()
		e.beginStatement()
		_, err := e.rl.Readline()
		act := e.outside
		e.outside = nil
		e.endStatement(err, act != nil)
		if e.over {
			err = errGone
		}
		if err != nil || act == nil {
			return e.now.String(), err
		}
		e.shell.setReading(false)
		act()
	}
}

func (e *editor) beginStatement() {
	e.ending, e.stale, e.moved, e.asked, e.scanned, e.open = 0, true, false, 0, nil, ""
	mode, _ := e.shell.Runner.Lookup("FTSH_EDITMODE")
	e.keys.vi = mode == "vi"
	e.screen.buf.WriteString("\x1b[?2004h") // the terminal shall bracket what is pasted
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

// Read takes keys until one ends the line, and gives readline that.
func (e *editor) Read(p []byte) (int, error) {
	for e.ending == 0 {
		typed, err := e.keys.readKey()
		if err != nil {
			e.over = true
			return 0, err
		}
		e.pressKey(typed)
	}
	p[0] = e.ending
	return 1, nil
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
		e.open = ifElse(k.name == "char" || k.name == "enter", e.open, "")
		e.dispatchKey(k)
		e.now = e.now.atCluster()
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
		e.typeText(k.text)
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

func (e *editor) typeText(text string) {
	if strings.Contains(" ;|)", text) {
		e.expandAbbreviation()
	} else {
		e.chain = "typing"
	}
	e.now = e.now.appendTyped(text)
}

// expandAbbreviation writes what is meant by an abbreviation at the cursor.
func (e *editor) expandAbbreviation() {
	l := e.now
	begin := l.back(negated(isBlank)).pos
	meant, ok := e.shell.short[string(l.text[begin:l.pos])]
	if !ok {
		return
	}
	before := newScan(string(l.text[:begin]), e.shell.commandStyle)
	if _, place := before.tokenBefore(len(before.text)); place == placeCommand {
		e.now = l.replaceText(begin, l.pos, []rune(meant))
	}
}

// pressEnter ends the statement if it is complete, and begins a new line if not. In a block it stays incomplete with
// any line that has no end in it: of many lines that come at once only the others are looked at.
func (e *editor) pressEnter() {
	e.expandAbbreviation()
	l := e.now
	whole := false
	if !isBlock(e.open) || l.pos < len(l.text) ||
		strings.Contains(string(l.text[l.home().pos:]), "end") || !e.term.hasInput(0) {
		whole, e.open = e.shell.isComplete(l.String())
	}
	if whole {
		e.ending = readline.CharEnter
	} else {
		e.now = l.appendTyped("\n")
	}
}

// pressCtrlD ends the shell where nothing is typed, and else deletes.
func (e *editor) pressCtrlD() {
	e.ending = ifElse[byte](len(e.now.text) == 0, readline.CharDelete, 0)
	e.deleteTo(line.right)
}

// doOutside has something done with the terminal as programs want it.
func (e *editor) doOutside(what func()) { e.ending, e.outside = readline.CharEnter, what }
