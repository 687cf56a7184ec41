package interp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/ast"
	"ftsh/ast/units"
	"ftsh/interp"
	"ftsh/interp/durable"
	"ftsh/interp/journal"
	"ftsh/interp/journal/memory"
	"ftsh/interp/process"
)

// allUnits runs through all that it has; each unit of it begins.
const allUnits = `
on start
  act mount
end
function plain
  act in-function
  return 1
end
function loops
  for i in 1 .to. 2
    say $i
  end
end
function whole
  act unit-in-unit
end
act program
echo builtin
echo builtin > file
echo builtin -> v
say captured -> v
act a | act b
x=plain()
plain
plain > file
loops -> v
loops | act sorted
whole -< v
for i in 1 .to. 2
  act turn
end
for i in 1 .to. 2
  act turn
end > file
for i in 1 .to. 2
  say turn
end -> v
for i in 1 .to. 2
  act turn
end > /dev/null
while try read line
  act $line
end < list
while try read line
  act $line
end << EOT
one
EOT
while try act test
  break
end
if try act a | act b
  act branch
end 2>&1
if try act yes
  act branch
end
try 3 times
  act one
  act two
finally
  act three
end
try
  act one
  failure
catch
  act caught
  plain
finally
  act finally
end => file
try 2 times
  act one
verify
  act verified
end >> file
forany h in a b
  act $h
end
forany h in a b
  act $h
end -> v
forany h in a b .hedge. 1 s
  act $h
end
forall h in a b
  act $h
end
forall h in a b .grouped.
  say $h
end => file
read line < list
exec act last
`

// TestUnits holds that the units which are found in the text of a script are those that its journal has a begin of:
// all of those of a script that comes by each of them, and no others in the scripts of other tests.
func TestUnits(t *testing.T) {
	begun, listed := unitsOf(t, allUnits)
	if !slices.Equal(begun, listed) {
		t.Errorf("begun:\n%s\nlisted:\n%s", begun, listed)
	}
	for _, text := range durableScripts {
		begun, listed := unitsOf(t, text)
		for _, unit := range begun {
			if !slices.Contains(listed, unit) {
				t.Errorf("%s has begun, and is not listed in\n%s\nof\n%s", unit, listed, text)
			}
		}
	}
}

// unitsOf runs a script, and returns the places of units that have begun, and of those that are found in its text.
func unitsOf(t *testing.T, text string) (begun, listed []string) {
	file := parse(t, text)
	for _, p := range units.List(file, interp.IsBuiltin) {
		if p.How == units.Unit {
			listed = append(listed, placeOf(p.Pos))
		}
	}
	synctest.Test(t, func(t *testing.T) { begun = unitsBegun(t, file) })
	return sorted(begun), sorted(listed)
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

func placeOf(pos ast.Pos) string { return fmt.Sprintf("\n%03d %s", pos.Line, pos.RestOfLine()) }

// unitsBegun runs a script with a journal.
func unitsBegun(t *testing.T, file *ast.File) (begun []string) {
	w := &world{t: t, fs: memory.New(rand.New(rand.NewPCG(1, 1))), dir: t.TempDir()}
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	w.kill = kill
	if err := os.WriteFile(filepath.Join(w.dir, "list"), []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open("/j", journal.Config{FS: w.fs, Machine: "m", Host: "h"})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	places := make(chan string, 10_000)
	config := interp.Config{
		Engine: w, Clock: virtual{time.Now()}, Name: "script", Dir: w.dir, Files: []int{0, 1, 2}, Seed: 1,
		Durable: &durable.Script{Journal: j, Canonical: canonical},
		Find:    func(name, _ string, _ process.Directory) (string, error) { return name, nil },
	}
	config.Around(func(u *interp.Unit, run func() error) error {
		places <- placeOf(u.Pos())
		return run()
	})
	_ = interp.New(config).Run(ctx, file) // that it fails is how some scripts end
	close(places)
	for place := range places {
		begun = append(begun, place)
	}
	return begun
}
