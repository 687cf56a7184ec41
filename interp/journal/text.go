package journal

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Text is a string that need not be UTF-8. As JSON it is a string, or {"base64":"…"} if it is not UTF-8.
type Text string

// MarshalJSON implements json.Marshaler. It does not fail.
func (t Text) MarshalJSON() ([]byte, error) { return appendQuoted(nil, string(t)), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(text []byte) error {
	s := scanner{text: text}
	value, err := s.readQuoted()
	if err != nil || s.at != len(text) {
		return fmt.Errorf("%.40q is neither a string nor {\"base64\":…}", text)
	}
	*t = Text(value)
	return nil
}

func appendQuoted(to []byte, s string) []byte {
	if utf8.ValidString(s) {
		return appendString(to, s)
	}
	to = append(to, `{"base64":"`...)
	to = base64.StdEncoding.AppendEncode(to, []byte(s))
	return append(to, `"}`...)
}

const hexDigits = "0123456789abcdef"

// appendString appends UTF-8 as a string of JSON; unlike encoding/json it leaves <, > and & as
// they are, for people.
func appendString(to []byte, s string) []byte {
	to = append(to, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c != 0x7f {
			continue
		}
		to = append(to, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			to = append(to, '\\', c)
		case '\n':
			to = append(to, `\n`...)
		case '\t':
			to = append(to, `\t`...)
		default:
			to = append(to, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	to = append(to, s[start:]...)
	return append(to, '"')
}

// appendNote appends an object for people, its keys in order. What cannot be told is null.
func appendNote(to []byte, note map[string]any) []byte {
	keys := make([]string, 0, len(note))
	for key := range note {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	to = append(to, '{')
	for i, key := range keys {
		if i > 0 {
			to = append(to, ',')
		}
		to = append(appendString(to, string([]rune(key))), ':')
		to = appendAny(to, note[key])
	}
	return append(to, '}')
}

func appendAny(to []byte, value any) []byte {
	if s, is := value.(string); is {
		return appendQuoted(to, s)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return append(to, "null"...)
	}
	return append(to, text...)
}
