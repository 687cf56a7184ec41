package repl

import (
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// keyboard turns what the terminal sends into keys. It is readline's standard
// input: characters pass as they are, any other key as a mark that stands for it.
//
// Fault of readline: it reads ahead as much as there is, also while a command
// runs, so that what was typed for the command, or for the next prompt, is lost.
// A keyboard reads one byte at a time and is shut from the key that may end the
// line until the next line is wanted.
type keyboard struct {
	term *terminal
	idle func() // called before waiting: all that was typed has been handed over
	busy func() // called after waiting

	mu    sync.Mutex
	shut  *sync.Cond // signalled when open or gone changes
	open  bool
	gone  bool   // the terminal is, or close was called
	vi    bool   // Escape is a key of its own, whatever follows
	ahead []byte // read, but not yet looked at
	keys  [marks]key
	count rune
}

// The marks stand for keys. They are in a plane for private use that no font
// has; such characters cannot be typed.
const (
	firstMark rune = 0x100000
	marks     rune = 256
)

func newKeyboard(term *terminal) *keyboard {
	k := &keyboard{term: term, idle: func() {}, busy: func() {}}
	k.shut = sync.NewCond(&k.mu)
	return k
}

// Read gives readline one character or mark.
func (k *keyboard) Read(p []byte) (int, error) {
	typed, err := k.next()
	if err != nil {
		return 0, err
	}
	r := typed.char
	if typed.code != keyChar {
		r = k.mark(typed)
	}
	var buf [utf8.UTFMax]byte
	return copy(p, buf[:utf8.EncodeRune(buf[:], r)]), nil
}

// Close makes reading end, also what is under way.
func (k *keyboard) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.gone = true
	k.shut.Broadcast()
	k.term.interrupt()
	return nil
}

// useVi tells whether keys mean what they mean in vi.
func (k *keyboard) useVi(on bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.vi = on
}

// admit opens the keyboard: a line is wanted, or the key that could have
// ended it did not.
func (k *keyboard) admit() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open = true
	k.shut.Broadcast()
}

// isGone tells that no more keys will come.
func (k *keyboard) isGone() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.gone
}

// next waits until keys are admitted and reads one.
func (k *keyboard) next() (key, error) {
	k.mu.Lock()
	for !k.open && !k.gone {
		k.shut.Wait()
	}
	gone := k.gone
	k.mu.Unlock()
	for !gone {
		typed, err := k.read()
		if err != nil {
			break
		}
		if typed.mayEnd() {
			k.mu.Lock()
			k.open = false
			k.mu.Unlock()
		}
		if typed.code != keyNone {
			return typed, nil
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.gone = true
	return key{}, io.EOF
}

// mark keeps a key and returns what stands for it. Readline looks at one key
// after another, so that a few hundred are more than ever wait.
func (k *keyboard) mark(typed key) rune {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.count = (k.count + 1) % marks
	k.keys[k.count] = typed
	return firstMark + k.count
}

// meaning is the key that readline was given as r.
func (k *keyboard) meaning(r rune) key {
	if r < firstMark || r >= firstMark+marks {
		return key{code: keyChar, char: r}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.keys[r-firstMark]
}

// pause is how long the rest of a key's bytes may take. A lone Escape is known
// by nothing following.
const pause = 50 * time.Millisecond

// read reads one key, waiting for it.
func (k *keyboard) read() (key, error) {
	if len(k.ahead) == 0 && !k.term.pending() {
		k.idle()
		defer k.busy()
	}
	b, _, err := k.byte(forever)
	switch {
	case err != nil:
		return key{}, err
	case b == escape:
		return k.readEscape()
	case b < ' ' || b == rubout:
		return key{code: control(b)}, nil
	}
	return k.readChar(b)
}

// byte reads a byte.
func (k *keyboard) byte(patience time.Duration) (b byte, ok bool, err error) {
	if len(k.ahead) > 0 {
		b, k.ahead = k.ahead[0], k.ahead[1:]
		return b, true, nil
	}
	return k.term.readByte(patience)
}

// isVi tells whether Escape is a key of its own.
func (k *keyboard) isVi() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.vi
}

// readChar reads the rest of a character.
func (k *keyboard) readChar(first byte) (key, error) {
	char := []byte{first}
	for !utf8.FullRune(char) {
		b, ok, err := k.byte(pause)
		if err != nil {
			return key{}, err
		}
		if !ok {
			break
		}
		char = append(char, b)
	}
	r, size := utf8.DecodeRune(char)
	if r == utf8.RuneError && size <= 1 || !insertable(r) {
		return key{}, nil
	}
	return key{code: keyChar, char: r}, nil
}

// insertable tells whether a character may stand in a statement that is typed
// or pasted: no control character, which could do harm when it is shown.
func insertable(r rune) bool {
	return r >= ' ' && r != rubout && (r < 0x80 || r >= 0xa0) && r < firstMark
}

// readEscape reads what follows ESC.
func (k *keyboard) readEscape() (key, error) {
	b, ok, err := k.byte(pause)
	switch {
	case err != nil:
		return key{}, err
	case !ok:
		return key{code: keyEscape}, nil
	case b == '[':
		return k.readSequence()
	case b == 'O':
		return k.readApplicationKey()
	case b == escape || k.isVi():
		k.ahead = append(k.ahead, b)
		return key{code: keyEscape}, nil
	case b >= utf8.RuneSelf:
		_, err := k.readChar(b)
		return key{}, err
	}
	return key{code: meta(b)}, nil
}

// readApplicationKey reads what follows ESC O.
func (k *keyboard) readApplicationKey() (key, error) {
	b, ok, err := k.byte(pause)
	switch {
	case err != nil || !ok:
		return key{}, err
	case b == 'c': // rxvt's Ctrl-Right and Ctrl-Left
		return key{code: keyWordRight}, nil
	case b == 'd':
		return key{code: keyWordLeft}, nil
	case b == 'M': // of the keypad
		return key{code: keyEnter}, nil
	}
	return key{code: sequence("", b)}, nil
}

// readSequence reads what follows ESC [ to its final byte.
func (k *keyboard) readSequence() (key, error) {
	var body []byte
	for {
		b, ok, err := k.byte(pause)
		switch {
		case err != nil || !ok:
			return key{}, err
		case b == '[' && len(body) == 0: // the Linux console's F1 to F5 are ESC [ [ A to E
			_, _, err := k.byte(pause)
			return key{}, err
		case b >= '@' && b <= '~':
			return k.sequenceKey(string(body), b)
		case len(body) < 64:
			body = append(body, b)
		}
	}
}

// sequenceKey is the key of a whole sequence.
func (k *keyboard) sequenceKey(body string, final byte) (key, error) {
	switch {
	case final == '~' && body == "200":
		return k.readPaste()
	case final == 'R':
		return placeKey(body), nil
	}
	return key{code: sequence(body, final)}, nil
}

// placeKey is the answer of a terminal that was asked where the cursor is.
func placeKey(body string) key {
	first, second, _ := strings.Cut(body, ";")
	row, ok1 := number(first)
	column, ok2 := number(second)
	if !ok1 || !ok2 {
		return key{}
	}
	return key{code: keyPlace, args: [2]int{row, column}}
}

// number reads decimal digits.
func number(digits string) (n int, ok bool) {
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' || n > 1e6 {
			return 0, false
		}
		n = n*10 + int(digits[i]-'0')
	}
	return n, digits != ""
}

// pasteEnd is what terminals send after pasted text.
const pasteEnd = "\x1b[201~"

// readPaste reads pasted text, which the terminal brackets.
//
// Fault of readline: it takes the newlines in pasted text for Enter, so that
// half of what was pasted runs before the rest has been seen.
func (k *keyboard) readPaste() (key, error) {
	var text []byte
	for !strings.HasSuffix(string(text[max(0, len(text)-len(pasteEnd)):]), pasteEnd) {
		b, _, err := k.byte(forever)
		if err != nil {
			return key{}, err
		}
		text = append(text, b)
	}
	return key{code: keyPaste, text: cleanPaste(string(text[:len(text)-len(pasteEnd)]))}, nil
}

// cleanPaste makes newlines of the carriage returns that terminals paste, and
// leaves out control characters.
func cleanPaste(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || insertable(r) {
			return r
		}
		return -1
	}, text)
}
