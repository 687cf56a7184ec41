package repl

import "strings"

// key is what was typed, or came from the terminal.
type key struct {
	code keyCode
	char rune   // of keyChar
	text string // of keyPaste
	args [2]int // of keyPlace
}

type keyCode uint8

const (
	keyNone  keyCode = iota // nothing that means anything here
	keyChar                 // a character that is inserted
	keyPaste                // pasted text, whole
	keyEnter
	keyNewline // Alt-Enter: a new line, whether the statement is complete or not
	keyTab
	keyBackTab
	keyEscape
	keyBackspace
	keyDelete
	keyLeft
	keyRight
	keyUp
	keyDown
	keyHome
	keyEnd
	keyWordLeft
	keyWordRight
	keyTextStart     // Alt-<, Ctrl-Home
	keyTextEnd       // Alt->, Ctrl-End
	keyKillWord      // Alt-d, Ctrl-Delete
	keyRubWord       // Alt-Backspace
	keyRubBlank      // Ctrl-W
	keyKillEnd       // Ctrl-K
	keyKillStart     // Ctrl-U
	keyYank          // Ctrl-Y
	keyTranspose     // Ctrl-T
	keySearch        // Ctrl-R
	keySearchForward // Ctrl-S
	keyClear         // Ctrl-L
	keyInterrupt     // Ctrl-C
	keyLeave         // Ctrl-D
	keyCancel        // Ctrl-G
	keySuspend       // Ctrl-Z
	keyPlace         // the terminal says where the cursor is: row, column
)

// mayEnd tells whether reading a statement may end with the key.
func (k key) mayEnd() bool {
	return k.code == keyEnter || k.code == keyInterrupt || k.code == keyLeave
}

// control is what control characters mean.
func control(c byte) keyCode {
	switch c {
	case ctrl('A'):
		return keyHome
	case ctrl('B'):
		return keyLeft
	case ctrl('C'):
		return keyInterrupt
	case ctrl('D'):
		return keyLeave
	case ctrl('E'):
		return keyEnd
	case ctrl('F'):
		return keyRight
	case ctrl('G'):
		return keyCancel
	case ctrl('H'), rubout:
		return keyBackspace
	case ctrl('I'):
		return keyTab
	case ctrl('J'), ctrl('M'): // what was typed while the terminal had its usual modes ends with J
		return keyEnter
	}
	return editing(c)
}

const (
	escape = 0x1b
	rubout = 0x7f
)

func ctrl(letter byte) byte { return letter - '@' }

// editing goes on with the control characters that kill, search and recall.
func editing(c byte) keyCode {
	switch c {
	case ctrl('K'):
		return keyKillEnd
	case ctrl('L'):
		return keyClear
	case ctrl('N'):
		return keyDown
	case ctrl('P'):
		return keyUp
	case ctrl('R'):
		return keySearch
	case ctrl('S'):
		return keySearchForward
	case ctrl('T'):
		return keyTranspose
	case ctrl('U'):
		return keyKillStart
	case ctrl('W'):
		return keyRubBlank
	case ctrl('Y'):
		return keyYank
	case ctrl('Z'):
		return keySuspend
	}
	return keyNone
}

// meta is what a character means with Alt, which terminals send as ESC and it.
func meta(c byte) keyCode {
	switch c {
	case 'b', 'B':
		return keyWordLeft
	case 'f', 'F':
		return keyWordRight
	case 'd', 'D':
		return keyKillWord
	case rubout, ctrl('H'):
		return keyRubWord
	case '\r', '\n':
		return keyNewline
	case '<':
		return keyTextStart
	case '>':
		return keyTextEnd
	}
	return keyNone
}

// sequence is what ESC [ or ESC O with parameters and a final letter means.
//
// Fault of readline: it knows only the arrows and the plain Home, End and
// Delete. Home and End as ESC [1~ and ESC [4~ (Linux console, tmux, rxvt) do
// nothing there, and arrows with Ctrl or Alt move by one.
func sequence(params string, final byte) keyCode {
	first, rest, _ := strings.Cut(params, ";")
	held := rest != "" && rest != "1" // Shift, Alt, Ctrl …
	switch final {
	case 'A':
		return keyUp
	case 'B':
		return keyDown
	case 'C':
		return either(held, keyWordRight, keyRight)
	case 'D':
		return either(held, keyWordLeft, keyLeft)
	case 'H':
		return either(held, keyTextStart, keyHome)
	case 'F':
		return either(held, keyTextEnd, keyEnd)
	case 'Z':
		return keyBackTab
	case 'u':
		return unicodeKey(first, held)
	case '~', '^': // rxvt sends ^ with Ctrl
		return numbered(first, rest, held || final == '^')
	}
	return keyNone
}

// numbered are the keys ESC [ number ~.
func numbered(number, rest string, held bool) keyCode {
	switch number {
	case "1", "7":
		return either(held, keyTextStart, keyHome)
	case "4", "8":
		return either(held, keyTextEnd, keyEnd)
	case "3":
		return either(held, keyKillWord, keyDelete)
	case "27": // xterm's modifyOtherKeys: 27;modifier;code~
		_, code, _ := strings.Cut(rest, ";")
		return unicodeKey(code, true)
	}
	return keyNone
}

// unicodeKey are keys that are sent by their code, ESC [ code u.
func unicodeKey(code string, held bool) keyCode {
	switch code {
	case "13":
		return either(held, keyNewline, keyEnter)
	case "9":
		return either(held, keyBackTab, keyTab)
	case "127":
		return either(held, keyRubWord, keyBackspace)
	case "27":
		return keyEscape
	}
	return keyNone
}
