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

// Config is what has to be known besides the script.
type Config struct {
	Backoff   backoff.Backoff        // of tries that name none
	IsBuiltin func(name string) bool // reports whether a command of that name is a builtin; nil: none is
}

// Text explains the tries and the ons of a script and of what it sources, in the order of
// their places, and the script as a whole.
func Text(file *ast.File, config Config) string {
	s, files := read(file, config)
	var out strings.Builder
	for _, f := range files {
		ast.Walk(&f.Body, nil, func(node any, in *ast.Place) bool {
			switch n := node.(type) {
			case *ast.Try:
				s.try(&out, n, in)
			case *ast.On:
				s.on(&out, n, in)
			}
			return true
		})
	}
	fmt.Fprintf(&out, "%s as a whole\n", file.Source.Name)
	line(&out, "longest", s.whole(file))
	return out.String()
}

// read gathers what is known of a script.
func read(file *ast.File, config Config) (*script, []*ast.File) {
	s := &script{config: config, functions: map[string]*ast.Function{}, lengths: map[string]bound{}}
	for _, f := range file.Functions {
		s.functions[f.Name] = f
	}
	files := sourced(file, nil)
	s.variables = constant.Variables(files)
	return s, files
}

// Longest returns how long a script takes at the longest, kill timeouts apart. Where nothing limits it, unlimited
// says why.
func Longest(file *ast.File, config Config) (d time.Duration, unlimited string) {
	s, _ := read(file, config)
	all := longest{script: s}.group(&file.Body)
	return all.whole(), all.why
}

// sourced is a file and what it sources, each once.
func sourced(file *ast.File, list []*ast.File) []*ast.File {
	if slices.Contains(list, file) {
		return list
	}
	list = append(list, file)
	for i := range file.Body.List {
		if n, ok := file.Body.List[i].Node.(*ast.SourceFile); ok && n.File != nil {
			list = sourced(n.File, list)
		}
	}
	return list
}

// line writes one line of an explanation.
func line(out *strings.Builder, title, text string) {
	if text != "" {
		fmt.Fprintf(out, "    %-13s %s\n", title, text)
	}
}

// title writes where a statement stands, and its first line.
func title(out *strings.Builder, stmt *ast.Stmt) {
	source := strings.Trim(stmt.Pos.Source.Line(int(stmt.Pos.Line)), " \t;")
	fmt.Fprintf(out, "%s:%d: %s\n", stmt.Pos.Source.Name, stmt.Pos.Line, source)
}

// try explains one try.
func (s *script) try(out *strings.Builder, t *ast.Try, in *ast.Place) {
	s.assumed, s.unknown = nil, nil
	h := s.header(t)
	title(out, in.Node.(*ast.Stmt))
	if h.known {
		s.numbers(out, t, h, in)
	} else {
		line(out, "attempts", "not known before it runs: its clauses depend on "+strings.Join(s.unknown, " "))
	}
	line(out, "ends at once", ending(t))
	if least, whose := s.around(in); whose != nil && !(h.limit > 0 && h.limit < least) {
		line(out, "around it", fmt.Sprintf("the limit of line %d leaves it at most %s", whose.Pos.Line, brief(least)))
	}
	if len(s.assumed) > 0 {
		line(out, "assumed", "the defaults of "+strings.Join(s.assumed, " "))
	}
	out.WriteString("\n")
}

// numbers tells how often, how long and when.
func (s *script) numbers(out *strings.Builder, t *ast.Try, h header, in *ast.Place) {
	schedule := simulate(h.plan)
	line(out, "attempts", attempts(t, h, &schedule))
	line(out, "in all", s.multiplied(h, in))
	line(out, "longest", s.length(t, h, in))
	if t.Via != nil {
		line(out, "waits, too", "for its resource: slots, budget, breaker and sense")
	}
	if put := (longest{script: s}).retryAfter(&t.Body); put.time > 0 || put.endless() {
		line(out, "waits, too", "for what its retryafter says")
	}
	if len(schedule.low) > 1 {
		line(out, "start at", schedule.text())
	}
}

// length is how long a try takes at the longest, its catch and finally apart.
func (s *script) length(t *ast.Try, h header, in *ast.Place) string {
	all := longest{script: s}.attempts(t, h)
	if t.For != nil {
		all = all.within(h.limit)
	}
	if least, whose := s.around(in); whose != nil {
		all = all.within(least)
	}
	text := "no limit: " + all.why
	if !all.endless() {
		text = brief(all.whole())
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
		outer := s.header(t)
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

// whole is how long the script takes at the longest.
func (s *script) whole(file *ast.File) string {
	all := longest{script: s}.group(&file.Body)
	if all.endless() {
		return "no limit: " + all.why
	}
	return brief(all.whole()) + ", and a kill timeout for each limit that cuts something off"
}

// brief gives a time as people say it: the two largest units at most.
func brief(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < 9950*time.Millisecond:
		return d.Round(100 * time.Millisecond).String()
	case d < time.Hour-time.Second/2:
		d = d.Round(time.Second)
		return units(d, time.Minute, "m", time.Second, "s")
	case d < 2*day:
		return units(d.Round(time.Minute), time.Hour, "h", time.Minute, "m")
	}
	return units(d.Round(time.Hour), day, "d", time.Hour, "h")
}

// units gives a time in two units, without one that is zero.
func units(d, large time.Duration, largeName string, small time.Duration, smallName string) (text string) {
	if d >= large {
		text = fmt.Sprint(int64(d/large)) + largeName
	}
	if rest := d % large; rest > 0 {
		text += fmt.Sprint(int64(rest/small)) + smallName
	}
	return text
}
