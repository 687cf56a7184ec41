package report

import (
	"fmt"
	"strconv"
	"strings"

	"ftsh/interp/brief"
)

// headline says how the script ended, how long it took, and when that was.
func (s *Story) headline() string {
	const date = "2006-01-02 15:04:05"
	if !s.ended && s.level < 30 {
		return s.outcome() + ", at " + s.end.Format(date) // when it began is not known
	}
	return s.outcome() + ", " + brief.Time(s.end.Sub(s.start)) + " from " + s.start.Format(date)
}

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
func (s *Story) readerNotes() (notes []string) {
	failed := 0
	for _, branch := range s.branches {
		if branch.failed {
			failed++
		}
	}
	if s.level < 30 {
		notes = append(notes, "Attempts, waits and branches are only in a log of level 30 (-l 30); this one has less.")
	}
	if s.skipped > 0 {
		notes = append(notes, "Lines of the log that are no events, and were passed over: "+thousands(s.skipped)+".")
	}
	if failed > 0 {
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
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
