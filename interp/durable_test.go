package interp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/ast/printer"
	"ftsh/backoff"
	"ftsh/interp"
	"ftsh/interp/durable"
	"ftsh/interp/journal"
	"ftsh/interp/journal/memory"
	"ftsh/interp/world"
)

// A world outlives a shell: the disk, and the ledger of what programs did.
type life struct {
	t       *testing.T
	fs      *memory.FS
	mu      sync.Mutex
	ledger  []string
	points  int // passed in this life
	crashAt int // the shell dies at this one; 0: it does not
	dead    bool
	kill    func()
	again   int    // units that a person let run again
	dir     string // of the script: its files outlive all
	boot    string // of the machine; "": each shell may have another
	wall    func() time.Time
	began   time.Time // what `when` counts from
	failAt  int       // this program fails; 0: none does
	failed  string    // it has
	goesOn  bool      // a script that has failed goes on at what failed
	takes   bool      // and what failed is taken as done
	lives   uint64    // so far, by which chance is another in each
}

// pass is a point at which a shell may die.
func (w *life) pass(string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.points++
	if w.points == w.crashAt {
		w.dead = true
		w.kill()
		w.fs.Fault = func(string, string, int) (int, error) { return 0, unix.EIO }
	}
}

func (w *life) note(entry string) (alive bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.dead {
		w.ledger = append(w.ledger, entry)
	}
	return !w.dead
}

// Run is a program.
func (w *life) Run(ctx context.Context, c *world.Command) (world.Status, error) {
	if c.Args[0] == "die" {
		w.crashAt = w.points + 1
	}
	w.pass("start")
	name := strings.Join(c.Args[1:], " ")
	if c.Args[0] == "act" {
		name = strings.Join(slices.Compact(strings.Split(c.Args[1], "\n")), "\n")
	}
	if c.Args[0] == "when" {
		name = w.when(name)
	}
	if !w.note(name) {
		return world.Status{Code: 99}, nil
	}
	if c.Args[0] == "say" {
		_, _ = unix.Write(c.Files[1], []byte(name+"\n"))
	}
	w.pass("end")
	code := 0
	if w.fails(name) {
		return world.Status{Code: 70}, nil
	}
	if c.Args[0] == "act" && len(c.Args) > 2 {
		fmt.Sscan(c.Args[2], &code)
	}
	return world.Status{Code: code}, nil
}

// fails reports whether this program is the one to fail.
func (w *life) fails(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failAt--; w.failAt != 0 {
		return false
	}
	w.failed = name
	return true
}

func (w *life) Rest() {}

// virtual is a clock in the time of a synctest bubble.
type virtual struct{ start time.Time }

func (v virtual) Now() time.Duration { return time.Since(v.start) }

func (v virtual) AfterFunc(at time.Duration, f func()) backoff.Timer {
	return time.AfterFunc(at-v.Now(), f)
}

// live runs a script until it ends or the shell dies.
func (w *life) live(file *ast.File, clock backoff.Clock) (ended bool, err error) {
	ctx, kill := context.WithCancel(context.Background())
	defer kill()
	w.points, w.dead, w.kill, w.fs.Fault = 0, false, kill, nil
	j, err := journal.Open("/j", journal.Config{FS: w.fs, Machine: "m", Host: "h", Hook: w.pass})
	if err != nil && w.dead {
		return false, nil
	}
	if err != nil {
		w.t.Fatal(err)
	}
	defer j.Close()
	d := &durable.Script{Journal: j, Canonical: canonical, Boot: w.boot, Wall: w.wall}
	if err, finished := interp.Finished(j.Image()); finished {
		if err == nil || !w.goesOn {
			return true, err
		}
		for _, u := range durable.FailedUnits(j.Image()) {
			if w.takes {
				if err := d.Done(u); err != nil && !w.dead {
					w.t.Fatal(err)
				}
			}
		}
		if _, err := d.Retry(file); err != nil && !w.dead {
			w.t.Fatal(err)
		}
	}
	if err := d.Differs(file, nil, false); err != nil {
		w.t.Fatal(err)
	}
	w.lives++
	config := interp.Config{
		World: findsAll{at(w, clock)}, Durable: d, Seed: w.lives,
		Script: interp.Script{Name: "script", Dir: w.dir, Files: []int{0, 1, 2}},
	}
	for u := interp.Undecided(config, file); len(u) > 0; u = interp.Undecided(config, file) {
		w.again++
		if err := d.Answer(u[:1], all, none); err != nil && !w.dead {
			w.t.Fatal(err)
		}
		if w.dead {
			return false, nil
		}
	}
	err = interp.New(config).Run(ctx, file)
	return !w.dead, err
}

func canonical(list ...ast.Stmt) string {
	var text strings.Builder
	_ = printer.Print(&text, &ast.File{Body: ast.Group{List: list}})
	return text.String()
}

// TestCrashes lets the shell die at one point in three, each in long tests, and at another one while it goes on.
func TestCrashes(t *testing.T) {
	t.Parallel()
	for name, text := range durableScripts {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				file := parse(t, text)
				whole := &life{t: t, fs: memory.New(rand.New(rand.NewPCG(1, 1))), dir: scratchDir(t)}
				if ended, err := whole.live(file, virtual{time.Now()}); !ended || err != nil {
					t.Fatal(ended, err)
				}
				apart := 3
				if name == "outputs" { // real files are synced: that takes long
					apart = 7
				}
				for _, at := range points(whole.points, 1, apart) {
					crash(t, file, whole, at, 0)
					crash(t, file, whole, at, 1+at%7)
				}
			})
		})
	}
}

// crash lets the shell die at a point, and at another in its second life.
func crash(t *testing.T, file *ast.File, whole *life, at, second int) {
	w := &life{t: t, fs: memory.New(rand.New(rand.NewPCG(uint64(at), uint64(second)))), dir: scratchDir(t)}
	crashes := 0
	for _, w.crashAt = range []int{at, second, 0} {
		ended, err := w.live(file, virtual{time.Now()})
		if ended {
			if err != nil {
				t.Errorf("crash at %d, %d: %v", at, second, err)
			}
			break
		}
		crashes++
		if at%2 == 0 {
			w.fs.Cut()
		} else {
			w.fs.Kill()
		}
	}
	got, want := w.told(), whole.told()
	for name := range want {
		if !explained(got[name], want[name], crashes) {
			t.Errorf("crash at %d, %d (again %d): the %s is\n%s\nwanted\n%s", at, second, w.again, name,
				strings.Join(got[name], "\n"), strings.Join(want[name], "\n"))
		}
	}
	for name := range got {
		if want[name] == nil {
			t.Errorf("crash at %d, %d: %s is left", at, second, name)
		}
	}
}

// told is the ledger, and the lines of the script's files.
func (w *life) told() map[string][]string {
	told := map[string][]string{"ledger": w.ledger}
	files, err := os.ReadDir(w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(w.dir, file.Name()))
		if err != nil {
			w.t.Fatal(err)
		}
		told[file.Name()] = strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	return told
}

// explained reports whether a ledger is the wanted one but for one program a crash: it ran
// twice, or, if it is called maybe, not at all, since something else was tried in its place.
func explained(ledger, want []string, crashes int) bool {
	switch {
	case len(ledger) > 0 && len(want) > 0 && ledger[0] == want[0] && explained(ledger[1:], want[1:], crashes):
		return true
	case len(ledger)+len(want) == 0:
		return true
	case crashes == 0:
		return false
	case len(ledger) > 1 && ledger[0] == ledger[1] && explained(ledger[1:], want, crashes-1):
		return true
	}
	return len(want) > 0 && strings.HasPrefix(want[0], "maybe") && explained(ledger, want[1:], crashes-1)
}

func all(durable.Undecided) bool  { return true }
func none(durable.Undecided) bool { return false }
