package repl

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
	"golang.org/x/sys/unix"

	"ftsh/interp"
	"ftsh/testdata/skip"
)

// drawnEditor is an editor of which each drawing can be looked at.
type drawnEditor struct {
	*editor
	drawings *[2]int // a pipe
}

func newDrawnEditor(t testing.TB) drawnEditor {
	e, _ := newTestEditor(t, interp.Config{}, io.Discard)
	d := drawnEditor{e, new([2]int)}
	if err := unix.Pipe2(d.drawings[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	out := e.term.out
	e.term.out = d.drawings[1] // which is no terminal, and so has 80 columns and 24 rows
	t.Cleanup(func() {
		e.term.out = out
		unix.Close(d.drawings[0])
		unix.Close(d.drawings[1])
	})
	e.shell.beginPrompt()
	e.prompt = "\x1b[1;35mftsh\x1b[0m ~> "
	e.beginStatement()
	d.drawn()
	return d
}

// drawn draws what is to be seen and returns what was written for it, and before.
func (d drawnEditor) drawn() string {
	d.drawStatement()
	var text strings.Builder
	for buf := make([]byte, 1<<16); ; {
		n, err := unix.Read(d.drawings[0], buf)
		if err != nil || n == 0 {
			return text.String()
		}
		text.Write(buf[:n])
	}
}

// TestBytesOfKeys holds how much is written to the terminal for a key.
func TestBytesOfKeys(t *testing.T) {
	for name, test := range map[string]struct {
		before string // is typed at once
		keys   []key
		most   int // of bytes for each key
	}{
		"a word":                      {"echo s", characters("ome words, and more"), 1},
		"a word of a long text":       {"echo " + strings.Repeat("many words ", 100), characters("more"), 30},
		"the first word":              {"", characters("nosuchprogram"), 10},
		"a string":                    {"echo s", characters(`'ome words`), 10},
		"the end of a string":         {"echo 'some words, and more", characters("'"), 60},
		"a variable":                  {"echo ", characters("$HOME/x"), 30},
		"a comment":                   {"echo # ", characters("some words"), 10},
		"in a block":                  {"try\necho ", characters("some words"), 1},
		"left":                        {"echo some words", []key{{name: "left"}, {name: "left"}, {name: "left"}}, 1},
		"home and end":                {"echo some words", []key{{name: "home"}, {name: "end"}}, 5},
		"up and down":                 {"try\necho some words", []key{{name: "up"}, {name: "down"}}, 10},
		"backspace":                   {"echo some words", []key{{name: "backspace"}, {name: "backspace"}}, 4},
		"a word of what is suggested": {"echo", characters(" one t"), 10},
		"a key without a meaning":     {"echo some words", []key{{name: "f1"}, {name: "ctrl-alt-q"}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDrawnEditor(t)
			d.recall.entries = []string{"echo one two three four five six seven eight nine ten"}
			d.bindings["f1"] = nil
			d.pressKey(key{name: "paste", text: test.before})
			d.drawn()
			for _, k := range test.keys {
				d.pressKey(k)
				if written := d.drawn(); len(written) > test.most {
					t.Errorf("%s %s: %d bytes, of which there may be %d: %q", k.name, k.text, len(written), test.most, written)
				}
			}
		})
	}
}

func characters(text string) (keys []key) {
	for _, r := range text {
		keys = append(keys, key{name: "char", text: string(r)})
	}
	return keys
}

// TestPatches presses keys at random, and holds that the terminal shows the same after each as if all is
// drawn.
func TestPatches(t *testing.T) {
	keys := characters("abcde   \"'$()#;|世é\t")
	for _, name := range []string{
		"left", "right", "up", "down", "home", "end", "backspace", "delete",
		"alt-b", "alt-f", "ctrl-w", "ctrl-k", "ctrl-y", "ctrl-_",
		"alt-enter", "ctrl-r", "ctrl-g", "ctrl-t", "ctrl-l", "tab", "escape",
	} {
		keys = append(keys, key{name: name})
	}
	for _, text := range []string{
		"echo ", "try\n", "if true\n", "end", strings.Repeat("x", 71), strings.Repeat("世 ", 40), "👩\u200d👧",
	} {
		keys = append(keys, key{name: "paste", text: text})
	}
	seeds, presses := uint64(8), 100
	if skip.Long() {
		seeds, presses = 100, 400
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			dice := rand.New(rand.NewPCG(seed, 0))
			d := newDrawnEditor(t)
			d.recall.entries = []string{"echo one two", "try\necho x\nend"}
			shown := vt.NewEmulator(80, 24)
			_, _ = shown.WriteString(usualNewlines(d.drawn()))
			d.screen.torn, d.stale = true, true
			_, _ = shown.WriteString(usualNewlines(d.drawn()))
			for range presses {
				k := keys[dice.IntN(len(keys))]
				d.pressKey(k)
				_, _ = shown.WriteString(usualNewlines(d.drawn()))
				whole := vt.NewEmulator(80, 24)
				fresh := screen{term: d.term}
				fresh.drawLayout(d.composeLayout(24), 24)
				_, _ = whole.WriteString(usualNewlines(d.drawn()))
				if got, want := shown.Render(), whole.Render(); got != want || shown.CursorPosition() != whole.CursorPosition() {
					t.Fatalf("after %s %q it shows at %v\n%s\nand not at %v\n%s", k.name, k.text, shown.CursorPosition(), got,
						whole.CursorPosition(), want)
				}
			}
		})
	}
}

// usualNewlines gives newlines as the terminal's driver writes them.
func usualNewlines(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
