package repl

import (
	"testing"

	"golang.org/x/sys/unix"
)

// typed returns the keys that bytes make.
func typed(t *testing.T, bytes string, vi bool) []key {
	t.Helper()
	var in, wake [2]int
	for _, pipe := range []*[2]int{&in, &wake} {
		if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		defer unix.Close(pipe[0])
	}
	defer unix.Close(wake[1])
	if _, err := unix.Write(in[1], []byte(bytes)); err != nil {
		t.Fatal(err)
	}
	unix.Close(in[1])
	k := newKeyboard(&terminal{in: in[0], wake: wake})
	k.useVi(vi)
	var keys []key
	for {
		k.admit()
		next, err := k.next()
		if err != nil {
			return keys
		}
		keys = append(keys, next)
	}
}

func TestKeysOfBytes(t *testing.T) {
	for bytes, want := range map[string]key{
		"a":                         {code: keyChar, char: 'a'},
		"世":                         {code: keyChar, char: '世'},
		"\r":                        {code: keyEnter},
		"\x1b\r":                    {code: keyNewline},
		"\x1b[A":                    {code: keyUp},
		"\x1bOB":                    {code: keyDown},
		"\x1b[1~":                   {code: keyHome},
		"\x1b[4~":                   {code: keyEnd},
		"\x1b[7~":                   {code: keyHome},
		"\x1b[8~":                   {code: keyEnd},
		"\x1b[3~":                   {code: keyDelete},
		"\x1b[3;5~":                 {code: keyKillWord},
		"\x1b[1;5D":                 {code: keyWordLeft},
		"\x1b[1;3C":                 {code: keyWordRight},
		"\x1bOc":                    {code: keyWordRight},
		"\x1bb":                     {code: keyWordLeft},
		"\x1bf":                     {code: keyWordRight},
		"\x1b\x7f":                  {code: keyRubWord},
		"\x1b[Z":                    {code: keyBackTab},
		"\x1b[13;2u":                {code: keyNewline},
		"\x1b[27;5;9~":              {code: keyBackTab},
		"\x1b[12;40R":               {code: keyPlace, args: [2]int{12, 40}},
		"\x1b[200~a\rb\x1b[201~":    {code: keyPaste, text: "a\nb"},
		"\x1b[200~\x1b[1m\x1b[201~": {code: keyPaste, text: "[1m"},
		"\x1a":                      {code: keySuspend},
	} {
		if got := typed(t, bytes, false); len(got) != 1 || got[0] != want {
			t.Errorf("%q is %v, want %v", bytes, got, want)
		}
	}
	for _, bytes := range []string{"\x1b[15~", "\x1b[[A", "\x1b[<0;1;1M", "\x1bOP", "\xff", "\x1b[?2027;0$y", "\x00", "\x1b[?62;c"} {
		if got := typed(t, bytes, false); len(got) != 0 {
			t.Errorf("%q is %v, want nothing", bytes, got)
		}
	}
}

// In vi's mode Escape is a key of its own, however soon the next one comes.
func TestEscapeInVi(t *testing.T) {
	got := typed(t, "\x1bb", true)
	if len(got) != 2 || got[0].code != keyEscape || got[1].char != 'b' {
		t.Error(got)
	}
	if got := typed(t, "\x1b[D", true); len(got) != 1 || got[0].code != keyLeft {
		t.Error(got)
	}
}

// FuzzKeys holds that no bytes make a key that could do harm.
func FuzzKeys(f *testing.F) {
	for _, s := range []string{"a\x1b[1;5D", "\x1b[200~x", "\x1b[200~\x1b[201~\x1b", "\xe4\xb8", "\x1bO", "\x1b[999999999999;1R"} {
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, bytes []byte, vi bool) {
		if len(bytes) > 4096 {
			return
		}
		for _, k := range typed(t, string(bytes), vi) {
			if k.code == keyChar && !insertable(k.char) || k.text != cleanPaste(k.text) || k.args[0] < 0 || k.args[1] < 0 {
				t.Errorf("%v", k)
			}
		}
	})
}
