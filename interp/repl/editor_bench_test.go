package repl

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"

	"ftsh/interp"
	"ftsh/interp/local"
	"ftsh/interp/process/clock"
	"ftsh/interp/world"
)

// noPrograms is a world without any.
type noPrograms struct{ world.World }

func (noPrograms) Run(_ context.Context, c *world.Command) (world.Status, error) {
	return world.Status{}, &world.StartError{Path: c.Path, Missing: true}
}

// newTestEditor makes the editor of a shell on a terminal of its own, and returns
// where one types. What it draws is written to drawn.
func newTestEditor(b testing.TB, config interp.Config, drawn io.Writer) (*editor, *os.File) {
	b.Helper()
	keys, screen, err := pty.Open()
	if err != nil {
		b.Fatal(err)
	}
	fd := int(screen.Fd())
	if err := pty.Setsize(keys, &pty.Winsize{Rows: 50, Cols: 120}); err != nil {
		b.Fatal(err)
	}
	term, err := openTerminal(fd, fd)
	if err != nil {
		b.Fatal(err)
	}
	timer := clock.New()
	config.Script.Environ = os.Environ()
	machine := local.New(local.Config{Clock: timer})
	if looks, given := config.World.(*slowLooks); given {
		looks.World = machine
	} else {
		config.World = machine
	}
	s := &shell{Config: Config{Runner: interp.New(config), Colours: true, Typing: func(bool) {}}, term: term}
	s.world = noPrograms{machine}
	s.looks.came = make(chan func(), 1)
	e := newEditor(term, s)
	drained := make(chan struct{})
	go func() {
		_, _ = io.Copy(drawn, keys)
		close(drained)
	}()
	b.Cleanup(func() {
		term.closePipes()
		timer.Close()
		_ = screen.Close()
		<-drained
		_ = keys.Close()
	})
	return e, keys
}

const lines = 1000

// BenchmarkBurst takes a statement of a thousand lines that are typed at once.
func BenchmarkBurst(b *testing.B) {
	e, keys := newTestEditor(b, interp.Config{}, io.Discard)
	text := "try 3 times\r" + strings.Repeat("echo \"$HOME is where\" the words are\r", lines) + "end\r"
	for b.Loop() {
		go func() { _, _ = keys.WriteString(text) }()
		if got, err := e.readStatement(); err != nil || strings.Count(got, "\n") != lines+1 {
			b.Fatal(err, got)
		}
	}
}

// BenchmarkKey types a character in the middle of a statement of a thousand lines,
// and takes it away.
func BenchmarkKey(b *testing.B) {
	e, _ := newTestEditor(b, interp.Config{}, io.Discard)
	e.shell.beginPrompt()
	e.now = newLine("try 3 times\n" + strings.Repeat("echo \"$HOME is where\" the words are\n", lines) + "end")
	e.now = e.now.at(len(e.now.text) / 2)
	e.beginStatement()
	for b.Loop() {
		for _, name := range []string{"char", "backspace"} {
			e.pressKey(key{name: name, text: "x"})
			e.drawStatement()
		}
	}
}
