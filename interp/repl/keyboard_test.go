package repl

import (
	"strings"
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
	k := &keyboard{term: &terminal{in: in[0], wake: wake}, idle: func() {}, vi: vi}
	var keys []key
	for {
		next, err := k.readKey()
		if err != nil {
			return keys
		}
		if next.name != "" {
			keys = append(keys, next)
		}
	}
}

func TestKeysOfBytes(t *testing.T) {
	for bytes, want := range map[string]key{
		"a":                         {name: "char", text: "a"},
		"世":                         {name: "char", text: "世"},
		"\x1b[12;40R":               {name: "place", at: [2]int{12, 40}},
		"\x1b[200~a\rb\x1b[201~":    {name: "paste", text: "a\nb"},
		"\x1b[200~\x1b[1m\x1b[201~": {name: "paste", text: "[1m"},
		"\r":                        {name: "enter"},
		"\x1b\r":                    {name: "alt-enter"},
		"\x1b[A":                    {name: "up"},
		"\x1bOB":                    {name: "down"},
		"\x1b[1~":                   {name: "home"},
		"\x1b[4~":                   {name: "end"},
		"\x1b[7~":                   {name: "home"},
		"\x1b[8~":                   {name: "end"},
		"\x1b[3~":                   {name: "delete"},
		"\x1b[3;5~":                 {name: "ctrl-delete"},
		"\x1b[3^":                   {name: "ctrl-delete"},
		"\x1b[1;5D":                 {name: "ctrl-left"},
		"\x1b[1;3C":                 {name: "alt-right"},
		"\x1b[1;2C":                 {name: "shift-right"},
		"\x1bOc":                    {name: "ctrl-right"},
		"\x1bb":                     {name: "alt-b"},
		"\x1b.":                     {name: "alt-."},
		"\x1b\x7f":                  {name: "alt-backspace"},
		"\x1b[Z":                    {name: "shift-tab"},
		"\x1bOP":                    {name: "f1"},
		"\x1b[11~":                  {name: "f1"},
		"\x1b[[A":                   {name: "f1"},
		"\x1a":                      {name: "ctrl-z"},
		"\x1f":                      {name: "ctrl-_"},
		// by the protocol of kitty, and of xterm
		"\x1b[13;2u":     {name: "shift-enter"},
		"\x1b[97u":       {name: "char", text: "a"},
		"\x1b[97;2u":     {name: "char", text: "A"},
		"\x1b[49:33;2u":  {name: "char", text: "!"},
		"\x1b[97;5u":     {name: "ctrl-a"},
		"\x1b[99;5:1u":   {name: "ctrl-c"},
		"\x1b[98;3u":     {name: "alt-b"},
		"\x1b[27u":       {name: "escape"},
		"\x1b[57414u":    {name: "enter"},
		"\x1b[1;5:1D":    {name: "ctrl-left"},
		"\x1b[27;5;9~":   {name: "ctrl-tab"},
		"\x1b[27;2;65~":  {name: "char", text: "A"},
		"\x1b[27;5;107~": {name: "ctrl-k"},
		"\x1b[228;1u":    {name: "char", text: "ä"},
	} {
		if got := typed(t, bytes, false); len(got) != 1 || got[0] != want {
			t.Errorf("%q is %v, want %v", bytes, got, want)
		}
	}
	for _, bytes := range []string{
		"\x1b[15~", "\x1b[[B", "\x1b[<0;1;1M", "\x1b[M !!", "\xff", "\x1b[?2027;0$y", "\x00", "\x1b[?62;c", "\x1b[97;1:3u",
		"\x1b]11;rgb:0000/0000/0000\x1b\\", "\x1b]10;rgb:ffff/ffff/ffff\a", "\x1bP1+r544e=78\x1b\\", "\x1b_Gi=1;OK\x1b\\",
	} {
		if got := typed(t, bytes, false); len(got) != 0 {
			t.Errorf("%q is %v, want nothing", bytes, got)
		}
	}
}

// In vi's mode Escape is a key of its own, however soon the next one comes.
func TestEscapeInVi(t *testing.T) {
	got := typed(t, "\x1bb", true)
	if len(got) != 2 || got[0].name != "escape" || got[1].text != "b" {
		t.Error(got)
	}
	if got := typed(t, "\x1b[D", true); len(got) != 1 || got[0].name != "left" {
		t.Error(got)
	}
}

// FuzzKeys holds that no bytes make a key that could do harm.
func FuzzKeys(f *testing.F) {
	for _, s := range []string{
		"a\x1b[1;5D", "\x1b[200~x", "\x1b[200~\x1b[201~\x1b", "\xe4\xb8", "\x1bO", "\x1b[999999999999;1R",
	} {
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, bytes []byte, vi bool) {
		if len(bytes) > 4096 {
			return
		}
		for _, k := range typed(t, string(bytes), vi) {
			broken := k.name == "char" && strings.ContainsAny(k.text, "\n\t")
			if k.text != cleanPaste(k.text) || broken || k.at[0] < 0 || k.at[1] < 0 {
				t.Errorf("%v", k)
			}
		}
	})
}
