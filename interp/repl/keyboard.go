package repl

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// keyboard turns what the terminal sends into keys. It reads byte by byte, as what follows the key that ends a line
// is for the program that it starts.
type keyboard struct {
	term    *terminal
	idle    func() // called before waiting: all that was typed has been handed over
	vi      bool   // Escape is a key of its own, whatever follows
	ahead   []byte // read, but not yet looked at
	err     error  // why the key that was begun has no end
	pasting bool   // text that was pasted has no end yet
}

const (
	// escapePause says how long a lone Escape is waited for: it is known by nothing following.
	escapePause = 50 * time.Millisecond
	// answerPause says how long the terminal may pause within an answer, or a paste.
	answerPause = 500 * time.Millisecond
)

// readKey reads one key, waiting for it. The error is errGone, or io.EOF.
func (k *keyboard) readKey() (key, error) {
	if len(k.ahead) == 0 && !k.term.hasInput(0) {
		k.idle()
	}
	if event, came := k.term.takeEvent(); came {
		return event, nil
	}
	if len(k.ahead) == 0 {
		b, _, err := k.term.readByte(forever)
		switch {
		case err == errWoken:
			return key{}, nil
		case err != nil:
			return key{}, err
		}
		k.ahead = []byte{b}
	}
	k.err = nil
	typed := k.readWhole()
	if k.err != nil && k.err != errWoken {
		return key{}, k.err
	}
	if k.pasting {
		typed = k.amidPaste(typed)
	}
	return typed, nil
}

func (k *keyboard) readWhole() key {
	switch b, _ := k.takeByte(forever); {
	case b == escape:
		return k.readEscape()
	case b < ' ' || b == rubout:
		return key{name: controlName(b)}
	default:
		return k.readChar(b)
	}
}

// takeByte reads a further byte of a key; of signals only Ctrl-C's interrupts that. It returns false if none came
// within the patience, or the terminal is gone.
func (k *keyboard) takeByte(patience time.Duration) (b byte, ok bool) {
	if len(k.ahead) > 0 {
		b, k.ahead = k.ahead[0], k.ahead[1:]
		return b, true
	}
	for k.err == nil {
		b, ok, k.err = k.term.readByte(patience)
		if k.err != errWoken || k.term.interrupted.Load() {
			break
		}
		k.err = nil
	}
	return b, ok
}

// putBack puts bytes back to be read again.
func (k *keyboard) putBack(bytes ...byte) { k.ahead = slices.Concat(bytes, k.ahead) }

// readChar reads the rest of a character, however late it comes.
func (k *keyboard) readChar(first byte) key {
	char := []byte{first}
	for !utf8.FullRune(char) {
		b, ok := k.takeByte(forever)
		if !ok {
			return key{}
		}
		char = append(char, b)
	}
	r, size := utf8.DecodeRune(char)
	k.putBack(char[size:]...)
	if r == utf8.RuneError && size <= 1 || !insertable(r) {
		return key{}
	}
	return key{name: "char", text: string(r)}
}

func (k *keyboard) readEscape() key {
	patience := escapePause
	if k.pasting {
		patience = forever
	}
	switch b, ok := k.takeByte(patience); {
	case !ok:
		return key{name: "escape"}
	case b == '[':
		return k.readSequence()
	case b == 'O':
		final, _ := k.takeByte(forever)
		return key{name: sequenceName("", final)}
	case strings.IndexByte("]P^_X", b) >= 0:
		return k.readAnswer(b)
	default:
		return k.withAlt(b)
	}
}

// withAlt is a key that was pressed with Alt, which terminals send as ESC and it.
func (k *keyboard) withAlt(b byte) key {
	switch {
	case b == escape || k.vi:
		k.putBack(b)
		return key{name: "escape"}
	case b < ' ' || b == rubout:
		return key{name: "alt-" + controlName(b)}
	case b >= utf8.RuneSelf:
		k.readChar(b)
		return key{}
	}
	return key{name: "alt-" + strings.ToLower(string(rune(b)))}
}

// readAnswer reads and drops what a terminal reports about itself, such as its colours. A report ends with BEL or
// ESC \; another control character, or a pause, means that it was a key with Alt, and that more was typed after it.
func (k *keyboard) readAnswer(first byte) key {
	var text []byte
	for {
		b, ok := k.takeByte(answerPause)
		if ok {
			text = append(text, b)
		}
		switch {
		case k.err != nil, ok && b == '\a', strings.HasSuffix(string(text), "\x1b\\"):
			return key{}
		case !ok || b < ' ' && b != escape:
			k.putBack(text...)
			return k.withAlt(first)
		}
	}
}

// readSequence reads what follows ESC [ to its final byte, however late it comes.
func (k *keyboard) readSequence() key {
	var body []byte
	for {
		b, ok := k.takeByte(forever)
		switch {
		case !ok:
			return key{}
		case b < ' ' || b > '~': // another key: the rest never comes
			k.putBack(b)
			return key{}
		case b == '[' && len(body) == 0: // the Linux console's F1 to F5 are ESC [ [ A to E
			final, _ := k.takeByte(forever)
			return key{name: map[byte]string{'A': "f1"}[final]}
		case b == 'M' && len(body) == 0: // a mouse in the old way, with three bytes
			for range 3 {
				k.takeByte(forever)
			}
			return key{}
		case b >= '@':
			return k.sequenceKey(string(body), b)
		case len(body) < 64:
			body = append(body, b)
		}
	}
}

func (k *keyboard) sequenceKey(body string, final byte) key {
	first, rest, _ := strings.Cut(body, ";")
	second, third, _ := strings.Cut(rest, ";")
	switch {
	case final == '~' && first == "200":
		return k.readPaste()
	case final == '~' && first == "27":
		return codeKey(third, second)
	case final == 'u':
		return codeKey(first, second)
	case final == 'R':
		row, ok1 := readNumber(first)
		column, ok2 := readNumber(rest)
		if !ok1 || !ok2 {
			return key{}
		}
		return key{name: "place", at: [2]int{row, column}}
	case strings.HasPrefix(body, "<"), strings.HasPrefix(body, "?"):
		return key{} // a mouse, an answer
	}
	return key{name: sequenceName(body, final)}
}

const pasteEnd = "\x1b[201~"

// readPaste reads pasted text up to the terminal's mark of its end, or as much as came if that mark does not come.
func (k *keyboard) readPaste() key {
	var text []byte
	k.pasting = false
	for !k.pasting && !strings.HasSuffix(string(text[max(0, len(text)-len(pasteEnd)):]), pasteEnd) {
		b, ok := k.takeByte(answerPause)
		if ok {
			text = append(text, b)
		}
		k.pasting = !ok
	}
	if k.pasting { // the beginning of what may be the end is looked at when more comes
		begun := len(text)
		for n := 1; n < len(pasteEnd); n++ {
			if strings.HasSuffix(string(text), pasteEnd[:n]) {
				begun = len(text) - n
			}
		}
		k.putBack(text[begun:]...)
		text = text[:begun]
	}
	return key{name: "paste", text: cleanPaste(strings.TrimSuffix(string(text), pasteEnd))}
}

// amidPaste interprets a key while the end of a paste is missing: Enter and Tab are part of the paste if more input
// follows at once; any other key without text ends the paste.
func (k *keyboard) amidPaste(typed key) key {
	text := map[string]string{"enter": "\n", "tab": "\t"}[typed.name]
	switch {
	case typed.name == "char" || typed.name == "paste":
	case text != "" && k.term.hasInput(escapePause):
		return key{name: "paste", text: text}
	default:
		k.pasting = false
	}
	return typed
}

// cleanPaste makes newlines of the carriage returns that terminals paste, and leaves out control characters.
func cleanPaste(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || insertable(r) {
			return r
		}
		return -1
	}, text)
}
