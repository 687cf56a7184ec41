package interp_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// scribe writes random scripts with statements of all kinds. All programs are told the state.
type scribe struct {
	*rand.Rand
	out       strings.Builder
	functions []string
	names     int
	limits    int
	left      int  // statements that may still be written
	quiet     bool // what runs may run again, and so must not write twice where that is kept
}

// A setting says what may stand at a place of a script.
type setting struct {
	function, loop, finally, limited bool
	valued                           bool // the function returns a value
	depth                            int
}

func (s *scribe) name(kind string) string {
	s.names++
	return fmt.Sprint(kind, s.names)
}

const state = `"$p" "${x:-_}" "${y:-_}" "${n:-_}" "${PWD:-_}" "${v:-_}" "$*" "${error.status}"`

// act is a program that ends so.
func (s *scribe) act(status string) string {
	return fmt.Sprintf("act %s %s %s", s.name("a"), status, state)
}

// limit is a time limit of about so many milliseconds. No two of them pass at the same moment, nor when a wait ends, as
// either may come first then.
func (s *scribe) limit(about int) string {
	s.limits++
	return fmt.Sprintf("%d ms", about+100+7*s.limits)
}

func (s *scribe) line(format string, args ...any) { fmt.Fprintf(&s.out, format+"\n", args...) }

func (s *scribe) pick(words ...string) string { return words[s.IntN(len(words))] }

func (s *scribe) group(at setting) {
	for range 1 + s.IntN(3) {
		s.statement(at)
	}
}

func (s *scribe) inside(at setting) {
	at.depth++
	s.group(at)
}

func (s *scribe) statement(at setting) {
	s.left--
	if at.depth > 3 || s.left < 0 || s.IntN(3) > 0 {
		s.simple(at)
		return
	}
	[]func(setting){s.ifs, s.cases, s.whiles, s.fors, s.foranys, s.foralls, s.try, s.try, s.try, s.call, s.call, s.pipe,
		s.block}[s.IntN(13)](at)
}

func (s *scribe) simple(at setting) {
	switch s.IntN(30) {
	case 0, 1:
		s.line("x=${x:-_}%d", s.IntN(10))
	case 2:
		s.line("n=$n .add. 1")
	case 3:
		s.line("say \"$p\" %s %s %s", s.name("s"), s.pick("->", "->>", "->&"), s.pick("x", "y"))
	case 4:
		s.line("sleep %d seconds", 1+s.IntN(3))
	case 5:
		s.line("cd %s", s.pick("/", "/tmp", "/usr"))
	case 6:
		s.line("set -- %s $n", s.name("w"))
	case 7:
		s.line("export E=%s$n", s.name("e"))
	case 8:
		s.line("unset %s", s.pick("x", "y", "E"))
	case 9:
		s.line("read x -< n")
	case 10:
		s.line("%s", s.act(s.failing(at)))
	case 11:
		s.leave(at)
	case 12:
		if at.function {
			s.line("local y=$x%s", s.name("l"))
		}
	case 13:
		s.line("%s %s /dev/null", s.act("0"), s.pick(">", ">>", "<"))
	case 16, 17: // the ledger may have the first one twice only where that is known
		s.line("x=\"%s ${ say \"$p\" %s } ${ say \"$p\" ${x:-_}%s }\"", s.name("o"), s.name("o"), s.name("o"))
	case 18:
		s.line("act \"${ %s }\" 0 %s", s.act(s.pick("0", "0", "1")), state)
	case 14, 15:
		if !s.quiet {
			s.line("say \"$p\" %s", s.name("o"))
		}
	default:
		s.line("%s", s.act("0"))
	}
}

// failing is the status of a program that may fail.
func (s *scribe) failing(at setting) string {
	if at.limited && s.IntN(4) > 0 {
		return fmt.Sprintf("\"${try.attempt}<%d\"", 1+s.IntN(3))
	}
	return s.pick("1", "3")
}

// leave ends a group.
func (s *scribe) leave(at setting) {
	words := []string{"failure no", "false"}
	if at.loop {
		words = append(words, "break", "continue", "continue")
	}
	if at.function && !at.finally {
		back := "return"
		if at.valued {
			back = "return $n"
		}
		words = append(words, back, back)
	}
	if !at.finally && s.IntN(4) == 0 {
		words = append(words, "giveup no", "exit 0", "exit 4")
	}
	s.line("if $n .gt. %d", s.IntN(4))
	s.line("%s", s.pick(words...))
	s.line("end")
}

func (s *scribe) ifs(at setting) {
	s.line("%s", s.pick("if $n .lt. 3", "if try "+s.act("0"), "if try "+s.act("1"), "if call1($n) .eq. 3"))
	s.inside(at)
	if s.IntN(2) == 0 {
		s.line("else if try %s", s.act(s.pick("0", "1")))
		s.inside(at)
	}
	s.line("else")
	s.inside(at)
	s.line("end")
}

func (s *scribe) cases(at setting) {
	s.line("case %s\nwhen 0* 1", s.pick("$n", "$x", "call1($n)"))
	s.inside(at)
	if s.IntN(2) == 0 {
		s.line("when 2 *3")
		s.inside(at)
	}
	if s.IntN(3) > 0 {
		s.line("else")
		s.inside(at)
	}
	s.line("end")
}

func (s *scribe) whiles(at setting) {
	w := s.name("i")
	s.line("%s=0", w)
	if s.IntN(2) == 0 {
		s.line("while $%s .lt. 2", w)
	} else {
		s.line("while try act %s \"2<$%s\" %s", s.name("a"), w, state)
		s.line("if $%s .gt. 1\nbreak\nend", w)
	}
	s.line("%s=$%[1]s .add. 1", w)
	at.loop = true
	s.inside(at)
	s.line("end%s", s.output())
}

// output is a redirection of a block, or none. What is not there counts as a regular file.
func (s *scribe) output() string {
	return s.pick("", "", "", "", " > /dev/null", " >> /nowhere", " > /nowhere", " -> v", " ->> v", " < /dev/null")
}

func (s *scribe) fors(at setting) {
	s.line("for i in %s", s.pick("a b", "1 .to. 3", "$n $n"))
	at.loop = true
	s.inside(at)
	s.line("end%s", s.output())
}

func (s *scribe) foranys(at setting) {
	s.line("forany h in a b c%s", s.pick(" .inorder.", " .inorder.", " .inorder. .hedge. 5 s"))
	s.line("%s", s.act(s.pick("0", "1")))
	at.loop = false
	s.inside(at)
	s.line("end%s", s.output())
}

func (s *scribe) foralls(at setting) {
	s.line("forall b in 0 1 2 .keepgoing.%s", s.pick("", " .limit. 1", " .limit. 2"))
	s.line("p=$p.$b")
	at.loop, at.function = false, false // return cannot leave it
	s.inside(at)
	if s.IntN(3) == 0 {
		s.line("act %s 1$b %s", s.name("a"), state) // each fails with a status of its own
	}
	s.line("end")
}

func (s *scribe) try(at setting) {
	inside := at
	header := "try"
	if s.IntN(3) > 0 {
		inside.limited = true
		header += s.pick(" 2 times", " 3 times", " for "+s.limit(20_000), " for "+s.limit(30_000)+" or 4 times")
		header += s.pick("", " each "+s.limit(10_000), " each "+s.limit(1_500))
		header += s.pick(" every 2 seconds", " every 500 ms", " every 1 s")
		header += s.pick("", "", "", " only on exit unknown", " except on unknown", " except on 3")
	}
	s.line("%s", header)
	s.inside(inside)
	if s.IntN(4) == 0 {
		s.line("verify\nask%s", s.act("0")[3:])
		s.out.WriteString(s.pick("", "absent\n"))
	}
	if s.IntN(2) == 0 {
		s.line("catch\nact %s 0 %s ${error.kind}${error.status}", s.name("c"), state)
		s.inside(at)
	}
	if s.IntN(2) == 0 {
		s.line("finally\n%s", s.act("0"))
		end := at
		end.finally, end.loop = true, false
		outer := s.quiet
		s.quiet = true
		s.inside(end)
		s.quiet = outer
	}
	s.line("end%s", s.output())
}

func (s *scribe) call(at setting) {
	f := s.name("f")
	outer := s.out
	s.out = strings.Builder{}
	call := s.IntN(5)
	valued, again, value := call == 2 || call == 3, "%s $m", ""
	if valued {
		again, value = "m=%s($m)", " $1$m"
	}
	s.line("function %s\nlocal x=$1\nlocal m=$n", f)
	s.inside(setting{function: true, valued: valued, depth: at.depth})
	if s.IntN(3) == 0 {
		s.line("if $1 .gt. 0\nm=$1 .sub. 1\n"+again+"\n%s\nend", f, s.act("0"))
	}
	s.line("%s\nreturn%s\nend", s.act("0"), value)
	s.functions = append(s.functions, s.out.String())
	s.out = outer
	switch call {
	case 0, 1:
		s.line("%s %d%s", f, s.IntN(3), s.output())
	case 2:
		s.line("x=%s(%d)", f, s.IntN(3))
	case 3:
		s.line("x=%s(%d) .add. call1($n)", f, s.IntN(3))
	case 4:
		s.line("%s 1 | %s", f, s.act("0"))
	}
}

func (s *scribe) pipe(setting) {
	s.line("%s | %s%s", s.act("0"), s.act(s.pick("0", "0", "0", "1")), s.pick("", " -> x"))
}

func (s *scribe) block(at setting) {
	s.line("if true")
	s.inside(at)
	s.line("end%s", s.output())
}

// randomScript gives a script of a few statements.
func randomScript(seed uint64, size int) string {
	s := &scribe{Rand: rand.New(rand.NewPCG(seed, 7)), left: size}
	s.line("p=m\nx=0\nn=0\nset -- q r")
	for s.left > 0 {
		if s.IntN(2) == 0 {
			s.line("try") // so that it goes on after a failure
			s.inside(setting{})
			s.line("catch\nx=\"$x ${error.kind}\"\nend")
		} else {
			s.statement(setting{})
		}
	}
	s.line("%s", s.act("0"))
	call1 := "function call1\n" + s.act("0") + "\nreturn $1 .add. 1\nend\n"
	return call1 + strings.Join(s.functions, "") + s.out.String()
}
