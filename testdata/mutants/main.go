// Command mutants makes small mistakes in the code of this project, one at a time, and sees whether the tests of the
// room that it is in find it. One that they do not find is a test that is missing, or code that nothing needs.
//
//	go run ./testdata/mutants [-n 600] [-seed 1] [-j 2] [-want 85] [-only REGEXP] [-skip REGEXP] [-of ROOM,...] [-v]
//	    [ROOM ...]
//	go run ./testdata/mutants -rules FILE [-run REGEXP] [-j 2] [-only REGEXP] ROOM
//
// It takes -n mutants of all rooms together, the same ones for the same seed and text, and prints those that live, as
// soon as that is known. The large rooms have more of them, as the root of their lines, so that there are enough of the
// small ones. What does not compile is no mutant; what takes five times as long as usual, and again when nothing else
// runs here, is found. It fails if of those of a room (with less than 20 of them: of all) fewer than -want in a hundred
// were found. -only names the mutants to take, by part of a line as it is printed, -skip tests that do not run, and -of
// the rooms to run now of those that share the sample. With -rules the mistakes are those of a list, each of which
// breaks a rule, and all have to be found, by the tests that -run names. It has to be root: each program runs in a box
// of its own.
//
// testdata/mutants.md tells what was found, and which live.
package main

import (
	"cmp"
	"context"
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
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

var everyRoom = []string{"lexer", "parser", "ast/printer", "backoff", "backoff/shared", "interp", "interp/journal",
	"interp/expand", "interp/value", "interp/process"}

type options struct {
	n, jobs, want int
	seed          uint64
	only          *regexp.Regexp
	verbose       bool
	skip, run     string
	rules         string
	of            []string
}

func main() {
	var o options
	flag.IntVar(&o.n, "n", 600, "how many mutants")
	flag.IntVar(&o.jobs, "j", 2, "how many at the same time")
	flag.IntVar(&o.want, "want", 85, "how many of a hundred have to be found")
	flag.Uint64Var(&o.seed, "seed", 1, "which ones")
	only := flag.String("only", "", "which of them to run")
	flag.StringVar(&o.skip, "skip", "", "which tests are left out, such as those that take long")
	flag.StringVar(&o.run, "run", "", "which tests run")
	flag.StringVar(&o.rules, "rules", "", "the file with the mistakes, if they are not to be taken at random")
	of := flag.String("of", "", "the rooms to run of all that the sample is taken of, separated by commas")
	flag.BoolVar(&o.verbose, "v", false, "print those that were found, too")
	flag.Parse()
	o.only = regexp.MustCompile(*only)
	rooms := flag.Args()
	if len(rooms) == 0 {
		rooms = everyRoom
	}
	if o.of = rooms; *of != "" {
		o.of = strings.Split(*of, ",")
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
	if o.rules != "" {
		o.want = 100
	}
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
		if o.rules != "" {
			n = len(r.mutants)
		}
		if !slices.Contains(o.of, r.name) {
			continue
		}
		start := time.Now()
		t, err := r.hunt(ctx, top, n, o)
		fmt.Printf("%-15s %s, in %s\n", r.name, t, time.Since(start).Round(time.Second))
		if err != nil {
			return err
		}
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
	r := &room{name: name, dir: filepath.Join(top, name), skip: o.skip}
	if o.rules != "" {
		all, err := readRules(top, name, o.rules)
		for _, m := range all {
			if o.only.MatchString(m.String()) {
				r.mutants = append(r.mutants, m)
			}
		}
		return r, err
	}
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

// hunt runs the first n mutants of a room that compile, and those that took too long once more, alone: the machine may
// have had other things to do. If it is cut off it returns what is known by then.
func (r *room) hunt(ctx context.Context, top string, n int, o options) (tally, error) {
	scratch, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return tally{}, err
	}
	defer os.RemoveAll(scratch)
	if err := r.measure(ctx, scratch, o.run); err != nil {
		return tally{}, err
	}
	faults := make(chan error, o.jobs)
	h := &hunter{room: r, top: top, left: n, verbose: o.verbose}
	for range o.jobs {
		go func() { faults <- h.judgeThem(ctx) }()
	}
	var fault error
	for range o.jobs {
		fault = cmp.Or(fault, <-faults)
	}
	for _, m := range h.slow {
		verdict, err := r.judge(ctx, top, m)
		if err != nil {
			return h.tally, cmp.Or(fault, err)
		}
		h.count(m, verdict)
	}
	return h.tally, fault
}

// A hunter judges mutants of a room, several at a time.
type hunter struct {
	*room
	top     string
	verbose bool
	mu      sync.Mutex // of what follows, and of room.mutants
	left    int        // so many are still wanted
	slow    []mutant   // they took too long
	tally
}

// judgeThem judges one mutant after the other until enough compiled.
func (h *hunter) judgeThem(ctx context.Context) error {
	for {
		m, ok := h.next()
		if !ok {
			return nil
		}
		verdict, err := h.judge(ctx, h.top, m)
		if err != nil {
			return err
		}
		h.mu.Lock()
		switch verdict {
		case noMutant:
			h.left++
		case tookTooLong:
			h.slow = append(h.slow, m)
		default:
			h.count(m, verdict)
		}
		h.mu.Unlock()
	}
}

// next returns the next mutant, if one is wanted.
func (h *hunter) next() (mutant, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.left == 0 || len(h.mutants) == 0 {
		return mutant{}, false
	}
	m := h.mutants[0]
	h.mutants = h.mutants[1:]
	h.left--
	return m, true
}

// count counts a mutant that compiles, and prints it.
func (h *hunter) count(m mutant, verdict string) {
	h.judged++
	switch {
	case verdict == lived:
		fmt.Printf("lived  %s\n", m)
		return
	case h.verbose:
		fmt.Printf("found  %s: %s\n", m, verdict)
	}
	h.found++
}
