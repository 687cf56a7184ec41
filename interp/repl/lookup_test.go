package repl

import (
	"bytes"
	"errors"
	"testing"

	"ftsh/interp"
	"ftsh/interp/files"
	"ftsh/interp/world"
)

// awaited tells by closing seen that a text was written.
type awaited struct {
	text    string
	written []byte
	seen    chan struct{}
}

func (a *awaited) Write(p []byte) (int, error) {
	before := bytes.Contains(a.written, []byte(a.text))
	a.written = append(a.written, p...)
	if !before && bytes.Contains(a.written, []byte(a.text)) {
		close(a.seen)
	}
	return len(p), nil
}

// slowLooks is a world in which a look for a program waits for an answer, and only frobn is there.
type slowLooks struct {
	world.World
	asked  chan string
	answer chan struct{}
}

func (w *slowLooks) Find(name, _ string, _ files.Directory) (string, error) {
	w.asked <- name
	<-w.answer
	if name != "frobn" {
		return "", errors.New("missing")
	}
	return name, nil
}

// While a folder on PATH hangs one can type and run statements; what it holds is
// drawn when it answers.
func TestHungFolderOnPath(t *testing.T) {
	asked, answer := make(chan string, 100), make(chan struct{})
	drawn := &awaited{text: styleCommand.escapeSequence(true) + "frobn", seen: make(chan struct{})}
	e, keys := newTestEditor(t, interp.Config{World: &slowLooks{asked: asked, answer: answer}}, drawn)
	for _, want := range []string{"frob x", "other y"} {
		go func() { _, _ = keys.WriteString(want + "\r") }()
		if got, err := e.readStatement(); err != nil || got != want {
			t.Fatal(got, err)
		}
	}
	if n := len(asked); n > 1 {
		t.Errorf("%d look-ups hang at a time", n)
	}
	go func() {
		_, _ = keys.WriteString("frobn")
		close(answer)
		<-drawn.seen
		_, _ = keys.WriteString("\r")
	}()
	if got, err := e.readStatement(); err != nil || got != "frobn" {
		t.Fatal(got, err)
	}
}
