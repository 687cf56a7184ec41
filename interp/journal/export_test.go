package journal

import "encoding/json"

// Quote gives a string as JSON, as in a Text.
func Quote(s string) json.RawMessage { return appendQuoted(nil, s) }

// Unquote gives the string that Quote was given.
func Unquote(text json.RawMessage) (string, error) {
	var t Text
	err := t.UnmarshalJSON(text)
	return string(t), err
}

// WithLimits has a journal rewritten from so many bytes on, and values over so many stored apart.
func (c Config) WithLimits(limit int64, long int) Config {
	c.limit, c.long = limit, long
	return c
}

// Unchained is the fault that checks do not cover those before.
func (c Config) Unchained() Config {
	c.unchained = true
	return c
}
