package interp_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/interp/journal/memory"
	"ftsh/testdata/skip"
)

// drafter writes random scripts whose programs are told the state: all that is begun there is to succeed once, whatever
// has failed meanwhile. Those for what is taken as done have a try or forany, too, which a failure ends at once.
type drafter struct {
	*rand.Rand
	takes     bool
	out       strings.Builder
	functions []string
	names     int
	list      string // a file of a few lines
}

func (p *drafter) line(format string, args ...any) { fmt.Fprintf(&p.out, format+"\n", args...) }

func (p *drafter) name(kind string) string {
	p.names++
	return fmt.Sprint(kind, p.names)
}

func (p *drafter) act() string { return "act \"" + p.name("a") + " $p $x $n $* $PWD\"" }

func (p *drafter) group(depth int, function bool) {
	for range 1 + p.IntN(3) {
		p.statement(depth, function)
	}
}

func (p *drafter) statement(depth int, function bool) {
	if depth == 0 || p.IntN(3) == 0 {
		p.simple(function)
		return
	}
	kinds := 9
	if p.takes {
		kinds = 12
	}
	switch name := p.name("v"); p.IntN(kinds) {
	case 0:
		p.line("for %s in %s\nx=$x$%[1]s", name, []string{"a b", "1 .to. 3", "$n $n"}[p.IntN(3)])
		p.group(depth-1, function)
	case 1:
		p.line("%s=0\nwhile $%[1]s .lt. 2\n%[1]s=$%[1]s .add. 1", name)
		p.group(depth-1, function)
		p.line("if $n .gt. 5\nbreak\nend")
	case 2:
		p.line("if try %s", p.act())
		p.group(depth-1, function)
		p.line("else")
		p.group(depth-1, function)
	case 3:
		p.line("if $n .gt. %d", p.IntN(3))
		p.group(depth-1, function)
		if !p.takes { // it would hold then
			p.line("else if try %s 1", p.act())
		}
		p.line("else")
		p.group(depth-1, function)
	case 4:
		p.line("forall b in 0 1 2 .keepgoing. .limit. 1\np=$p.$b")
		p.group(depth-1, false)
	case 5, 6:
		p.call(depth)
		return
	case 7:
		p.line("if true")
		p.group(depth-1, function)
	case 8:
		p.line("while try read %s\nx=$%[1]s", name)
		p.group(depth-1, function)
		p.line("end < %s", p.list)
		return
	case 9:
		p.line("try 2 times every 1 s except on exit\nx=$x${try.attempt}")
		p.group(depth-1, function)
	case 10:
		p.line("try for 1 hour each 10 minutes except on exit")
		p.group(depth-1, function)
		p.line("catch\n%s=${error.kind}\nfailure again", name)
	case 11:
		p.line("forany %s in a b .inorder.\nif $%[1]s .eq. a\nfailure a\nend", name)
		p.group(depth-1, function)
	}
	p.line("end")
}

func (p *drafter) simple(function bool) {
	switch p.IntN(9) {
	case 0:
		p.line("x=$x.%d", p.IntN(10))
	case 1:
		p.line("n=$n .add. 1")
	case 2:
		if !p.takes {
			p.line("say \"$p$n\" -> x")
		}
	case 3:
		p.line("cd %s", []string{"/", "/tmp", "/usr"}[p.IntN(3)])
	case 4:
		p.line("set -- w $n")
	case 5:
		if function {
			p.line("local y=$x\nx=$y.%d", p.IntN(10))
		}
	default:
		p.line("%s", p.act())
	}
}

func (p *drafter) call(depth int) {
	f, outer := p.name("f"), p.out
	called, value := []string{"%s 1", "%s 2", "x=%s(3)", "x=%s(4) .add. %[1]s(5)"}[p.IntN(4)], ""
	if strings.HasPrefix(called, "x=") {
		value = " $m"
	}
	p.out = strings.Builder{}
	p.line("function %s\nlocal m=$n", f)
	p.group(depth-1, true)
	p.line("m=$m .add. 1\n%s\nreturn%s\nend", p.act(), value)
	p.functions = append(p.functions, p.out.String())
	p.out = outer
	p.line(called, f)
}

// TestGoesOnAtRandom lets programs of random scripts fail in turn, which go on at them or take them as done: each in a
// short script, and some of a long one.
func TestGoesOnAtRandom(t *testing.T) {
	most := 15
	if skip.Long() {
		most = 40
	}
	for seed := range skip.Times(200, 40) {
		p := &drafter{
			Rand: rand.New(rand.NewPCG(uint64(seed), 5)), list: filepath.Join(scratchDir(t), "list"), takes: seed%2 == 1,
		}
		if err := os.WriteFile(p.list, []byte("one\ntwo\nthree\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		p.line("p=m\nx=0\nn=0\nset -- q r\ncd /")
		for range 3 {
			p.statement(3, false)
		}
		p.line("%s", p.act())
		text := strings.Join(p.functions, "") + p.out.String()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				file := parse(t, text)
				whole := &life{t: t, fs: memory.New(rand.New(rand.NewPCG(1, 1))), dir: scratchDir(t)}
				if ended, err := whole.live(file, virtual{time.Now()}); !ended || err != nil {
					t.Fatalf("%v in\n%s", err, text)
				}
				apart := 1 + len(whole.ledger)/most
				for failAt := 1 + p.IntN(apart); failAt <= len(whole.ledger); failAt += apart {
					w := &life{failAt: failAt, goesOn: true, takes: p.takes}
					w.goOn(t, file, whole, 0)
					w = &life{failAt: failAt, goesOn: true, takes: p.takes}
					w.goOn(t, file, whole, 1+p.IntN(whole.points))
				}
				if t.Failed() {
					t.Logf("the script is\n%s", text)
				}
			})
		})
	}
}
