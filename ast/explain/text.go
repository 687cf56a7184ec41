package explain

import (
	"fmt"
	"strings"

	"ftsh/ast"
	"ftsh/ast/printer"
	"ftsh/backoff"
)

// describeAttempts says how often a try attempts its group.
func describeAttempts(h header, s *schedule) string {
	median, least, most := s.countAttempts()
	switch {
	case h.plan.Attempts == 0:
		return "none"
	case h.plan.Attempts == 1:
		return "1"
	case h.plan.Deadline == backoff.Never:
		return fmt.Sprintf("at most %d", h.plan.Attempts)
	case s.endless && h.plan.Attempts == backoff.Unlimited:
		return fmt.Sprintf("%d and more if each fails at once", least)
	case least == most:
		return fmt.Sprintf("at most %d", most)
	case s.bounded:
		return fmt.Sprintf("at most %d; %d to %d if each fails at once, %d in the median", most, least, most, median)
	}
	return fmt.Sprintf("%d to %d if each fails at once, %d in the median of %d runs", least, most, median, len(s.runs))
}

// shown limits the starts that are named; of more, the last is named, too.
const shown = 6

// describeStarts says when attempts start: the median, and the range where there is one.
func (s *schedule) describeStarts() string {
	var list []string
	n := 1
	for ; n < shown; n++ {
		start, exists := s.startOf(n)
		if !exists {
			break
		}
		list = append(list, start.describeSpread())
	}
	if _, more := s.startOf(n); more && !s.endless {
		last, _ := s.lastStart()
		list = append(list, "… the last at "+last.describeSpread())
	} else if more {
		list = append(list, "…")
	}
	return "0s, " + strings.Join(list, ", ")
}

// describeSpread is a time and the range that it lies in.
func (s spread) describeSpread() string {
	if least, most := briefTime(s.least), briefTime(s.most); least != most {
		return fmt.Sprintf("%s (%s to %s)", briefTime(s.median), least, most)
	}
	return briefTime(s.median)
}

// describeEnding says what ends a try at once.
func describeEnding(t *ast.Try) string {
	if !t.Limited() {
		return "any failure"
	}
	text := "kinds error and missing: the script's own mistakes"
	if on := t.On; on != nil {
		var words strings.Builder
		for _, c := range on.List {
			words.WriteString(" " + printer.Condition(c))
		}
		if text = words.String()[1:]; !on.Except {
			text = "all failures but " + text
		}
	}
	if line := giveupLine(t); line > 0 {
		text += fmt.Sprintf("; giveup in line %d", line)
	}
	return text
}

// giveupLine is the line of the first giveup in a try's group, 0 if there is none.
func giveupLine(t *ast.Try) (line int32) {
	ast.Walk(&t.Body, nil, func(node any, _ *ast.Place) bool {
		if c, ok := node.(*ast.Command); ok && line == 0 && len(c.Words) > 0 {
			if name, _ := c.Words[0].Literal(); name == "giveup" {
				line = c.Pos.Line
			}
		}
		return line == 0
	})
	return line
}
