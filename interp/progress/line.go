package progress

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"ftsh/interp/event"
)

const (
	narrow     = 60 // the width below which lines are put in fewer words
	mostLines  = 4  // that are shown
	longestBar = 40
	longItem   = 24 // how much of an item the line of a try shows
)

// shownLines describes what is under way, each line cut to the width of the terminal.
func (s *state) shownLines(now time.Time, width int) []string {
	var lines []string
	note := ""
	if s.continued && width >= narrow {
		note = "continued: "
	}
	for _, f := range s.branching(now) {
		if len(lines) < mostLines/2 {
			lines = append(lines, f.shownLine(width-len(note), len(s.branchesWith(f.holds))))
		}
	}
	waiting := s.waitingTries(now)
	lines = append(lines, s.jobLines(now, width-len(note), mostLines-len(lines)-min(len(waiting), 1))...)
	for len(waiting) > 0 && len(lines) < mostLines {
		lines, waiting = append(lines, waiting[0].shownLine(now, width)), waiting[1:]
	}
	if len(waiting) > 0 {
		last := len(lines) - 1
		rest := fmt.Sprintf(" (and %d more)", len(waiting))
		lines[last] = displaywidth.TruncateString(lines[last], max(0, width-1-len(rest)), "…") + rest
	}
	if len(lines) > 0 {
		lines[0] = note + lines[0]
	}
	for i, text := range lines {
		// The last cell stays free: some terminals begin a new row after it.
		lines[i] = displaywidth.TruncateString(event.VisibleLine(text), width-1, "…")
	}
	return lines
}

// shownLine is "try, line 3, host=a: attempt 2 of 5 failed, next in 12 s, 4 min left: why", or says what it waits for.
func (t *try) shownLine(now time.Time, width int) string {
	title, of := fmt.Sprintf("try, line %d%s:", t.wait.Pos.Line, unlessEmpty(", ", t.item, "")), " of "
	if width < narrow {
		title, of = fmt.Sprintf("try:%d%s", t.wait.Pos.Line, unlessEmpty(" ", t.item, "")), "/"
	}
	attempt, next, left := strconv.Itoa(t.wait.Attempt), countdown(t.wait.Wait-now.Sub(t.told)), ""
	if t.wait.Limit > 0 {
		attempt += of + strconv.Itoa(t.wait.Limit)
	}
	if t.wait.Remaining > 0 {
		left = countdown(t.wait.Remaining - now.Sub(t.told))
	}
	why := ": " + t.wait.Message
	switch {
	case t.wait.Kind == event.ResourceWait:
		title, why = title+" "+t.wait.WaitingFor(), ""
		if t.wait.Count > 0 {
			title += fmt.Sprintf(", %d before it", t.wait.Count)
		}
		if t.wait.Wait > 0 {
			title += ", at most " + next
		}
	case width < narrow:
		return title + " " + attempt + ", next " + next + unlessEmpty(", left ", left, "") + why
	case t.wait.Kind == event.VerifyWait:
		title += " what attempt " + attempt + " did is unknown, looking again in " + next
	default:
		title += " attempt " + attempt + " failed, next in " + next
	}
	return title + unlessEmpty(", ", left, " left") + why
}

// unlessEmpty returns a text with what belongs before and behind it, or nothing if it is empty.
func unlessEmpty(before, text, behind string) string {
	if text == "" {
		return ""
	}
	return before + text + behind
}

// countdown is a time in whole seconds, rounded up, in its two largest units:
// a wait is over when 0 s would be shown.
func countdown(d time.Duration) string {
	s := int64((max(d, 0) + time.Second - 1) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	case s < 48*3600:
		return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
	}
	return fmt.Sprintf("%d days", s/86400)
}

// holds reports whether a branch is one of the forall that waits for the jobs of others.
func (f *forall) holds(b *branch) bool { return b.forall == f && b.job.state == held }

// shownLine is "forall x, line 9: ████░░░░ 12 done, 1 failed, 8 running of 40".
// Of the branches that have begun, some are held: they wait for the jobs of others.
func (f *forall) shownLine(width, held int) string {
	running := f.running - held
	title := fmt.Sprintf("forall %s, line %d: ", f.start.Name, f.start.Pos.Line)
	counts := fmt.Sprintf(" %d done, %d failed, %d running", f.done, f.failed, running)
	if held > 0 {
		counts += fmt.Sprintf(", %d held by .limit.", held)
	}
	counts += fmt.Sprintf(" of %d", f.start.Count)
	if width < narrow {
		title = fmt.Sprintf("forall:%d ", f.start.Pos.Line)
		counts = fmt.Sprintf(" %d+%d/%d", f.done, running, f.start.Count)
		if f.failed > 0 {
			counts += fmt.Sprintf(", %d failed", f.failed)
		}
	}
	bar := min(width-1-displaywidth.String(title)-displaywidth.String(counts), longestBar)
	if bar < 3 {
		return title + counts
	}
	done := (f.done + f.failed) * bar / f.start.Count // what failed is done, too
	begun := min(bar, (f.done+f.failed+running)*bar/f.start.Count)
	return title + strings.Repeat("█", done) + strings.Repeat("▒", begun-done) + strings.Repeat("░", bar-begun) + counts
}
