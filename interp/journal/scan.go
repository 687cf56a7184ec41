package journal

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
)

// scanner reads JSON that the checksum has vouched for, so it need not find out all that is wrong
// with a text, but must not trip. Opening a journal is mostly this: encoding/json takes more
// than four times as long (measured).
type scanner struct {
	text []byte
	at   int
}

var errShape = errors.New("its check holds, but it has not the shape of a record")

// takeByte takes a character if it is the next.
func (s *scanner) takeByte(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

// readObject reads an object: field is called before the value of each key, and has to read it.
func (s *scanner) readObject(field func(key []byte) error) error {
	if !s.takeByte('{') {
		return errShape
	}
	for !s.takeByte('}') {
		key, err := s.readRaw()
		if err != nil || len(key) < 2 || key[0] != '"' || !s.takeByte(':') {
			return errShape
		}
		if err := field(key[1 : len(key)-1]); err != nil {
			return err
		}
		if !s.takeByte(',') && (s.at >= len(s.text) || s.text[s.at] != '}') {
			return errShape
		}
	}
	return nil
}

// readArray reads an array: element is called before each.
func (s *scanner) readArray(element func() error) error {
	if !s.takeByte('[') {
		return errShape
	}
	for !s.takeByte(']') {
		if err := element(); err != nil {
			return err
		}
		if !s.takeByte(',') && (s.at >= len(s.text) || s.text[s.at] != ']') {
			return errShape
		}
	}
	return nil
}

// readRaw reads any value.
func (s *scanner) readRaw() (json.RawMessage, error) {
	start, depth := s.at, 0
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '"':
			if !s.skipString() {
				return nil, errShape
			}
		case c == '{' || c == '[':
			depth++
			s.at++
		case c == '}' || c == ']' || c == ',' || c == ':':
			if depth == 0 {
				return s.rawSince(start)
			}
			if c == '}' || c == ']' {
				depth--
			}
			s.at++
		default:
			s.at++
			continue
		}
		if depth == 0 {
			break
		}
	}
	return s.rawSince(start)
}

func (s *scanner) rawSince(start int) (json.RawMessage, error) {
	if s.at == start {
		return nil, errShape
	}
	return s.text[start:s.at], nil
}

// skipString skips a string; it stands at its opening quote.
func (s *scanner) skipString() bool {
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			return true
		}
	}
	return false
}

// readQuoted reads what appendQuoted wrote.
func (s *scanner) readQuoted() (value string, err error) {
	if s.at < len(s.text) && s.text[s.at] == '{' {
		err = s.readObject(func([]byte) error {
			text, err := s.readQuoted()
			if err != nil {
				return err
			}
			bytes, err := base64.StdEncoding.DecodeString(text)
			value = string(bytes)
			return err
		})
		return value, err
	}
	start := s.at
	if start >= len(s.text) || s.text[start] != '"' || !s.skipString() {
		return "", errShape
	}
	inner := s.text[start+1 : s.at-1]
	if bytes.IndexByte(inner, '\\') >= 0 {
		err := json.Unmarshal(s.text[start:s.at], &value)
		return value, err
	}
	return string(inner), nil
}

// readNumber reads a whole number that is not negative.
func (s *scanner) readNumber() (int64, error) {
	text, err := s.readRaw()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n < 0 {
		return 0, errShape
	}
	return n, nil
}
