package interp_test

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"text/tabwriter"

	"ftsh/ast"
	"ftsh/interp"
	"ftsh/interp/durable"
	"ftsh/interp/journal"
	"ftsh/testdata/skip"
)

// histories are the lives of one script: without a crash, and with one or two at each point.
type histories struct {
	script *ast.File
	seed   uint64
	wrong  mutation
	known  map[string]*machine // lives without a crash, by what is lost in them
	tried  int
	asked  int // for decisions
	deaths map[deathAt]int
}

// run tries them at points so far apart, until one goes wrong. most: no more than so many.
func (h *histories) run(first, apart, most int) error {
	h.deaths = map[deathAt]int{}
	whole := newMachine(h.script, h.seed)
	if _, err := whole.live(-1); whole.err != nil {
		return fmt.Errorf("without a crash (%v): %w", err, whole.err)
	}
	points := whole.points
	for at := first; at <= points && h.tried < most; at += apart {
		for _, second := range []int{0, 1 + (at*7+int(h.seed))%points} {
			h.tried++
			if err := h.crash(at, second); err != nil {
				return fmt.Errorf("crash at %d of %d, and at %d: %w", at, points, second, err)
			}
		}
	}
	return nil
}

// crash has the shell die at a point, and at another in its second life.
func (h *histories) crash(at, second int) error {
	m := newMachine(h.script, h.seed*1e6+uint64(at)*1000+uint64(second))
	m.wrong = h.wrong
	var ended bool
	var err error
	for _, point := range []int{at, second, 0} {
		if ended, err = m.live(point); ended || m.err != nil {
			break
		}
		if m.dice.IntN(2) == 0 {
			m.fs.Cut()
		} else {
			m.fs.Kill()
		}
	}
	h.asked += m.answered
	for at, n := range m.deaths {
		h.deaths[at] += n
	}
	if m.err != nil || m.loose {
		return m.err
	}
	return m.like(h.without(m.losses), err)
}

// without is a life without a crash in which the same units are lost.
func (h *histories) without(losses map[string]loss) *machine {
	key := fmt.Sprint(losses)
	if h.known[key] == nil {
		m := newMachine(h.script, h.seed)
		m.losses = losses
		_, m.err = m.live(-1)
		h.known[key] = m
	}
	return h.known[key]
}

// like compares the ledger with that of a life without a crash.
func (m *machine) like(want *machine, err error) error {
	if got, want := fmt.Sprint(err), fmt.Sprint(want.err); got != want {
		return fmt.Errorf("it ended with %s, wanted %s\n%s", got, want, m.told())
	}
	got, wanted := m.told(), want.told()
	if got != wanted {
		return fmt.Errorf("the ledger is\n%s\nwanted\n%s\nlost: %v", got, wanted, m.losses)
	}
	for text, n := range want.asked {
		if m.asked[text] < n || m.asked[text] > 3*n {
			return fmt.Errorf("asked %d times, wanted %d: %s", m.asked[text], n, text)
		}
	}
	return nil
}

// told is the ledger: what ran in each branch, in its order. What was lost is left out.
func (m *machine) told() string {
	branches := map[string][]string{}
	for _, e := range m.units {
		if !e.lost {
			branches[e.branch] = append(branches[e.branch], e.path+": "+strings.Join(slices.Sorted(slices.Values(e.said)), "; "))
		}
	}
	var text strings.Builder
	for _, branch := range slices.Sorted(maps.Keys(branches)) {
		fmt.Fprintf(&text, "branch %s\n  %s\n", branch, strings.Join(branches[branch], "\n  "))
	}
	return text.String()
}

// A mutation makes a shell do something wrong, to see that it is found.
type mutation string

var mutations = []mutation{
	"no sync before the start", "begun taken for ended", "the end written before the effect", "a wait not restored",
	"an unmarked change of state",
}

func (w mutation) before(u *interp.Unit) {
	if w == "the end written before the effect" {
		u.End()
	}
}

func (w mutation) after(u *interp.Unit) {
	if w == "an unmarked change of state" {
		u.Forget()
	}
}

func (w mutation) meanwhile(d *durable.Script) {
	switch w {
	case "begun taken for ended":
		interp.EndAll(d)
	case "a wait not restored":
		interp.Unwait(d)
	}
}

// unsynced is a file system whose syncs do nothing.
type unsynced struct{ journal.FS }

func (u unsynced) Open(path string, flag int) (journal.File, error) {
	file, err := u.FS.Open(path, flag)
	return unsyncedFile{file}, err
}

type unsyncedFile struct{ journal.File }

func (unsyncedFile) Sync() error { return nil }

// TestCrashHistories has shells die at each point of random scripts. FTSH_CRASH_HISTORIES says how often.
func TestCrashHistories(t *testing.T) {
	t.Parallel()
	count := skip.Times(20_000, 400)
	if said := os.Getenv("FTSH_CRASH_HISTORIES"); said != "" {
		count, _ = strconv.Atoi(said)
	}
	first, _ := strconv.ParseUint(os.Getenv("FTSH_CRASH_SEED"), 10, 64)
	tried, asked, wrong, deaths := 0, 0, 0, map[deathAt]int{}
	for seed := first + 1; tried < count; seed++ {
		h, err := randomHistories(t, seed, 12, 400, "")
		tried, asked = tried+h.tried, asked+h.asked
		for at, n := range h.deaths {
			deaths[at] += n
		}
		if err != nil {
			t.Error(err)
			if wrong++; wrong == 3 {
				break
			}
		}
	}
	t.Logf("%d histories, %d decisions by a person; where shells died:\n%s", tried, asked, tableOf(deaths))
}

// tableOf has a row for each point and a column for each structure.
func tableOf(deaths map[deathAt]int) string {
	points, structures := map[string]bool{}, map[string]bool{}
	for at := range deaths {
		points[at.point], structures[at.structure] = true, true
	}
	columns := slices.Sorted(maps.Keys(structures))
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\t%s\t\n", strings.Join(columns, "\t"))
	for _, point := range slices.Sorted(maps.Keys(points)) {
		fmt.Fprintf(w, "%s\t", point)
		for _, structure := range columns {
			fmt.Fprintf(w, "%d\t", deaths[deathAt{point, structure}])
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush()
	return text.String()
}

// TestCrashMutants holds that histories show what a shell does wrong.
func TestCrashMutants(t *testing.T) {
	for _, wrong := range mutations {
		t.Run(string(wrong), func(t *testing.T) {
			tried := 0
			for seed := uint64(1); seed < 40; seed++ {
				h, err := randomHistories(t, seed, 12, 400, wrong)
				tried += h.tried
				if err != nil {
					text, _, _ := strings.Cut(err.Error(), "\n")
					t.Logf("history %d: %s", tried, text)
					return
				}
			}
			t.Errorf("%d histories do not show it", tried)
		})
	}
}

// randomHistories tries those of a random script.
func randomHistories(t *testing.T, seed uint64, size, most int, wrong mutation) (h *histories, err error) {
	text := randomScript(seed, size)
	synctest.Test(t, func(t *testing.T) {
		h = &histories{script: parse(t, text), seed: seed, wrong: wrong, known: map[string]*machine{}}
		if err = h.run(1, 1, most); err != nil {
			err = fmt.Errorf("script %d: %w\n%s", seed, err, numbered(text))
		}
	})
	return h, err
}

func numbered(text string) string {
	var w strings.Builder
	for i, line := range strings.Split(text, "\n") {
		_, _ = io.WriteString(&w, fmt.Sprintf("%3d %s\n", i, line))
	}
	return w.String()
}
