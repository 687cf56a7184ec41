package interp_test

import (
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
	"ftsh/interp/journal/memory"
)

// nightlyScripts are scripts as people have them: loops, branches, functions, and lines that are read. What a program
// is called tells it apart in the ledger. @list is a file of three lines.
var nightlyScripts = map[string]string{
	"backup": `
act mount
for disk in root home srv
  act dump.$disk
  act verify.$disk
  say dumped.$disk >> log
end
act rotate
act unmount
`,
	"samples": `
act fetch.reference
forall sample in s1 s2 s3 .keepgoing. .limit. 1
  act align.$sample
  act sort.$sample
  if $sample .ne. s2
    act call.$sample
  end
end
act merge
`,
	"migrate": `
function migrate
  act lock.$1
  for step in schema data index
    act $step.$1
  end
  act unlock.$1
end
act announce
migrate users
migrate orders
act done
`,
	"inbox": `
act look
while try read file
  act parse.$file
  act store.$file
end < @list
act report
`,
	"two lists": `
act begin
if true
  while try read x
    read y <&3
    act pair.$x.$y
  end
end < @list 3< @list
act end
`,
	"poll": `
n=0
act submit
while $n .lt. 3
  n=$n .add. 1
  act look.$n
  if $n .eql. 2
    act progress
  end
end
act collect
`,
	"release": `
act build
if try act tests
  act tag
else
  act blame
end
forall target in deb rpm .limit. 1 .keepgoing.
  act pack.$target
  act sign.$target
end
act upload
act tell
`,
	"nested calls": `
function stage
  act copy.$1
  check $1
  act free.$1
end
function check
  act sum.$1
  act compare.$1
end
for host in a b
  stage $host.1
  stage $host.2
end
act ready
`,
	"values": `
function size
  act measure.$1
  return 3
end
total=size(x) .add. size(y)
act plan.$total
if size(z) .eql. 3
  act large
end
for part in 1 .to. size(w)
  act part.$part
end
`,
	"attempts": `
act begin
try 2 times every 1 s except on exit
  act connect
  for table in t1 t2
    act copy.$table
  end
  act close
end
act end
`,
	"mirrors": `
act begin
forany mirror in m1 m2 .inorder.
  if $mirror .eq. m1
    failure no
  end
  act fetch.$mirror
  act check.$mirror
end
act use.$mirror
`,
	"tries in branches": `
try for 1 hour except on exit
  act login
  forall site in p q .keepgoing. .limit. 1
    try each 10 minutes
      act push.$site
      act restart.$site
    end
  end
  act logout
end
act tell
`,
	"clean up": `
act begin
try
  act take
  for x in 1 2
    act use.$x
  end
end
act end
`,
}

// mendable gives these scripts, and those that must go on after a crash, too.
func mendable() map[string]string {
	all := map[string]string{"nested": nestedScript}
	for name, text := range nightlyScripts {
		all[name] = text
	}
	for _, name := range []string{"sequence", "loops", "tests", "functions", "branches", "settings"} {
		all[name] = durableScripts[name]
	}
	return all
}

// TestGoesOnMended lets each program of scripts fail in turn, and goes on at it, behind it as if it had succeeded, and
// with the statement mended. What had succeeded before runs once, and so does all that comes after.
func TestGoesOnMended(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "list"), []byte("one\ntwo\nthree\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range mendable() {
		text = strings.ReplaceAll(text, "@", dir+"/")
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				file := parse(t, text)
				whole := &life{t: t, fs: memory.New(rand.New(rand.NewPCG(1, 1))), dir: scratchDir(t)}
				if ended, err := whole.live(file, virtual{time.Now()}); !ended || err != nil {
					t.Fatal(ended, err)
				}
				again := !strings.Contains(text, "\ntry") && !strings.Contains(text, "forany") // else that begins anew
				_, changes := durableScripts[name]
				changes = changes || name == "nested" // what is run again sees what it has assigned
				for failAt := 1; failAt <= len(whole.ledger); failAt++ {
					if again {
						(&life{failAt: failAt, goesOn: true}).goOn(t, file, whole, 0)
					}
					if !changes {
						(&life{failAt: failAt, goesOn: true, takes: true}).goOn(t, file, whole, 0)
					}
					if !changes && name != "poll" {
						mend(t, text, whole, failAt)
					}
				}
			})
		})
	}
}

// mend runs a script in which a program fails, changes the statement at the top level in which it did, and goes on.
func mend(t *testing.T, text string, whole *life, failAt int) {
	file := parse(t, text)
	w := &life{t: t, fs: memory.New(rand.New(rand.NewPCG(uint64(failAt), 2))), dir: scratchDir(t)}
	w.failAt, w.goesOn = failAt, true
	if ended, err := w.live(file, virtual{time.Now()}); !ended || err == nil {
		t.Fatalf("program %d: %v %v", failAt, ended, err)
	}
	first := len(w.ledger)
	for i := range file.Body.List {
		before, behind := boundary(t, text, file, i), boundary(t, text, file, i+1)
		if failAt <= before || failAt > behind {
			continue
		}
		mended := wrapStatement(text, file, i)
		if ended, err := w.live(parse(t, mended), virtual{time.Now()}); !ended || err != nil {
			t.Errorf("program %d (%s): %v %v with\n%s", failAt, w.failed, ended, err, mended)
			return
		}
		want := slices.Concat(whole.ledger[before:behind], []string{"mended"}, whole.ledger[behind:])
		got := w.ledger[first:]
		if before > first || !slices.Equal(w.ledger[:before], whole.ledger[:before]) || !sameEntries(got, want) {
			t.Errorf("program %d (%s): after the change the ledger is\n%s\nwanted\n%s", failAt, w.failed,
				strings.Join(got, " "), strings.Join(want, " "))
		}
		return
	}
}

func sameEntries(got, want []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want)))
}

// boundary counts the programs before a statement of the top level.
func boundary(t *testing.T, text string, file *ast.File, i int) int {
	lines := strings.Split(text, "\n")
	if i < len(file.Body.List) {
		lines = lines[:file.Body.List[i].Pos.Line-1]
	}
	w := &life{t: t, fs: memory.New(rand.New(rand.NewPCG(3, 3))), dir: scratchDir(t)}
	if ended, err := w.live(parse(t, strings.Join(lines, "\n")), virtual{time.Now()}); !ended || err != nil {
		t.Fatal(ended, err)
	}
	return len(w.ledger)
}

// wrapStatement puts a statement of the top level into an if, and a program behind it.
func wrapStatement(text string, file *ast.File, i int) string {
	lines := strings.Split(text, "\n")
	begin, end := int(file.Body.List[i].Pos.Line-1), len(lines)
	if i+1 < len(file.Body.List) {
		end = int(file.Body.List[i+1].Pos.Line - 1)
	}
	return fmt.Sprintf("%s\nif true\n%s\nact mended\nend\n%s", strings.Join(lines[:begin], "\n"),
		strings.Join(lines[begin:end], "\n"), strings.Join(lines[end:], "\n"))
}
