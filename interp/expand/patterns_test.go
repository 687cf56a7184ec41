package expand

import (
	"strconv"
	"sync"
	"testing"
)

func TestPatterns(t *testing.T) {
	var p Patterns
	first, err := p.Get("a+")
	if err != nil || !first.MatchString("caat") {
		t.Fatal(err)
	}
	if again, _ := p.Get("a+"); again != first {
		t.Error("compiled twice")
	}
	if _, err := p.Get("("); err == nil {
		t.Error("( is a pattern")
	}
	for i := range 3 * patternsKept {
		if _, err := p.Get("x" + strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.known) != patternsKept {
		t.Errorf("%d kept", len(p.known))
	}
	if _, kept := p.known["a+"]; kept {
		t.Error("the oldest is still there")
	}
	if _, kept := p.known["x"+strconv.Itoa(3*patternsKept-1)]; !kept {
		t.Error("the newest is not there")
	}
}

func TestNoPatterns(t *testing.T) {
	var p *Patterns
	if re, err := p.Get("a"); err != nil || !re.MatchString("a") {
		t.Error(err)
	}
}

func TestPatternsAtTheSameTime(t *testing.T) {
	var p Patterns
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 200 {
				if re, err := p.Get("^" + strconv.Itoa((n+i)%100)); err != nil || re.MatchString("x") {
					t.Error("wrong", err)
				}
			}
		})
	}
	all.Wait()
	if len(p.known) > patternsKept {
		t.Errorf("%d kept", len(p.known))
	}
}
