package event

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ftsh/ast"
)

// FuzzLine checks that any bytes in any field give exactly one line of valid
// text and one JSON object that says the same.
func FuzzLine(f *testing.F) {
	for _, s := range []string{
		"plain", "", "two words", "it's", `a\b"$c`, "line\nbreak", "\x00\x1b[2J\x7f", "\xff\xc3(\x80", "…",
		"\u0085\u2028\u202e",
		strings.Repeat("long ", 100), strings.Repeat("\xff", 300), strings.Repeat("'", 300), "\U0001f600", "\ufffd", "'\\",
	} {
		f.Add(s, uint8(CommandFailed), "exit", int64(1500))
		f.Add(s, uint8(Assign), s, int64(-1))
	}
	f.Fuzz(func(t *testing.T, s string, kind uint8, failure string, nanos int64) {
		e := Event{
			Kind: Kind(kind), Time: time.Unix(0, nanos), Command: []string{s, s}, Name: s, Value: s, Failure: failure, Reason: s,
			Message: failure + s, Elapsed: time.Duration(nanos), Wait: time.Duration(nanos), Count: int(nanos),
			Pos: ast.Pos{Source: &ast.Source{Name: s}, Line: 1},
		}
		checkText(t, NewLog(nil, Config{}).appendLine(nil, e))
		checkText(t, NewLog(nil, Config{Decimal: true}).appendLine(nil, e))
		checkJSON(t, NewLog(nil, Config{JSON: true, Shell: 7}).appendLine(nil, e), e)
		checkWord(t, s)
	})
}

func checkText(t *testing.T, line []byte) {
	t.Helper()
	if !utf8.Valid(line) {
		t.Errorf("not valid UTF-8: %q", line)
	}
	if bytes.IndexByte(line, '\n') != len(line)-1 || len(line) > 4096 {
		t.Errorf("not one line of at most 4096 bytes: %q", line)
	}
	for _, r := range string(line[:len(line)-1]) {
		if !printable(r, 4) {
			t.Errorf("%q in %q", r, line)
		}
	}
}

func checkJSON(t *testing.T, line []byte, e Event) {
	t.Helper()
	if bytes.IndexByte(line, '\n') != len(line)-1 || !utf8.Valid(line) {
		t.Errorf("not one line of UTF-8: %q", line)
	}
	var got struct {
		Time                                 time.Time
		Event, Script, Name, Failure, Reason string
		Value, Message                       string
		Level, Shell, Line, Count            int
		Command                              []string
		Elapsed, Wait                        float64
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	if err := decoder.Decode(&got); err != nil {
		t.Fatalf("%v: %q", err, line)
	}
	want := valid(e.Name)
	for member, value := range map[string]string{
		"script": got.Script, "name": got.Name, "value": got.Value, "reason": got.Reason,
		"command 0": got.Command[0], "command 1": got.Command[1],
	} {
		if value != want {
			t.Errorf("%s: %q, want %q", member, value, want)
		}
	}
	if got.Failure != valid(e.Failure) || got.Message != valid(e.Message) {
		t.Errorf("failure %q, message %q in %q", got.Failure, got.Message, line)
	}
	if got.Event != e.Kind.String() || got.Level != e.Kind.Level() || got.Shell != 7 || got.Count != e.Count {
		t.Errorf("event %q, level %d, shell %d, count %d in %q", got.Event, got.Level, got.Shell, got.Count, line)
	}
	if d := got.Elapsed - e.Elapsed.Seconds(); d > 2e-6 || d < -2e-6 || got.Elapsed != got.Wait {
		t.Errorf("elapsed %v, want %v", got.Elapsed, e.Elapsed.Seconds())
	}
	if !got.Time.Equal(e.Time.Truncate(time.Microsecond)) && e.Time.UnixNano() >= 0 {
		t.Errorf("time %v, want %v", got.Time, e.Time)
	}
}

// valid has U+FFFD for each byte that is not part of valid UTF-8.
func valid(s string) string { return string([]rune(s)) }

// checkWord checks that a word which is not cut can be read back from its spelling.
func checkWord(t *testing.T, word string) {
	t.Helper()
	shown := string(appendWords(nil, []string{word}))
	if strings.HasSuffix(shown, cut) || word == stars {
		return
	}
	got, ok := unquote(shown)
	if !ok || got != word {
		t.Errorf("%q is shown as %s, which reads %q", word, shown, got)
	}
}

// unquote reads a word as a person would.
func unquote(shown string) (string, bool) {
	switch {
	case strings.HasPrefix(shown, `$'`):
		return unescape(shown[2:len(shown)-1], "nrtx")
	case strings.HasPrefix(shown, `"`):
		return unescape(shown[1:len(shown)-1], "")
	case strings.HasPrefix(shown, `'`):
		return shown[1 : len(shown)-1], true
	}
	return shown, !strings.ContainsAny(shown, " \t\n\"'\\$`;|&<>()*?[]{}~#!^")
}

// unescape undoes backslashes; after one the letters of special are not literal.
func unescape(s, special string) (string, bool) {
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out = append(out, s[i])
			continue
		}
		i++
		if i == len(s) {
			return "", false
		}
		switch c := s[i]; {
		case strings.IndexByte(special, c) < 0:
			out = append(out, c)
		case c == 'x':
			out = append(out, byte(strings.IndexByte("0123456789abcdef", s[i+1])<<4|strings.IndexByte("0123456789abcdef",
				s[i+2])))
			i += 2
		default:
			out = append(out, map[byte]byte{'n': '\n', 'r': '\r', 't': '\t'}[c])
		}
	}
	return string(out), true
}
