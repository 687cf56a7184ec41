package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ftsh/interp/brief"
)

// outcome says how the script ended.
func (s *Story) outcome() string {
	switch {
	case !s.ended && s.failed != nil:
		return "failed: " + shortText(strings.Join(s.failed.Command, " ")+": "+s.failed.Message, 200)
	case !s.ended && s.level < 30:
		return "the log does not say how it ended"
	case !s.ended:
		return "the log ends before the script did"
	case s.status == 0:
		return "succeeded"
	}
	return "ended with status " + strconv.Itoa(s.status)
}

// readerNotes returns what a reader of the report must know about the log.
func (s *Story) readerNotes() []string {
	var notes []string
	if s.level < 30 {
		notes = append(notes, "Attempts, waits and branches are only in a log of level 30 (-l 30); this one has less.")
	}
	if s.skipped > 0 {
		notes = append(notes, "Lines of the log that are no events, and were passed over: "+thousands(s.skipped)+".")
	}
	if failed := len(s.branches) - len(slices.DeleteFunc(slices.Clone(s.branches),
		func(b *branch) bool { return b.failed })); failed > 0 {
		notes = append(notes, thousands(failed)+" of "+thousands(max(s.items, len(s.branches)))+" items failed.")
	}
	if s.faults > 0 {
		notes = append(notes, "Faults injected on purpose (--inject): "+thousands(s.faults)+".")
	}
	return notes
}

// shortText is a text that fits into a column, in characters.
func shortText(text string, width int) string {
	runes := []rune(text)
	for i, r := range runes {
		if r < ' ' || r == 0x7f {
			runes[i] = ' '
		}
	}
	if len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return string(runes)
}

// thousands is a number with a comma before each three digits.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// headline says how the script ended, how long it took, and when that was.
func (s *Story) headline() string {
	if !s.ended && s.level < 30 {
		return fmt.Sprintf("%s, at %s", s.outcome(), s.end.Format("2006-01-02 15:04:05")) // when it began is not known
	}
	return fmt.Sprintf("%s, %s from %s", s.outcome(), brief.Time(s.end.Sub(s.start)),
		s.start.Format("2006-01-02 15:04:05"))
}

func (s *Story) pageTitle() string {
	if s.script == "" {
		return "a script"
	}
	return s.script
}
