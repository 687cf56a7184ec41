package jobs

import (
	"encoding/json"
	"unicode/utf8"
)

// text is a string as JSON that need not be UTF-8: then it is {"base64":"…"}. Words, names and directories are bytes.
type text string

// texts are several.
type texts []string

// encoded is a text that is not UTF-8.
type encoded struct {
	Bytes []byte `json:"base64"`
}

// MarshalJSON implements json.Marshaler.
func (t text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(encoded{[]byte(t)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(from []byte) error {
	var e encoded
	if len(from) > 0 && from[0] == '{' {
		err := json.Unmarshal(from, &e)
		*t = text(e.Bytes)
		return err
	}
	return json.Unmarshal(from, (*string)(t))
}

// MarshalJSON implements json.Marshaler.
func (t texts) MarshalJSON() ([]byte, error) {
	list := make([]text, len(t))
	for i, s := range t {
		list[i] = text(s)
	}
	return json.Marshal(list)
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *texts) UnmarshalJSON(from []byte) error {
	var list []text
	err := json.Unmarshal(from, &list)
	for _, s := range list {
		*t = append(*t, string(s))
	}
	return err
}
