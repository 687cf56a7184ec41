package progress

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"ftsh/interp/event"
)

// narrow is the width below which lines are put in fewer words.
const narrow = 60

// mostLines limits the lines that are shown.
const mostLines = 4

// shownLines describes what is under way, each line cut to the width of the terminal.
func (s *state) shownLines(now time.Time, width int) []string {
	var lines []string
	note := ""
	if s.continued && width >= narrow {
		note = "continued: "
	}
	for _, f := range s.branching(now) {
		if len(lines) < mostLines/2 {
			lines = append(lines, f.shownLine(width-len(note), s.heldIn(f.id)))
		}
	}
	waiting := s.waitingTries(now)
	if text := s.jobs.shownLine(now, width-len(note)); text != "" {
		room := mostLines - len(lines) - min(len(waiting), 1)
		lines = append(lines, s.jobLines(text, width-len(note), room)...)
	}
	shown := 0
	for _, t := range waiting {
		if len(lines) < mostLines {
			lines = append(lines, t.shownLine(now, width))
			shown++
		}
	}
	if more := len(waiting) - shown; more > 0 {
		last := lines[len(lines)-1]
		rest := fmt.Sprintf(" (and %d more)", more)
		room := width - 1 - len(rest)
		if len(lines) == 1 {
			room -= len(note)
		}
		lines[len(lines)-1] = displaywidth.TruncateString(last, max(0, room), "…") + rest
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

// shownLine is "try, line 3: attempt 2 of 5 failed, next in 12 s, 4 min left: why".
func (t *try) shownLine(now time.Time, width int) string {
	if t.need != "" {
		return t.waitingLine(now, width)
	}
	attempt := strconv.Itoa(t.attempt)
	next := countdown(t.next.Sub(now))
	if width < narrow {
		if t.limit > 0 {
			attempt += "/" + strconv.Itoa(t.limit)
		}
		text := fmt.Sprintf("%s %s, next %s", t.lineTitle(width), attempt, next)
		if !t.end.IsZero() {
			text += ", left " + countdown(t.end.Sub(now))
		}
		return text + ": " + t.why
	}
	if t.limit > 0 {
		attempt += " of " + strconv.Itoa(t.limit)
	}
	text := fmt.Sprintf("%s attempt %s failed, next in %s", t.lineTitle(width), attempt, next)
	if t.unknown {
		text = fmt.Sprintf("%s what attempt %s did is unknown, looking again in %s", t.lineTitle(width), attempt, next)
	}
	if !t.end.IsZero() {
		text += ", " + countdown(t.end.Sub(now)) + " left"
	}
	return text + ": " + t.why
}

// lineTitle is "try, line 3, host=a:", of a branch, or "try, line 3:".
func (t *try) lineTitle(width int) string {
	const longest = 24 // of an item
	item := displaywidth.TruncateString(t.item, longest, "…")
	switch {
	case width < narrow && item == "":
		return fmt.Sprintf("try:%d", t.pos.Line)
	case width < narrow:
		return fmt.Sprintf("try:%d %s", t.pos.Line, item)
	case item == "":
		return fmt.Sprintf("try, line %d:", t.pos.Line)
	}
	return fmt.Sprintf("try, line %d, %s:", t.pos.Line, item)
}

// waitingLine is "try, line 3: waiting for a slot of schedd, 4 before it, 4 min left".
func (t *try) waitingLine(now time.Time, width int) string {
	text := t.lineTitle(width) + " " + t.need
	if !t.next.IsZero() {
		text += ", at most " + countdown(t.next.Sub(now))
	}
	if !t.end.IsZero() {
		text += ", " + countdown(t.end.Sub(now)) + " left"
	}
	return text
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

// shownLine is "forall x, line 9: ████░░░░ 12 done, 1 failed, 8 running of 40".
// Of the branches that have begun, some are held: they wait for the jobs of others.
func (f *forall) shownLine(width, held int) string {
	title := fmt.Sprintf("forall %s, line %d: ", f.name, f.pos.Line)
	running := f.running - held
	counts := fmt.Sprintf(" %d done, %d failed, %d running", f.done, f.failed, running)
	if held > 0 {
		counts += fmt.Sprintf(", %d held by .limit.", held)
	}
	counts += fmt.Sprintf(" of %d", f.total)
	if width < narrow {
		title = fmt.Sprintf("forall:%d ", f.pos.Line)
		counts = fmt.Sprintf(" %d+%d/%d", f.done, running, f.total)
		if f.failed > 0 {
			counts += fmt.Sprintf(", %d failed", f.failed)
		}
	}
	return title + f.progressBar(min(width-1-displaywidth.String(title)-displaywidth.String(counts), longestBar),
		running) + counts
}

const longestBar = 40

// progressBar is a progress bar of that width: done, running, and to come. What failed
// is done, too.
func (f *forall) progressBar(width, running int) string {
	if width < 3 || f.total == 0 {
		return ""
	}
	done := (f.done + f.failed) * width / f.total
	half := min(width, (f.done+f.failed+running)*width/f.total) - done
	return strings.Repeat("█", done) + strings.Repeat("▒", half) + strings.Repeat("░", width-done-half)
}
