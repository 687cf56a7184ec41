package repl

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A key was typed, or came from the terminal.
type key struct {
	// name is such as "left", "ctrl-a", "alt-enter", "ctrl-alt-left"; "char" and "paste" have a text, "place" is the
	// terminal's answer where the cursor is, "resized" says that it has another size, "looked" that what was looked up
	// is known now. "" means nothing here.
	name string
	text string
	at   [2]int // of "place": row and column, from 1
}

const (
	escape = 0x1b
	rubout = 0x7f
)

// insertable reports whether a character may stand in a statement that is typed or pasted: no control character,
// which could do harm when it is shown.
func insertable(r rune) bool {
	return r >= ' ' && r != rubout && (r < 0x80 || r >= 0xa0) && utf8.ValidRune(r)
}

// controlName is the key that a control character is.
func controlName(c byte) string {
	switch c {
	case '\t':
		return "tab"
	case '\r', '\n': // what was typed while the terminal had its usual modes ends with \n
		return "enter"
	case escape:
		return "escape"
	case rubout, '\b':
		return "backspace"
	case 0:
		return ""
	}
	return "ctrl-" + strings.ToLower(string(rune(c|0x40)))
}

// modifierPrefix returns the beginning of a key's name for the modifier keys that are held with it, as terminals number
// them: 1 and a bit for each.
func modifierPrefix(number string) (prefix string) {
	number, _, _ = strings.Cut(number, ":")
	bits, err := strconv.Atoi(number)
	if err != nil || bits < 1 {
		return ""
	}
	const shift, alt, control, meta = 1, 2, 4, 32
	for _, modifier := range []struct {
		bits int
		name string
	}{{control, "ctrl-"}, {alt | meta, "alt-"}, {shift, "shift-"}} {
		if (bits-1)&modifier.bits != 0 {
			prefix += modifier.name
		}
	}
	return prefix
}

// sequenceName is the key that ESC [ or ESC O is, with its parameters and its last letter.
func sequenceName(body string, final byte) string {
	first, rest, _ := strings.Cut(body, ";")
	modifiers, _, _ := strings.Cut(rest, ";")
	const ctrl = "5"
	key := string(final)
	switch {
	case final == '~':
		key = first
	case final == '^': // rxvt, with Ctrl
		key, modifiers = first, ctrl
	case 'a' <= final && final <= 'd': // rxvt, with Ctrl
		key, modifiers = strings.ToUpper(key), ctrl
	}
	name := map[string]string{
		"A": "up", "B": "down", "C": "right", "D": "left", "F": "end", "H": "home", "M": "enter", "P": "f1", "Z": "shift-tab",
		"1": "home", "3": "delete", "4": "end", "7": "home", "8": "end", "11": "f1",
		"5": "up", "6": "down", // pages: an older and a newer statement
	}[key]
	if name == "" {
		return ""
	}
	return modifierPrefix(modifiers) + name
}

// codeKey is a key that is sent as the number of its character, with modifiers: by the protocol of kitty as ESC [
// code u, by xterm as ESC [ 27 ; … ; code ~. The code may have that of the shifted character after a colon, the
// modifiers 3 there if the key is let go.
func codeKey(code, modifiers string) key {
	const keypadEnter = 57414
	prefix := modifierPrefix(modifiers)
	plain, shifted, _ := strings.Cut(code, ":")
	if prefix == "shift-" && shifted != "" {
		plain = shifted
	}
	n, ok := readNumber(plain)
	switch char := rune(n); {
	case !ok || strings.HasSuffix(modifiers, ":3"):
		return key{}
	case char == keypadEnter:
		return key{name: prefix + "enter"}
	case char < ' ' || char == rubout:
		return key{name: prefix + controlName(byte(char))}
	case !insertable(char):
		return key{}
	case prefix == "shift-":
		return key{name: "char", text: string(unicode.ToUpper(char))}
	case prefix == "":
		return key{name: "char", text: string(char)}
	default:
		return key{name: strings.TrimSuffix(prefix, "shift-") + string(unicode.ToLower(char))}
	}
}

func readNumber(digits string) (n int, ok bool) {
	n, err := strconv.Atoi(digits)
	return n, err == nil && n >= 0 && n <= unicode.MaxRune && digits[0] != '+'
}
