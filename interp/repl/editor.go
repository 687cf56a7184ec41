package repl

import (
	"errors"
	"io"
	"sync"

	"github.com/chzyer/readline"
)

// Errors of reading a statement. io.EOF is one, too: it was Ctrl-D, or the
// terminal is gone.
var errInterrupted = errors.New("Ctrl-C") // the statement was dropped

// editor reads statements with readline, and draws them itself.
//
// Readline has the loop: it takes keys, keeps the text, and ends the line on
// Enter, Ctrl-C and Ctrl-D. Its hooks are where everything else happens:
//
//   - Stdin is a keyboard, which knows the keys of all terminals.
//   - FuncFilterInputRune is asked before a key is looked at. It does what
//     readline does wrong or not at all, by handing readline a key that does
//     nothing, after which
//   - Listener is asked for a new text.
//   - Painter is told the text whenever it has changed, and what readline
//     writes to Stdout is thrown away, but that it writes is noted.
//
// The hooks run on goroutines of readline; mu guards what they share.
type editor struct {
	term *terminal
	keys *keyboard
	rl   *readline.Instance
	host host

	mu       sync.Mutex
	prompt   string
	now      line  // as readline has it
	next     *line // what readline shall have
	accepted bool  // readline is ending the line
	stopped  error // why, if not because the statement is complete
	reading  bool
	unshown  bool       // readline has still to draw the line that it begins with
	ready    *sync.Cond // signalled when it has
	painted  bool       // and was told how
	waiting  bool       // for a key, so that changes are drawn at once
	stale    bool       // something has changed since the last drawing
	screen   screen
	killed   string // what Ctrl-Y brings back
	vi       viMode
	recall   recall
	search   *search
	menu     *menu
	moved    bool // the terminal has another size, and was asked where the cursor is
}

// host is what an editor has to know of the shell around it.
type host interface {
	// complete tells whether a text can be run, or is wrong: more lines would not help.
	complete(text string) bool
	// commandStyle tells what a command is.
	commandStyle(name string) style
	// candidates are what could be written at the end of a text.
	candidates(text string) (found []candidate, start int)
	// colours tells whether colours are wanted.
	colours() bool
	// wantsVi tells whether keys shall mean what they mean in vi.
	wantsVi() bool
}

// endless is the width that readline is told, so that it never wraps a line.
const endless = 1 << 30

func newEditor(term *terminal, host host) (*editor, error) {
	e := &editor{term: term, host: host, keys: newKeyboard(term), screen: screen{term: term}}
	e.ready = sync.NewCond(&e.mu)
	e.keys.idle, e.keys.busy = e.idle, e.busy
	rl, err := readline.NewEx(&readline.Config{
		Stdin:                  e.keys,
		Stdout:                 shown{e},
		Stderr:                 io.Discard,
		Painter:                e,
		Listener:               e,
		FuncFilterInputRune:    e.filter,
		FuncGetWidth:           func() int { return endless },
		FuncIsTerminal:         func() bool { return true },
		FuncMakeRaw:            term.makeRaw,
		FuncExitRaw:            term.makeUsual,
		FuncOnWidthChanged:     func(func()) {},
		DisableAutoSaveHistory: true,
		UniqueEditLine:         true,
	})
	if err != nil {
		return nil, err
	}
	e.rl = rl
	return e, nil
}

// close gives up the terminal. It may be called while read is under way, which
// then returns io.EOF.
func (e *editor) close() {
	_ = e.keys.Close() // ends readline's goroutines, first the one that reads
	_ = e.rl.Close()
}

// The terminal is asked to bracket what is pasted while a statement is read.
const (
	pasteOn  = "\x1b[?2004h"
	pasteOff = "\x1b[?2004l"
)

// read reads a statement, of one line or several.
func (e *editor) read(prompt string) (string, error) {
	e.begin(prompt)
	_, err := e.rl.Readline()
	e.end()
	switch {
	case e.keys.isGone():
		return "", io.EOF
	case e.stopped != nil:
		return "", e.stopped
	}
	return e.now.String(), err
}

func (e *editor) begin(prompt string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.prompt, e.now, e.next, e.accepted, e.stopped, e.reading = prompt, line{}, nil, false, nil, true
	e.unshown, e.painted = true, false
	e.recall.begin()
	e.keys.useVi(e.host.wantsVi())
	e.screen.buf.WriteString(pasteOn)
	e.stale, e.moved = true, false
}

// end draws the statement as it stays on the terminal.
func (e *editor) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.reading, e.search, e.menu = false, nil, nil
	e.screen.buf.WriteString(pasteOff)
	e.screen.finish(e.composeText(-1))
}

// idle is called before the keyboard waits for a key.
func (e *editor) idle() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting = true
	e.drawStale()
}

// busy is called when it has one.
func (e *editor) busy() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting = false
}

// changed notes that the drawing is stale, and draws unless more keys are to come.
func (e *editor) changed() {
	e.stale = true
	if e.waiting {
		e.drawStale()
	}
}

func (e *editor) drawStale() {
	if !e.stale || !e.reading || e.accepted {
		return
	}
	e.stale = false
	_, height := e.term.size()
	e.screen.draw(e.compose(), height)
}

// Paint is told by readline how the text is now.
func (e *editor) Paint(text []rune, pos int) []rune {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.painted = true
	if !e.accepted {
		e.now = line{append([]rune(nil), text...), pos}
		e.changed()
	}
	return nil
}

// shown is where readline draws: nothing of it is seen.
//
// Fault of readline: it draws its first line on the goroutine that has asked for a
// statement, while the one that takes keys may end the line already, with what was
// typed ahead or with a hang-up. Neither comes through before it has drawn.
type shown struct{ e *editor }

func (s shown) Write(p []byte) (int, error) {
	s.e.mu.Lock()
	defer s.e.mu.Unlock()
	if s.e.unshown && s.e.painted {
		s.e.unshown = false
		s.e.ready.Broadcast()
		s.e.keys.admit()
	}
	return len(p), nil
}

// OnChange gives readline a text that the filter has made.
func (e *editor) OnChange(_ []rune, _ int, _ rune) (text []rune, pos int, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	next := e.next
	e.next = nil
	if next == nil {
		return nil, 0, false
	}
	return append([]rune(nil), next.text...), next.pos, true
}

// filter is asked by readline what a key shall be to it.
func (e *editor) filter(r rune) (rune, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r == 0 {
		for !e.reading || e.unshown || e.accepted {
			e.ready.Wait()
		}
		// Fault of readline: at a hang-up it runs what was half typed.
		return e.stop(io.EOF)
	}
	if want := e.host.wantsVi(); want != e.rl.IsVimMode() {
		e.rl.SetVimMode(want)
		e.vi = viMode{}
	}
	pressed := e.keys.meaning(r)
	result, pass := e.press(pressed)
	if pressed.mayEnd() && !e.accepted {
		e.keys.admit()
	}
	return result, pass
}
