package interp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/ast"
	"ftsh/ast/units"
	"ftsh/interp"
	"ftsh/interp/durable"
	"ftsh/interp/journal"
	"ftsh/interp/journal/memory"
)

// allUnits runs through all that it has; each unit of it begins.
const allUnits = `
on start
  act mount
end
function plain
  act in-function
end
function valued
  act for-a-value
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
x="${ say output } ${ echo builtin-output } ${ loops }"
act with ${ say of-word ${ say within } | act piped } > ${ say name }
for i in ${ say turns }
  act $i
end
while ${ say no } .eq. yes
end
x=valued()
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

// unitsBegun runs a script with a journal, and returns the places of its units.
func unitsBegun(t *testing.T, file *ast.File) []string {
	return unitsSaying(t, file, func(u *interp.Unit) string { return placeOf(u.Pos()) })
}

// unitsSaying runs a script with a journal, and returns what a function says of each unit that begins.
func unitsSaying(t *testing.T, file *ast.File, say func(u *interp.Unit) string) (said []string) {
	w := &life{t: t, fs: memory.New(rand.New(rand.NewPCG(1, 1))), dir: scratchDir(t)}
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
	lines := make(chan string, 10_000)
	config := interp.Config{
		World: findsAll{at(w, virtual{time.Now()})}, Seed: 1,
		Script:  interp.Script{Name: "script", Dir: w.dir, Files: []int{0, 1, 2}},
		Durable: &durable.Script{Journal: j, Canonical: canonical},
	}
	r := interp.New(config)
	r.Around(func(u *interp.Unit, run func() error) error {
		lines <- say(u)
		return run()
	})
	_ = r.Run(ctx, file) // that it fails is how some scripts end
	close(lines)
	for line := range lines {
		said = append(said, line)
	}
	return said
}

// TestUnitsThatSetVariables holds which units the journal says to set variables: those cannot be taken for done if they
// were under way.
func TestUnitsThatSetVariables(t *testing.T) {
	for script, want := range map[string]string{
		"act a":                                    "no",
		"act a > file":                             "no",
		"act a => file":                            "no",
		"act a < list":                             "no",
		"say a -> x":                               "sets",
		"say a ->> x":                              "sets",
		"say a ->& x":                              "sets",
		"say a 2->> x":                             "sets",
		"say a > file 2-> x":                       "sets",
		"read x < list":                            "sets",
		"echo a > file":                            "no",
		"say a | act b":                            "no",
		"say a -> x | act b":                       "sets",
		"say a | say b -> x":                       "sets",
		"if try act a; end":                        "no",
		"if true; act a; end > file":               "no", // the program
		"if true; say a; end -> x":                 "sets",
		"if true; x=1; act a; end > /dev/null":     "sets",
		"if true; x=1; act a; end << E; E":         "sets",
		"function f; x=1; act a; end; f":           "no", // the program
		"function f; x=1; act a; end; f -> y":      "sets",
		"try 2 times; act a; end > file":           "no", // the program
		"try 2 times; say a; end -> x":             "sets",
		"try 2 times; x=1; act a; end > /dev/null": "sets",
		"forany x in a b; act a; end":              "no", // the program
		"forany x in a b; act a; end -> y":         "sets",
		"forany x in a b .hedge. 9 s; act a; end":  "sets",
	} {
		synctest.Test(t, func(t *testing.T) {
			got := unitsSaying(t, parse(t, strings.ReplaceAll(script, "; ", "\n")), func(u *interp.Unit) string {
				return map[bool]string{true: "sets", false: "no"}[u.Captures()]
			})
			if len(got) != 1 || got[0] != want {
				t.Errorf("%s\nhas units of which the journal says %q, want %s", script, got, want)
			}
		})
	}
}
