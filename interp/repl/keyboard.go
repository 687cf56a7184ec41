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
	pasting bool   // text that was pasted has no end yet
}

const (
	// escapePause says how long a lone Escape is waited for: it is known by nothing following.
	escapePause = 50 * time.Millisecond
	// answerPause says how long the terminal may pause within an answer, or a paste.
	answerPause = 500 * time.Millisecond
)

// readKey reads one key, waiting for it. The error is errGone, or io.EOF.
func (k *keyboard) readKey() (typed key, err error) {
	if len(k.ahead) == 0 && !k.term.hasInput(0) {
		k.idle()
	}
	if event, came := k.term.takeEvent(); came {
		return event, nil
	}
	b, _, err := k.takeByte(forever)
	switch {
	case err == errWoken:
		return key{}, nil
	case err != nil:
		return key{}, err
	case b == escape:
		typed, err = k.readEscape()
	case b < ' ' || b == rubout:
		typed = key{name: controlName(b)}
	default:
		typed, err = k.readChar(b)
	}
	if err == errWoken {
		err = nil
	}
	if k.pasting {
		typed = k.amidPaste(typed)
	}
	return typed, err
}

// takeByte reads a byte. The terminal's having another size ends no key that has begun.
func (k *keyboard) takeByte(patience time.Duration) (b byte, ok bool, err error) {
	if len(k.ahead) > 0 {
		b, k.ahead = k.ahead[0], k.ahead[1:]
		return b, true, nil
	}
	return k.term.readByte(patience)
}

// takeMore reads a further byte of a key, for which a change of size is no event.
func (k *keyboard) takeMore(patience time.Duration) (b byte, ok bool, err error) {
	for {
		b, ok, err = k.takeByte(patience)
		if err != errWoken || k.term.interrupted.Load() {
			return b, ok, err
		}
	}
}

// putBack has bytes read once more.
func (k *keyboard) putBack(bytes ...byte) { k.ahead = slices.Concat(bytes, k.ahead) }

// readChar reads the rest of a character, however late it comes.
func (k *keyboard) readChar(first byte) (key, error) {
	char := []byte{first}
	for !utf8.FullRune(char) {
		b, _, err := k.takeMore(forever)
		if err != nil {
			return key{}, err
		}
		char = append(char, b)
	}
	r, size := utf8.DecodeRune(char)
	k.putBack(char[size:]...)
	if r == utf8.RuneError && size <= 1 || !insertable(r) {
		return key{}, nil
	}
	return key{name: "char", text: string(r)}, nil
}

// insertable reports whether a character may stand in a statement that is typed or pasted: no control character,
// which could do harm when it is shown.
func insertable(r rune) bool {
	return r >= ' ' && r != rubout && (r < 0x80 || r >= 0xa0) && utf8.ValidRune(r)
}

func (k *keyboard) readEscape() (key, error) {
	b, ok, err := k.takeMore(ifElse(k.pasting, forever, escapePause))
	switch {
	case err != nil || !ok:
		return key{name: "escape"}, err
	case b == '[':
		return k.readSequence()
	case b == 'O':
		final, _, err := k.takeMore(forever)
		return key{name: sequenceName("", final)}, err
	case strings.IndexByte("]P^_X", b) >= 0:
		return k.readAnswer(b)
	}
	return k.withAlt(b)
}

// withAlt is a key that was pressed with Alt, which terminals send as ESC and it.
func (k *keyboard) withAlt(b byte) (key, error) {
	switch {
	case b == escape || k.vi:
		k.putBack(b)
		return key{name: "escape"}, nil
	case b < ' ' || b == rubout:
		return key{name: "alt-" + controlName(b)}, nil
	case b >= utf8.RuneSelf:
		_, err := k.readChar(b)
		return key{}, err
	}
	return key{name: "alt-" + strings.ToLower(string(rune(b)))}, nil
}

// readAnswer reads what a terminal says of itself, such as its colours, and drops it. It ends with BEL or ESC \;
// anything else that is no text tells that a key was pressed with Alt, and more typed after it.
func (k *keyboard) readAnswer(first byte) (key, error) {
	var text []byte
	for {
		b, ok, err := k.takeMore(answerPause)
		switch {
		case err != nil:
			return key{}, err
		case ok && (b == '\a' || b == '\\' && len(text) > 0 && text[len(text)-1] == escape):
			return key{}, nil
		case ok:
			text = append(text, b)
		}
		if !ok || b < ' ' && b != escape {
			k.putBack(text...)
			return k.withAlt(first)
		}
	}
}

// readSequence reads what follows ESC [ to its final byte, however late it comes.
func (k *keyboard) readSequence() (key, error) {
	var body []byte
	for {
		b, _, err := k.takeMore(forever)
		switch {
		case err != nil:
			return key{}, err
		case b < ' ' || b > '~': // another key: the rest never comes
			k.putBack(b)
			return key{}, nil
		case b == '[' && len(body) == 0: // the Linux console's F1 to F5 are ESC [ [ A to E
			b, _, err := k.takeMore(forever)
			return key{name: ifElse(b == 'A', "f1", "")}, err
		case b == 'M' && len(body) == 0: // a mouse in the old way, with three bytes
			for range 3 {
				_, _, err = k.takeMore(forever)
			}
			return key{}, err
		case b >= '@':
			return k.sequenceKey(string(body), b)
		case len(body) < 64:
			body = append(body, b)
		}
	}
}

func (k *keyboard) sequenceKey(body string, final byte) (key, error) {
	first, rest, _ := strings.Cut(body, ";")
	switch {
	case final == '~' && first == "200":
		return k.readPaste()
	case final == '~' && first == "27":
		modifiers, code, _ := strings.Cut(rest, ";")
		return codeKey(code, modifiers), nil
	case final == 'u':
		modifiers, _, _ := strings.Cut(rest, ";")
		return codeKey(first, modifiers), nil
	case final == 'R':
		row, ok1 := readNumber(first)
		column, ok2 := readNumber(rest)
		return ifElse(ok1 && ok2, key{name: "place", at: [2]int{row, column}}, key{}), nil
	case strings.HasPrefix(body, "<"), strings.HasPrefix(body, "?"):
		return key{}, nil // a mouse, an answer
	}
	return key{name: sequenceName(body, final)}, nil
}

const pasteEnd = "\x1b[201~"

// readPaste reads pasted text, which the terminal brackets. Of one whose end does not come it returns what has come.
func (k *keyboard) readPaste() (key, error) {
	var text []byte
	k.pasting = false
	for !strings.HasSuffix(string(text[max(0, len(text)-len(pasteEnd)):]), pasteEnd) {
		b, ok, err := k.takeMore(answerPause)
		if err != nil {
			return key{}, err
		}
		if !ok {
			k.pasting = true
			break
		}
		text = append(text, b)
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
	return key{name: "paste", text: cleanPaste(strings.TrimSuffix(string(text), pasteEnd))}, nil
}

// amidPaste decides what a key is while a paste has no end yet: still a part of it, if more follows at once. Any
// other key ends the paste.
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
