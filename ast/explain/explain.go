package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/ast/constant"
	"ftsh/ast/printer"
	"ftsh/backoff"
)

// Config holds what the script does not say.
type Config struct {
	Backoff   backoff.Backoff        // of tries that name none
	IsBuiltin func(name string) bool // reports whether a command of that name is a builtin; nil: none is
}

// Text explains the tries and the ons of a script and of what it sources, in the order of
// their places, and the script as a whole.
func Text(file *ast.File, config Config) string {
	s := readScript(file, config)
	all := s.measureFile(file, place{})
	for _, f := range file.Functions {
		s.functionBound(f.Name, nil)
	}
	slices.SortStableFunc(s.reports, func(a, b report) int {
		return cmp.Or(slices.Index(s.sources, a.stmt.Pos.Source)-slices.Index(s.sources, b.stmt.Pos.Source),
			int(a.stmt.Pos.Offset-b.stmt.Pos.Offset))
	})
	var out strings.Builder
	for _, r := range s.reports {
		source := strings.Trim(r.stmt.Pos.Source.Line(int(r.stmt.Pos.Line)), " \t;")
		fmt.Fprintf(&out, "%s: %s\n%s\n", r.stmt.Pos.InFile(), source, r.text())
	}
	fmt.Fprintf(&out, "%s as a whole\n", file.Source.Title())
	text := all.describe()
	if !all.isEndless() {
		text += ", and a kill timeout for each limit that cuts something off"
	}
	return out.String() + line("longest", text)
}

// Longest returns how long a script takes at the longest, kill timeouts apart. Where nothing limits it, unlimited
// says why. Tests hold it against what scripts really take.
func Longest(file *ast.File, config Config) (d time.Duration, unlimited string) {
	all := readScript(file, config).measureFile(file, place{})
	return all.total(), all.why
}

// report describes a statement, once everything is measured.
type report struct {
	stmt *ast.Stmt
	text func() string
}

// line is one line of an explanation; "" without a text.
func line(title, text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf("    %-13s %s\n", title, text)
}

// explainTry says what is known of a try at a place, whose attempts take so long together.
func (s *script) explainTry(t *ast.Try, h *header, p place, attempts factor, all, body bound) string {
	text := line("attempts", "not known before it runs: its clauses depend on "+strings.Join(h.unknown, " "))
	switch {
	case h.known:
		starts := s.schedule(h.plan)
		if starts.runs == nil {
			starts.simulateRuns(min(allStarts, scriptStarts/len(s.schedules)))
		}
		text = line("attempts", starts.describeAttempts()) + line("in all", s.describeOften(attempts, p)) +
			line("longest", describeLongest(t, all.within(p.limit)))
		if t.Via != nil {
			text += line("waits, too", "for its resource: slots, budget, breaker and sense")
		}
		if body.put > 0 || body.putWhy != "" {
			text += line("waits, too", "for what its retryafter says")
		}
		if len(starts.low) > 1 {
			text += line("start at", starts.describeStarts())
		}
	case len(h.unknown) == 0:
		text = line("attempts",
			"not known before it runs: a number or a time in its clauses is computed, or too large to be used")
	}
	text += line("ends at once", describeEnding(t, body.giveup))
	if p.limit > 0 && !(h.limit > 0 && h.limit < p.limit) {
		text += line("around it", fmt.Sprintf("the limit of line %d leaves it at most %s", p.by, atMost(p.limit)))
	}
	return text + h.describeAssumed()
}

// describeLongest says how long a try takes, and what comes after its attempts.
func describeLongest(t *ast.Try, all bound) string {
	text := all.describe()
	if t.For != nil && t.Verify != nil {
		text += ", and verify as long as the kill timeout"
	}
	switch {
	case t.Catch != nil && t.Finally != nil:
		text += "; then catch and finally"
	case t.Catch != nil:
		text += "; then catch, if it fails"
	case t.Finally != nil:
		text += "; then finally"
	}
	return text
}

// describeEnding says what ends a try at once.
func describeEnding(t *ast.Try, giveup int32) string {
	if !t.Limited() {
		return "any failure"
	}
	text := "kinds error and missing: the script's own mistakes"
	if t.On != nil {
		if text = "all failures but"; t.On.Except {
			text = ""
		}
		for _, c := range t.On.List {
			text += " " + printer.Condition(c)
		}
	}
	if giveup > 0 {
		text += fmt.Sprintf("; giveup in line %d", giveup)
	}
	return strings.TrimSpace(text)
}

// explainOn says where the programs of a group run; outer is the line of another on of its engine around it.
func (s *script) explainOn(n *ast.On, outer int32) string {
	switch n.Engine {
	case ast.Start:
		return line("runs", "here, and again whenever the script is continued")
	case "here":
		return line("runs", "its programs here, none as a job")
	}
	v := &reading{script: s}
	number := func(title string, e ast.Expr, what string) string {
		if e == nil {
			return ""
		}
		if n, known := v.values().Integer(e); known {
			return line(title, fmt.Sprintf("at most %d %s", n, what))
		}
		return line(title, strings.Join(v.unknown, " ")+" "+what)
	}
	text := line("runs", "programs and pipelines of programs as jobs of "+n.Engine)
	if outer > 0 {
		text += line("around it", fmt.Sprintf("the options of line %d hold, too", outer))
	}
	return text + number("at a time", n.Limit, "jobs, queued or running") +
		number("pilots", n.Pilots, "jobs, which take the programs one after another") + v.describeAssumed()
}

// briefTime gives a time as people say it: the two largest units at most.
func briefTime(d time.Duration) string { return inUnits(d.Round(shownUnit(d))) }

// atMost gives a time in the same way, and none that is shorter.
func atMost(d time.Duration) string {
	unit := shownUnit(d)
	if rest := d % unit; rest > 0 {
		d += unit - rest
	}
	return inUnits(d)
}

const day = 24 * time.Hour

// shownUnit is the least unit that is shown of a time.
func shownUnit(d time.Duration) time.Duration {
	switch {
	case d < time.Second:
		return time.Millisecond
	case d < 9950*time.Millisecond:
		return 100 * time.Millisecond
	case d < time.Hour-time.Second/2:
		return time.Second
	case d < 2*day:
		return time.Minute
	}
	return time.Hour
}

// inUnits writes a time.
func inUnits(d time.Duration) string {
	switch {
	case d < 2*day:
		return constant.Brief(d)
	case d%day == 0:
		return fmt.Sprintf("%dd", d/day)
	}
	return fmt.Sprintf("%dd%s", d/day, constant.Brief(d%day))
}
