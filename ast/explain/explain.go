package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/ast/constant"
	"ftsh/backoff"
)

// Config tells what the script does not.
type Config struct {
	Backoff   backoff.Backoff        // of tries that name none
	IsBuiltin func(name string) bool // reports whether a command of that name is a builtin; nil: none is
}

// Text explains the tries and the ons of a script and of what it sources, in the order of
// their places, and the script as a whole.
func Text(file *ast.File, config Config) string {
	s, files := readScript(file, config)
	var out strings.Builder
	for _, f := range files {
		ast.Walk(&f.Body, nil, func(node any, in *ast.Place) bool {
			switch n := node.(type) {
			case *ast.Try:
				s.explainTry(&out, n, in)
			case *ast.On:
				s.explainOn(&out, n, in)
			}
			return true
		})
	}
	fmt.Fprintf(&out, "%s as a whole\n", file.Source.Title())
	writeLine(&out, "longest", s.longestScript(file))
	return out.String()
}

// readScript gathers what is known of a script.
func readScript(file *ast.File, config Config) (*script, []*ast.File) {
	s := &script{config: config, functions: map[string]*ast.Function{}, lengths: map[string]bound{}}
	for _, f := range file.Functions {
		s.functions[f.Name] = f
	}
	files := sourcedFiles(file, nil)
	s.variables = constant.Variables(files)
	return s, files
}

// Longest returns how long a script takes at the longest, kill timeouts apart. Where nothing limits it, unlimited
// says why. Tests hold it against what scripts really take.
func Longest(file *ast.File, config Config) (d time.Duration, unlimited string) {
	s, _ := readScript(file, config)
	all := longest{script: s}.groupBound(&file.Body)
	return all.total(), all.why
}

// sourcedFiles is a file and what it sources, each once.
func sourcedFiles(file *ast.File, list []*ast.File) []*ast.File {
	if slices.Contains(list, file) {
		return list
	}
	list = append(list, file)
	for i := range file.Body.List {
		if n, ok := file.Body.List[i].Node.(*ast.SourceFile); ok && n.File != nil {
			list = sourcedFiles(n.File, list)
		}
	}
	return list
}

// writeLine writes one line of an explanation.
func writeLine(out *strings.Builder, title, text string) {
	if text != "" {
		fmt.Fprintf(out, "    %-13s %s\n", title, text)
	}
}

// writeTitle writes where a statement stands, and its first line.
func writeTitle(out *strings.Builder, stmt *ast.Stmt) {
	source := strings.Trim(stmt.Pos.Source.Line(int(stmt.Pos.Line)), " \t;")
	fmt.Fprintf(out, "%s: %s\n", stmt.Pos.InFile(), source)
}

// explainTry explains one try.
func (s *script) explainTry(out *strings.Builder, t *ast.Try, in *ast.Place) {
	s.assumed, s.unknown = nil, nil
	h := s.readHeader(t)
	writeTitle(out, in.Node.(*ast.Stmt))
	if h.known {
		s.explainNumbers(out, t, h, in)
	} else {
		writeLine(out, "attempts", "not known before it runs: its clauses depend on "+strings.Join(s.unknown, " "))
	}
	writeLine(out, "ends at once", describeEnding(t))
	if least, whose := s.shortestAround(in); whose != nil && !(h.limit > 0 && h.limit < least) {
		writeLine(out, "around it", fmt.Sprintf("the limit of line %d leaves it at most %s", whose.Pos.Line,
			briefTime(least)))
	}
	if len(s.assumed) > 0 {
		writeLine(out, "assumed", "the defaults of "+strings.Join(s.assumed, " "))
	}
	out.WriteString("\n")
}

// explainNumbers tells how often, how long and when.
func (s *script) explainNumbers(out *strings.Builder, t *ast.Try, h header, in *ast.Place) {
	schedule := simulatePlan(h.plan)
	writeLine(out, "attempts", describeAttempts(h, &schedule))
	writeLine(out, "in all", s.multiplied(h, in))
	writeLine(out, "longest", s.longestTry(t, h, in))
	if t.Via != nil {
		writeLine(out, "waits, too", "for its resource: slots, budget, breaker and sense")
	}
	if put := (longest{script: s}).retryAfter(&t.Body); put.time > 0 || put.isEndless() {
		writeLine(out, "waits, too", "for what its retryafter says")
	}
	if len(schedule.low) > 1 {
		writeLine(out, "start at", schedule.describeStarts())
	}
}

// longestTry returns the longest time that a try takes, its catch and finally apart.
func (s *script) longestTry(t *ast.Try, h header, in *ast.Place) string {
	all := longest{script: s}.attemptsBound(t, h)
	if t.For != nil {
		all = all.cutOffAt(h.limit)
	}
	if least, whose := s.shortestAround(in); whose != nil {
		all = all.cutOffAt(least)
	}
	text := "no limit: " + all.why
	if !all.isEndless() {
		text = briefTime(all.total())
	}
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

// multiplied says how often the group of a try is attempted in all, where the tries around it repeat it; "" if
// none does.
func (s *script) multiplied(h header, in *ast.Place) string {
	if h.plan.Attempts <= 1 {
		return ""
	}
	factors, product := []int{h.plan.Attempts}, h.plan.Attempts
	for ; in != nil && in.Outer != nil; in = in.Outer {
		t, ok := in.Outer.Node.(*ast.Try)
		if !ok || in.Node != any(&t.Body) {
			continue
		}
		outer := s.readHeader(t)
		switch {
		case !outer.known || outer.plan.Attempts == backoff.Unlimited:
			return ""
		case outer.plan.Attempts > 1:
			factors = append([]int{outer.plan.Attempts}, factors...)
			product *= outer.plan.Attempts
		}
	}
	if len(factors) == 1 {
		return ""
	}
	text := strings.ReplaceAll(strings.Trim(fmt.Sprint(factors), "[]"), " ", " × ")
	return fmt.Sprintf("at most %s = %d times, with the tries around it", text, product)
}

// longestScript returns the longest time that the script takes.
func (s *script) longestScript(file *ast.File) string {
	all := longest{script: s}.groupBound(&file.Body)
	if all.isEndless() {
		return "no limit: " + all.why
	}
	return briefTime(all.total()) + ", and a kill timeout for each limit that cuts something off"
}

// briefTime gives a time as people say it: the two largest units at most.
func briefTime(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < 9950*time.Millisecond:
		return d.Round(100 * time.Millisecond).String()
	case d < time.Hour-time.Second/2:
		d = d.Round(time.Second)
		return twoUnits(d, time.Minute, "m", time.Second, "s")
	case d < 2*day:
		return twoUnits(d.Round(time.Minute), time.Hour, "h", time.Minute, "m")
	}
	return twoUnits(d.Round(time.Hour), day, "d", time.Hour, "h")
}

// twoUnits gives a time in two units, without one that is zero.
func twoUnits(d, large time.Duration, largeName string, small time.Duration, smallName string) (text string) {
	if d >= large {
		text = fmt.Sprint(int64(d/large)) + largeName
	}
	if rest := d % large; rest > 0 {
		text += fmt.Sprint(int64(rest/small)) + smallName
	}
	return text
}
