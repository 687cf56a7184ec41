package output

import (
	"regexp"
	"slices"
	"strings"
)

// maxTail limits what ${error.stderr} gives of a failed command's standard error, in bytes.
const maxTail = 4096

// Stderr holds what a failed command wrote to standard error. The zero value is nothing.
type Stderr struct {
	end   string // all of it, or its end if that is long
	torn  bool   // its end is all that is known
	ofJob bool   // it was written far away, where nobody watched
}

// StderrText holds what is known of a command's standard error: all of it, or, if it is torn, its end.
func StderrText(text string, torn bool) Stderr { return Stderr{end: text, torn: torn} }

// StderrOfJob holds what is known of that of a job, likewise.
func StderrOfJob(text string, torn bool) Stderr { return Stderr{end: text, torn: torn, ofJob: true} }

// String is the end of it, without newlines there.
func (s Stderr) String() string { return strings.TrimRight(s.end[max(0, len(s.end)-maxTail):], "\n") }

// IsLong reports whether it is more than String gives.
func (s Stderr) IsLong() bool { return s.torn || len(s.end) > maxTail }

// IsTorn reports whether some of it is not known.
func (s Stderr) IsTorn() bool { return s.torn }

// LastLine is the last line of it that is not blank, without what the lines of a
// progress bar have overwritten.
func (s Stderr) LastLine() string {
	text := strings.TrimRight(s.end[max(0, len(s.end)-maxTail):], " \t\r\n")
	return strings.TrimSpace(text[strings.LastIndexAny(text, "\r\n")+1:])
}

// The most lines and bytes that a report shows of what a job wrote.
const (
	mostLines     = 3
	mostLineBytes = 300
)

// ToldPart returns the part that a report shows: the last line; of a job, which nobody watched, a few more if they are
// short.
func (s Stderr) ToldPart() string {
	text := s.LastLine()
	if !s.ofJob {
		return text
	}
	lines := strings.Split(strings.TrimRight(s.String(), " \t\r\n"), "\n")
	shown := 1
	for _, line := range slices.Backward(lines[:len(lines)-1]) {
		line = Stderr{end: line}.LastLine()
		if shown == mostLines || len(line)+1+len(text) > mostLineBytes {
			break
		}
		if line != "" {
			text = line + "\n" + text
			shown++
		}
	}
	return text
}

// Matches seeks a pattern in all of it that is known.
func (s Stderr) Matches(pattern *regexp.Regexp) bool { return pattern.MatchString(s.end) }
