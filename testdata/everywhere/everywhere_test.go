package everywhere

import (
	"flag"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
)

func TestMain(m *testing.M) { shelltest.Main(m, nil) }

// seed makes all random choices.
func seed(t testing.TB) uint64 {
	t.Helper()
	if text := os.Getenv("FTSH_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		must(t, err)
		return n
	}
	return rand.Uint64() % 1_000_000
}

// dice returns the random numbers of a script in a situation: they do not depend on what else is run.
func dice(seed uint64, names ...string) *rand.Rand {
	h := fnv.New64a()
	for _, name := range names {
		_, _ = h.Write([]byte(name + "\x00"))
	}
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// samples tells how many situations of each script, and of each cell of the matrix, are run, unless all are: of cells,
// every other one, or every third with the race detector, where a run takes several times as long.
func samples(s *script, seed uint64) (ofScript, ofMatrix int) {
	cells := 2
	if skip.UnderRace {
		cells = 3
	}
	if dice(seed, s.name, "sample").IntN(cells) == 0 {
		ofMatrix = 1
	}
	return 2, ofMatrix
}

// TestEverywhere runs the corpus.
func TestEverywhere(t *testing.T) {
	all := slices.DeleteFunc(situations(), func(sit *situation) bool { return sit.onSlurm })
	for _, sit := range all {
		if sit.needs != nil && sit.needs() != "" {
			skip.Say(t, "%s: %s", sit.name, sit.needs())
		}
	}
	all = slices.DeleteFunc(all, func(sit *situation) bool { return sit.needs != nil && sit.needs() != "" })
	runCorpus(t, all, samples)
}

// TestOnSlurm runs the corpus on a cluster: alone, as an array, with pilots.
func TestOnSlurm(t *testing.T) {
	if why := noSlurm(); why != "" {
		skip.Test(t, "%s", why)
	}
	all := slices.DeleteFunc(situations(), func(sit *situation) bool { return !sit.onSlurm })
	runCorpus(t, all, func(*script, uint64) (int, int) { return 1, 0 })
}

// runCorpus runs each script in so many of the situations, or in all that are named or if tests may take long.
func runCorpus(t *testing.T, all []*situation, samples func(*script, uint64) (ofScript, ofMatrix int)) {
	t.Helper()
	seed := seed(t)
	shelltest.Shell(t) // is built now, and not while a run is timed
	shelltest.Tracer(t)
	t.Logf("FTSH_SEED=%d", seed)
	w := &watch{ended: map[string]bool{}}
	t.Cleanup(func() { w.checkNobodyLeft(t) })
	for _, s := range corpus(t) {
		n, ofMatrix := samples(s, seed)
		switch named := strings.Count(flag.Lookup("test.run").Value.String(), "/") > 1; {
		case s.has("matrix") && !skip.Long() && !named:
			n = ofMatrix
		case skip.Long(), named:
			n = len(all)
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if n == 0 {
				return
			}
			defer w.scriptEnded(t, s.mark())
			s.everywhere(t, all, n, seed)
		})
	}
}

// everywhere runs a script plain, and then in n of the situations.
func (s *script) everywhere(t *testing.T, all []*situation, n int, seed uint64) {
	start := time.Now()
	plain := newPlace(t, s, dice(seed, s.name)).runIn(&situation{name: "plain"})
	took := time.Since(start)
	if s.want != "" && plain.stdout != s.want {
		t.Errorf("it wrote %q, want %q", plain.stdout, s.want)
	}
	if plain.stdout != "" {
		s.tags["writes stdout"] = true
	}
	if plain.stderr != "" {
		s.tags["writes stderr"] = true
	}
	for _, i := range dice(seed, s.name, "chosen").Perm(len(all))[:n] {
		sit := all[i]
		if s.has(sit.excepted()...) {
			continue
		}
		t.Run(sit.name, func(t *testing.T) {
			p := newPlace(t, s, dice(seed, s.name, sit.name))
			p.took = took
			got := p.runIn(sit)
			for _, difference := range differences(s, sit, plain, got) {
				t.Error(difference)
			}
			if t.Failed() {
				t.Logf("FTSH_SEED=%d\nscript:\n%s\nstderr:\n%.2000s", seed, p.get(p.code("script.ftsh")), p.get(p.side("stderr")))
			}
		})
	}
}

// excepted are the properties of scripts that cannot be in the situation.
func (sit *situation) excepted() (tags []string) {
	for _, e := range sit.not {
		tags = append(tags, e.tags...)
	}
	return tags
}
