package interp_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/ast"
	"ftsh/interp/journal/memory"
)

// TestGoesOnAtWhatFailed lets each program of a script fail in turn, and the script go on at what failed, also if the
// shell dies meanwhile: nothing that has succeeded runs twice, and nothing is left out. Scripts with a try or forany
// begin that anew, and so are not among them.
func TestGoesOnAtWhatFailed(t *testing.T) {
	for _, name := range []string{"sequence", "loops", "tests", "functions", "branches", "settings", "nested"} {
		text := durableScripts[name]
		if name == "nested" {
			text = nestedScript
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				file := parse(t, text)
				whole := &life{t: t, fs: memory.New(rand.New(rand.NewPCG(1, 1))), dir: scratchDir(t)}
				if ended, err := whole.live(file, virtual{time.Now()}); !ended || err != nil {
					t.Fatal(ended, err)
				}
				for failAt := range whole.ledger {
					(&life{failAt: failAt + 1, goesOn: true}).goOn(t, file, whole, 0)
					for _, crashAt := range points(whole.points, 3, 17) {
						(&life{failAt: failAt + 1, goesOn: true}).goOn(t, file, whole, crashAt)
					}
				}
			})
		})
	}
}

const nestedScript = `
total=0
function work
  local n=0
  for x in 1 2
    n=$n .add. $x
    if $x .eql. 2
      act work$1.$x.$n
    else
      act other$1.$x.$n
    end
  end
  total=$total .add. $n
  act sum$1.$n.$total
  return $n
end
forall b in a b .keepgoing. .limit. 1
  own=$b
  for y in p q
    own=$own$y
    act $own
  end
  s=work($b)
  act $b$s$own
end
for z in 1 2
  s=work($z)
  while true
    z=$z$z
    act turn$z
    break
  end
end
act end$total
`

// goOn runs a script in which one program fails, until it has succeeded. The shell dies at that point of the life after
// the failure; 0: it does not.
func (w *life) goOn(t *testing.T, file *ast.File, whole *life, crashAt int) {
	failAt := w.failAt
	w.t, w.fs, w.dir = t, memory.New(rand.New(rand.NewPCG(uint64(failAt), uint64(crashAt)))), scratchDir(t)
	crashes := 0
	for life := range 5 {
		ended, err := w.live(file, virtual{time.Now()})
		if ended && err == nil {
			break
		}
		if life == 4 {
			t.Errorf("program %d (%s) failed, crash at %d: the script has still not succeeded: %v", failAt, w.failed,
				crashAt, err)
			return
		}
		if w.crashAt = 0; !ended {
			crashes++
			w.fs.Kill()
		} else {
			w.crashAt = crashAt
		}
	}
	if w.takes && crashes > 0 {
		return // a try has made another attempt, and nobody can tell what runs in that
	}
	got := slices.Clone(w.ledger)
	if i := slices.Index(got, w.failed); i >= 0 && !w.takes {
		got = slices.Delete(got, i, i+1) // the run in which it failed
	}
	want := slices.Clone(whole.ledger)
	slices.Sort(got)
	slices.Sort(want)
	if extra := len(got) - len(want); crashes == 0 && !slices.Equal(got, want) || extra < 0 || extra > crashes ||
		!slices.Equal(slices.Compact(got), slices.Compact(want)) {
		t.Errorf("program %d (%s) failed, crash at %d: the ledger is\n%s\nwanted\n%s",
			failAt, w.failed, crashAt, strings.Join(w.ledger, " "), strings.Join(whole.ledger, " "))
	}
}
