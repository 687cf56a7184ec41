package output

import (
	"strings"
	"testing"
)

// TestStderrTold: a report has the last line of a command, and of a job as many as three, if they are short.
func TestStderrTold(t *testing.T) {
	long := strings.Repeat("x", mostLineBytes)
	for _, c := range []struct{ written, want string }{
		{"", ""},
		{"one\n", "one"},
		{"one\n\n two \n", "one\ntwo"},
		{"a\nb\r\nc\nd\n", "b\nc\nd"},
		{"  5%\r 50%\r100%\n", "100%"},
		{"a\n" + long + "\nend\n", "end"},
		{"a\n" + long + "\n", long},
		{"begun\n5%\r100%\nend", "begun\n100%\nend"},
	} {
		if got := (Stderr{end: c.written, ofJob: true}).ToldPart(); got != c.want {
			t.Errorf("%q: told %q, want %q", c.written, got, c.want)
		}
		lines := strings.Split(c.want, "\n")
		if got := (Stderr{end: c.written}).ToldPart(); got != lines[len(lines)-1] {
			t.Errorf("%q of a command: told %q", c.written, got)
		}
	}
}
