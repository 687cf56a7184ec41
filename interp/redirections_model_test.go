package interp_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What follows is a model of redirections. It knows the reference, whose sections stand in brackets, and nothing of
// the shell: texts are lists of lines, and whatever runs is one of two bodies, a program and a builtin.

// An ending says how the last body of a cell ends.
type ending string

const (
	succeeds ending = "success"
	fails    ending = "failure"
	isCut    ending = "cut off" // by a limit around the cell
)

// A result is the kind and the status of a failure, or none.
type result string

const (
	ok      result = "ok"
	timeout result = "timeout 124"
	refused result = "redirect 1"
	mistake result = "error 1"
	noRoom  result = "system 1"
	said1   result = "exit 1" // of a builtin "that fails for reasons of its own" [4]
)

// repeats reports whether a try makes another attempt: not after kind `error` [7].
func (r result) repeats() bool { return r != ok && r != mistake && r != timeout }

// A text is the content of a file or variable; nil: there is none.
type text struct{ lines []string }

func (t *text) add(lines ...string) { t.lines = append(t.lines, lines...) }

func (t *text) String() string {
	switch {
	case t == nil:
		return "none"
	case len(t.lines) == 0:
		return "empty"
	}
	return strings.Join(t.lines, " ")
}

// A stream stands behind a descriptor. Duplicates share it.
type stream struct {
	to   *text
	rest []string // what is left to be read
	full bool     // /dev/full
	cut  bool     // it is cut back before a further attempt within
}

// An atom is one redirection.
type atom struct {
	fd         int // -1: none is named
	op, target string
}

var atomPattern = regexp.MustCompile(`(\d?)(<<-|<<|<&|<|>>&|>>|>&|>|&>>|&>|=>|->>&|->>|->&|->|-<)\s*(\S+)`)

// atomsOf takes a form apart.
func atomsOf(form string) (list []atom) {
	for _, m := range atomPattern.FindAllStringSubmatch(form, -1) {
		fd, err := strconv.Atoi(m[1])
		if err != nil {
			fd = -1
		}
		list = append(list, atom{fd, m[2], m[3]})
	}
	return list
}

// input reports whether the atom is one of those whose default descriptor is 0 [5].
func (a atom) input() bool { return strings.Contains(a.op, "<") }

// number is the descriptor that it redirects: "default 0 for `<` and 1 for `>`" [5].
func (a atom) number() int {
	switch {
	case a.fd >= 0:
		return a.fd
	case a.input():
		return 0
	}
	return 1
}

// duplicates reports whether it is `n>&m` or `n<&m`: "exactly one literal digit" [5].
func (a atom) duplicates() bool { return (a.op == ">&" || a.op == "<&") && len(a.target) == 1 }

// stream is the number of the descriptor that its file's name means [5]; -1: it means a file.
func (a atom) stream() int {
	switch a.target {
	case "/dev/stdin":
		return 0
	case "/dev/stdout":
		return 1
	case "/dev/stderr":
		return 2
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(a.target, "/dev/fd/")); err == nil && strings.HasPrefix(a.target, "/") {
		return n
	}
	return -1
}

// both reports whether it redirects stdout and stderr together [5].
func (a atom) both() bool {
	return strings.Contains(a.op, "&") && !a.input() && !a.duplicates()
}

// A ledger is the world of one cell.
type ledger struct {
	form                 form
	atoms                []atom
	files, vars          map[string]*text
	earlier              map[string]*text // the variables as they were when the statement began
	around, streams      [4]*stream
	kept                 []func(result) result // what is done with the output at the end
	hedged               bool
	ran                  bool
	out, err, seen, pipe *text
}

// newLedger is the world as each cell finds it.
func newLedger(f form) *ledger {
	m := &ledger{form: f, atoms: atomsOf(f.text), out: &text{}, err: &text{}, seen: &text{}, pipe: &text{}}
	m.files = map[string]*text{"old": {[]string{"old"}}, "in": {[]string{"a", "b"}}}
	m.vars = map[string]*text{"set": {[]string{"old"}}}
	m.earlier = map[string]*text{"set": {[]string{"old"}}}
	m.around = [4]*stream{{}, {to: m.out}, {to: m.err}}
	return m
}

// open makes the redirections, "from left to right" [5]: what stands before one that fails has been done.
func (m *ledger) open() result {
	m.streams, m.kept = m.around, nil
	for _, a := range m.atoms {
		if r := m.redirect(a); r != ok {
			m.streams, m.kept = m.around, nil
			return r
		}
	}
	return ok
}

func (m *ledger) redirect(a atom) result {
	s, r := m.target(a)
	if r != ok {
		return r
	}
	m.streams[a.number()] = s
	if a.both() {
		m.streams[2] = s
	}
	return ok
}

// target returns what an atom leads to.
func (m *ledger) target(a atom) (*stream, result) {
	if n := a.stream(); n >= 0 {
		s, r := m.duplicate(n)
		if r == ok && a.op == "=>" {
			return nil, mistake // "a target that is no regular file"
		}
		return s, r
	}
	switch a.op {
	case "<":
		return m.source(a.target)
	case "-<":
		value := m.vars[a.target]
		if value == nil { // "Undefined variable: reading … is a failure", kind `error` [3, 4]
			return nil, mistake
		}
		return &stream{rest: slices.Clone(value.lines)}, ok
	case "<<", "<<-":
		return &stream{rest: m.form.holds}, ok
	case "<&", ">&":
		if a.duplicates() {
			return m.duplicate(int(a.target[0] - '0'))
		}
	case "->", "->>", "->&", "->>&":
		return m.variable(a), ok
	case "=>":
		return m.atomic(a.target)
	}
	return m.file(a)
}

// duplicate returns what a descriptor leads to. One that is not open is a failure of kind `redirect` [4].
func (m *ledger) duplicate(fd int) (*stream, result) {
	if fd >= len(m.streams) || m.streams[fd] == nil {
		return nil, refused
	}
	return m.streams[fd], ok
}

// source is a file that is read.
func (m *ledger) source(name string) (*stream, result) {
	f := m.files[name]
	if f == nil {
		return nil, refused
	}
	return &stream{rest: slices.Clone(f.lines)}, ok
}

// variable is a variable that is written to. It takes its new value "when the command ends, whether it succeeded or
// not"; "`->>` goes back to the value before" [5].
func (m *ledger) variable(a atom) *stream {
	s := &stream{to: &text{}, cut: true}
	if old := m.earlier[a.target]; old != nil && strings.HasPrefix(a.op, "->>") {
		s.to.add(old.lines...)
	}
	m.kept = append(m.kept, func(r result) result {
		m.vars[a.target] = s.to
		return r
	})
	return s
}

// atomic is a file that is replaced "only if the command — the whole pipeline or block it ends — succeeds". "A
// target that is no regular file, or whose folder is missing, is a failure of kind `error`, before the command
// starts" [5].
func (m *ledger) atomic(name string) (*stream, result) {
	if unfit(name) || name == "/dev/full" {
		return nil, mistake
	}
	s := &stream{to: &text{}, cut: true}
	m.kept = append(m.kept, func(r result) result {
		if r == ok {
			m.files[name] = s.to
		}
		return r
	})
	return s, ok
}

// file is a file that is written anew or added to.
func (m *ledger) file(a atom) (*stream, result) {
	appends, name := strings.Contains(a.op, ">>"), a.target
	switch {
	case unfit(name):
		return nil, refused
	case m.hedged:
		return m.apart(name, appends), ok
	case name == "/dev/full":
		return &stream{full: true}, ok
	}
	if f := m.files[name]; f == nil {
		m.files[name] = &text{}
	} else if !appends {
		f.lines = nil
	}
	return &stream{to: m.files[name], cut: !appends}, ok
}

// apart is the output of a hedged alternative: these "write apart, and the winner's output is kept" [5]. What cannot be
// kept is a failure of the redirection, kind `redirect` [4].
func (m *ledger) apart(name string, appends bool) *stream {
	s := &stream{to: &text{}}
	m.kept = append(m.kept, func(r result) result {
		switch {
		case r == ok && name == "/dev/full":
			return refused
		case m.files[name] == nil || !appends:
			m.files[name] = &text{}
		}
		m.files[name].add(s.to.lines...)
		return r
	})
	return s
}

// unfit names what cannot be opened for writing.
func unfit(name string) bool { return name == "folder" || strings.HasPrefix(name, "missing/") }

// end gives every target what it is to have.
func (m *ledger) end(r result) result {
	for _, keep := range m.kept {
		r = keep(r)
	}
	m.kept, m.streams = nil, m.around
	return r
}

// write is a line that a body writes. It is false if there is no room for it.
func (m *ledger) write(fd int, line string) bool {
	s := m.streams[fd]
	if s == nil || s.full {
		return false
	}
	if s.to != nil {
		s.to.add(line)
	}
	return true
}

// program is a program that reads all there is, and writes its number to each descriptor that the form is about.
func (m *ledger) program(n int, e ending) result {
	m.ran = true
	if s := m.reads(); s != nil {
		m.seen.add(s.rest...)
		s.rest = nil
	}
	for _, fd := range m.form.writes() {
		if !m.write(fd, []string{"", "", "e", "t"}[fd]+strconv.Itoa(n)) {
			return "exit 9" // as this program says
		}
	}
	return map[ending]result{succeeds: ok, fails: "exit 3", isCut: timeout}[e]
}

// reads is the stream that bodies read; nil: none.
func (m *ledger) reads() *stream {
	if m.form.reads() < 0 {
		return nil
	}
	return m.streams[m.form.reads()]
}

// builtin is a builtin that reads one line, "no byte more" [12], and writes its number.
func (m *ledger) builtin(n int, e ending) result {
	if s := m.reads(); s != nil {
		if len(s.rest) == 0 {
			return said1 // "at the end of input it fails with status 1" [12]
		}
		m.seen.add(s.rest[0])
		s.rest = s.rest[1:]
	}
	m.ran = true
	if !m.write(1, strconv.Itoa(n)) {
		return said1
	}
	return map[ending]result{succeeds: ok, fails: said1}[e]
}

// afterwards tells of a cell what the form is about, and how it ended.
func (m *ledger) afterwards(r result) string {
	var told []string
	for _, name := range m.form.targets() {
		holds := m.files[name]
		if isVariable(name) {
			holds = m.vars[name]
		}
		told = append(told, name+"="+holds.String())
	}
	if m.form.reads() >= 0 {
		told = append(told, "seen="+m.seen.String())
	}
	for _, t := range []struct {
		name string
		text *text
	}{{"out", m.out}, {"err", m.err}, {"pipe", m.pipe}} {
		if len(t.text.lines) > 0 {
			told = append(told, t.name+"="+t.text.String())
		}
	}
	if !m.ran && r != timeout {
		told = append(told, "nothing ran")
	}
	return strings.Join(append(told, string(r)), ", ")
}
