// Command mutants makes small mistakes in the code of this project, one at a time, and sees whether the tests of the
// room that it is in find it. One that they do not find is a test that is missing, or code that nothing needs.
//
//	go run ./testdata/mutants [-n 600] [-seed 1] [-j 2] [-want 85] [-only REGEXP] [-skip REGEXP] [-v] [ROOM ...]
//
// It takes -n mutants of all rooms together, the same ones for the same seed and text, and prints those that live.
// The large rooms have more of them, as the root of their lines, so that there are enough of the small ones. What does
// not compile is no mutant; what takes ten times as long as usual is found. It fails if of those of a room
// (with less than 20 of them: of all) fewer than -want in a hundred were found. -only names the mutants to take, by
// part of a line as it is printed, and -skip tests that do not run. It has to be root: each program runs in a box of
// its own.
//
// testdata/mutants.md tells what was found, and which live.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
)

var everyRoom = []string{"lexer", "parser", "ast/printer", "backoff", "backoff/shared", "interp", "interp/journal",
	"interp/expand", "interp/process"}

type options struct {
	n, jobs, want int
	seed          uint64
	only          *regexp.Regexp
	verbose       bool
	skip          string
}

func main() {
	var o options
	flag.IntVar(&o.n, "n", 600, "how many mutants")
	flag.IntVar(&o.jobs, "j", 2, "how many at the same time")
	flag.IntVar(&o.want, "want", 85, "how many of a hundred have to be found")
	flag.Uint64Var(&o.seed, "seed", 1, "which ones")
	only := flag.String("only", "", "which of them to run")
	flag.StringVar(&o.skip, "skip", "", "which tests are left out, such as those that take long")
	flag.BoolVar(&o.verbose, "v", false, "print those that were found, too")
	flag.Parse()
	o.only = regexp.MustCompile(*only)
	rooms := flag.Args()
	if len(rooms) == 0 {
		rooms = everyRoom
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := hunt(ctx, rooms, o); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// hunt runs the sample of each room, and counts.
func hunt(ctx context.Context, names []string, o options) error {
	top, err := os.Getwd()
	if err != nil {
		return err
	}
	rooms, weights := make([]*room, len(names)), 0.0
	for i, name := range names {
		if rooms[i], err = readRoom(top, name, o); err != nil {
			return err
		}
		weights += rooms[i].weight
	}
	var all tally
	wanting := false
	for _, r := range rooms {
		n := int(math.Round(float64(o.n) * r.weight / weights))
		t, err := r.hunt(ctx, top, n, o)
		if err != nil {
			return err
		}
		fmt.Printf("%-15s %s\n", r.name, t)
		wanting = wanting || t.judged >= 20 && t.percent() < o.want
		all.judged += t.judged
		all.found += t.found
	}
	fmt.Printf("%-15s %s\n", "all", all)
	if wanting || all.percent() < o.want {
		return fmt.Errorf("fewer than %d in a hundred were found", o.want)
	}
	return nil
}

// A tally counts mutants.
type tally struct{ judged, found int }

func (t tally) percent() int {
	if t.judged == 0 {
		return 100
	}
	return 100 * t.found / t.judged
}

func (t tally) String() string {
	return fmt.Sprintf("%3d of %3d found, %d %%", t.found, t.judged, t.percent())
}

// readRoom finds all mutants of a room, and puts them in the order of the seed.
func readRoom(top, name string, o options) (*room, error) {
	out, err := exec.Command("go", "list", "-f", `{{join .GoFiles "\n"}}`, "./"+name).Output()
	if err != nil {
		return nil, fmt.Errorf("%s: go list: %w", name, err)
	}
	r := &room{name: name, dir: filepath.Join(top, name)}
	lines := 0
	for _, file := range strings.Fields(string(out)) {
		text, err := os.ReadFile(filepath.Join(r.dir, file))
		if err != nil {
			return nil, err
		}
		lines += strings.Count(string(text), "\n")
		found, err := findMutants(filepath.Join(name, file), string(text))
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			if o.only.MatchString(m.String()) {
				r.mutants = append(r.mutants, m)
			}
		}
	}
	r.weight = math.Sqrt(float64(lines))
	h := fnv.New64()
	h.Write([]byte(name))
	rand.New(rand.NewPCG(o.seed, h.Sum64())).Shuffle(len(r.mutants), func(i, j int) {
		r.mutants[i], r.mutants[j] = r.mutants[j], r.mutants[i]
	})
	return r, nil
}

// hunt runs the first n mutants of a room that compile.
func (r *room) hunt(ctx context.Context, top string, n int, o options) (tally, error) {
	scratch, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return tally{}, err
	}
	defer os.RemoveAll(scratch)
	if err := r.measure(ctx, scratch, o.skip); err != nil {
		return tally{}, err
	}
	var (
		t       tally
		mu      sync.Mutex // of t, r.mutants and fault
		fault   error
		workers sync.WaitGroup
	)
	wanted := make(chan struct{}, n)
	for range n {
		wanted <- struct{}{}
	}
	close(wanted)
	for range o.jobs {
		workers.Go(func() {
			for range wanted {
				found, err := r.judgeNext(ctx, top, &mu, o.verbose)
				mu.Lock()
				if err != nil {
					fault = err
				} else {
					t.judged++
					t.found += found
				}
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	workers.Wait()
	if errors.Is(fault, errNoMore) {
		fault = nil
	}
	return t, fault
}

var errNoMore = errors.New("no more mutants")

// judgeNext judges the next mutant that compiles, and says how many it has found, 0 or 1.
func (r *room) judgeNext(ctx context.Context, top string, mu *sync.Mutex, verbose bool) (int, error) {
	for {
		mu.Lock()
		if len(r.mutants) == 0 {
			mu.Unlock()
			return 0, errNoMore
		}
		m := r.mutants[0]
		r.mutants = r.mutants[1:]
		mu.Unlock()
		verdict, err := r.judge(ctx, top, m)
		if err != nil {
			return 0, err
		}
		if verdict == "lived" {
			fmt.Printf("lived  %s\n", m)
			return 0, nil
		}
		if verdict != "no mutant" {
			if verbose {
				fmt.Printf("found  %s: %s\n", m, verdict)
			}
			return 1, nil
		}
	}
}
