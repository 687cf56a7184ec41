package write

import (
	"bytes"
	"sync"
)

// A Text is what was written up to now, by a program or another goroutine. The zero value is empty. Safe for concurrent
// use.
type Text struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (t *Text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

// String returns all that was not taken.
func (t *Text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// Bytes returns the same.
func (t *Text) Bytes() []byte { return []byte(t.String()) }

// Line takes the next line, with its newline; what there is without one is taken, too, and is no line.
func (t *Text) Line() (line string, whole bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	line, err := t.text.ReadString('\n')
	return line, err == nil
}
