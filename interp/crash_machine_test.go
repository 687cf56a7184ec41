package interp_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp"
	"ftsh/interp/durable"
	"ftsh/interp/journal"
	"ftsh/interp/journal/memory"
	"ftsh/interp/world"
)

// A machine outlives a shell: it has a disk, a clock, and a ledger of what programs did.
type machine struct {
	script  *ast.File
	fs      *memory.FS
	dice    *rand.Rand
	wrong   mutation
	streams texts

	mu       sync.Mutex
	began    time.Duration // on the clock, when the shell was started
	before   time.Duration // up to when losses were accounted for
	started  time.Time     // the same in the time of the test
	points   int           // at which the shell could have died in this life
	crashAt  int           // the shell dies at this one; 0: it does not
	died     time.Duration // when it did
	dead     chan struct{} // closed then
	kill     func()
	units    []*execution
	asked    map[string]int // what programs in verify groups did, and how often
	losses   map[string]loss
	cut      time.Duration   // when a limit last ended a program
	answered int             // decisions of a person
	deaths   map[deathAt]int // of shells, by where
	// nobody can tell what comes after: a try may make one attempt more, or a limit passed just then
	loose bool
	err   error // what is wrong with the ledger
}

// A deathAt is where a shell died: at a point of a kind, in a structure.
type deathAt struct{ point, structure string }

var structureStep = regexp.MustCompile(`([a-z]+)\d*/\d+$`)

// placeOf is that of a point. With the lock held.
func (m *machine) placeOf(point string) deathAt {
	if before, _, isCall := strings.Cut(point, " /"); isCall { // of the file system
		point = before
	}
	p := deathAt{point, "none"}
	if len(m.units) > 0 {
		if found := structureStep.FindStringSubmatch(m.units[len(m.units)-1].path); found != nil {
			p.structure = found[1]
		}
	}
	return p
}

// execution is one execution of a unit.
type execution struct {
	path   string
	branch string        // of forall, as .0.1
	ended  bool          // by itself
	at     time.Duration // when
	past   bool          // it began in an earlier life
	lost   bool          // and had not ended when that did
	said   []string
}

// A loss says what becomes of a unit that was under way when the shell died.
type loss struct {
	spent time.Duration // until the shell died
	taken string        // for what: unknown, again or happened
}

func newMachine(script *ast.File, seed uint64) *machine {
	dice := rand.New(rand.NewPCG(seed, 1))
	return &machine{script: script, dice: dice, fs: memory.New(dice), asked: map[string]int{}, losses: map[string]loss{},
		deaths: map[deathAt]int{}}
}

// Now returns the time of the clock, which stands while no shell lives.
func (m *machine) Now() time.Duration { return m.began + time.Since(m.started) }

func (m *machine) AfterFunc(at time.Duration, f func()) backoff.Timer {
	return time.AfterFunc(at-m.Now(), f)
}

// pass is a point at which the shell may die.
func (m *machine) pass(point string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.points++; m.points == m.crashAt {
		m.died = m.Now()
		m.deaths[m.placeOf(point)]++
		m.loose = m.loose || m.died == m.cut && m.cut > 0 || slices.ContainsFunc(m.units, m.justEnded)
		close(m.dead)
		m.kill()
	}
}

// justEnded reports whether a unit in a branch of a forall ended at the moment at which the shell died: then others
// may fail before the branch or after it.
func (m *machine) justEnded(e *execution) bool { return e.branch != "" && e.ended && e.at == m.died }

func (m *machine) isDead() bool {
	select {
	case <-m.dead:
		return true
	default:
		return false
	}
}

// fault keeps a dead shell from writing.
func (m *machine) fault(_, _ string, length int) (int, error) {
	if m.isDead() {
		return 0, unix.EIO
	}
	return length, nil
}

// noted calls what writes to the ledger, if the shell lives.
func (m *machine) noted(write func()) (alive bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.isDead() {
		return false
	}
	write()
	return true
}

// unit runs a unit.
func (m *machine) unit(u *interp.Unit, run func() error) error {
	if err := u.Check(); err != nil && !m.isDead() {
		m.fail(err)
	}
	m.wrong.before(u)
	m.pass("begun")
	if again, err := m.replay(u); !again {
		return err
	}
	e := &execution{path: u.Path, branch: branchOf(u.Path)}
	m.noted(func() { m.units = append(m.units, e) })
	u.Say("begun")
	err := run()
	m.noted(func() { e.ended, e.at = true, m.Now() })
	m.wrong.after(u)
	m.pass("done")
	return err
}

// replay does in a life without a crash what has become of a unit in one with crashes. again: it runs.
func (m *machine) replay(u *interp.Unit) (again bool, err error) {
	if m.crashAt >= 0 { // it is none
		return true, nil
	}
	l := m.losses[u.Path]
	time.Sleep(l.spent)
	switch l.taken {
	case "unknown":
		return false, u.Unknown()
	case "happened":
		return false, nil
	}
	return true, nil
}

func (m *machine) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.err = err
	}
}

var branchStep = regexp.MustCompile(`branch(\d+)`)

// branchOf is the branches of forall that a unit is in.
func branchOf(path string) string {
	var branch strings.Builder
	for _, found := range branchStep.FindAllStringSubmatch(path, -1) {
		branch.WriteString("." + found[1])
	}
	return branch.String()
}

// at gives the unit under way that a program in that branch belongs to; nil: it is in a verify group.
func (m *machine) at(branch string) *execution {
	var found *execution
	for _, e := range m.units {
		if !e.ended && !e.past && strings.HasPrefix(branch, e.branch) &&
			(found == nil || len(found.branch) <= len(e.branch)) {
			found = e
		}
	}
	return found
}

// say writes to the ledger.
func (m *machine) say(branch, text string) {
	if e := m.at(branch); e != nil {
		e.said = append(e.said, fmt.Sprint(m.Now().Truncate(10*time.Microsecond), " ", text))
	} else {
		m.asked[branch+" "+text]++
	}
}

// Run runs a program: `act NAME STATUS BRANCH WORD…` or `say BRANCH TEXT`. The status may be a
// number, or N<M, which is 1 as long as N is less than M.
func (m *machine) Run(ctx context.Context, c *world.Command) (world.Status, error) {
	m.pass("start")
	branch, status := c.Args[1], "0"
	if c.Args[0] != "say" {
		status, branch = c.Args[2], c.Args[3]
	}
	branch = strings.TrimPrefix(branch, "m")
	text := strings.Join(c.Args, " ") + exported(c.Env)
	if !m.noted(func() { m.say(branch, text) }) {
		return world.Status{Code: 99}, nil
	}
	if c.Args[0] == "say" {
		m.streams.write(c.Files[1], c.Args[2]+"\n")
	}
	if c.Args[0] != "ask" { // a verify group that is run again must take no time
		if err := m.work(ctx, text); err != nil {
			return world.Status{}, err
		}
	}
	m.noted(func() { m.say(branch, "end of "+c.Args[1]) })
	m.pass("end")
	return world.Status{Code: statusOf(status)}, nil
}

// work takes the time that a program takes.
func (m *machine) work(ctx context.Context, text string) error {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	sum := h.Sum64()
	took := time.NewTimer(time.Duration(sum%4)*300*time.Millisecond + time.Duration(sum%9973)*10*time.Microsecond)
	defer took.Stop()
	select {
	case <-took.C:
		return nil
	case <-m.dead:
		return nil
	case <-ctx.Done():
		m.noted(func() { m.cut = m.Now() })
		return context.Cause(ctx)
	}
}

func exported(environ []string) string {
	for _, entry := range environ {
		if strings.HasPrefix(entry, "E=") {
			return " " + entry
		}
	}
	return ""
}

func statusOf(text string) int {
	n, m, compared := strings.Cut(text, "<")
	left, _ := strconv.Atoi(n)
	right, _ := strconv.Atoi(m)
	switch {
	case !compared:
		return left
	case left < right:
		return 1
	}
	return 0
}

func (m *machine) Rest() {}

// disk is the file system of the journal.
func (m *machine) disk() journal.FS {
	if m.wrong == "no sync before the start" {
		return unsynced{m.fs}
	}
	return m.fs
}

// live runs a shell until the script ends or the shell dies.
func (m *machine) live(crashAt int) (ended bool, err error) {
	ctx, kill := context.WithCancel(context.Background())
	defer kill()
	m.points, m.crashAt, m.dead, m.kill, m.started = 0, crashAt, make(chan struct{}), kill, time.Now()
	m.fs.Fault = m.fault
	defer func() {
		kill()
		synctest.Wait() // for what hears of that
		if !m.isDead() {
			m.died = m.Now()
		}
		m.began = m.died + time.Nanosecond // so that what goes on then comes after what was at the same time
		m.fs.Fault = nil
	}()
	j, err := journal.Open("/j", journal.Config{FS: m.disk(), Machine: "m", Host: "h", Hook: m.pass})
	if err != nil {
		if !m.isDead() {
			m.fail(err)
		}
		return false, nil
	}
	defer j.Close()
	if err, finished := interp.Finished(j.Image()); finished {
		return true, err
	}
	d := &durable.Script{Journal: j, Canonical: canonical, Wall: func() time.Time { return time.Unix(0, int64(m.Now())) }}
	config := interp.Config{
		World: m.world(), Durable: d, Seed: 1,
		Script: interp.Script{Name: "script", Dir: "/", Files: []int{noText, noText, noText}, PID: 7},
	}
	if !m.goOn(config) {
		return false, nil
	}
	r := interp.New(config)
	r.Around(m.unit)
	err = r.Run(ctx, m.script)
	return !m.isDead(), err
}

// goOn sees what the journal kept of the life before, and decides what is undecided.
func (m *machine) goOn(config interp.Config) (alive bool) {
	d := config.Durable
	if err := d.Differs(m.script, nil, false); err != nil {
		m.fail(err)
		return false
	}
	m.account(interp.OpenUnits(d))
	m.decide(config)
	m.wrong.meanwhile(d)
	return !m.isDead()
}

// account compares the units that the journal has as begun and not ended with those that were under way.
func (m *machine) account(open map[string]time.Duration) {
	for i, e := range m.units {
		began, isOpen := open[e.path]
		switch {
		case e.past:
			continue
		case !e.ended && !isOpen:
			m.fail(fmt.Errorf("%s was under way when the shell died, and the journal does not know that", e.path))
		case isOpen && slices.ContainsFunc(m.units[i+1:], func(later *execution) bool { return later.branch == e.branch }):
			m.fail(fmt.Errorf("%s had ended before others began at %v, and the journal does not know that", e.path, began))
		}
		e.past, e.lost = true, isOpen
	}
	for path, began := range open {
		l := m.losses[path]
		l.spent += m.began - max(began, m.before)
		if l.taken = "unknown"; strings.Contains(path, "/finally/") {
			l.taken = "again"
		}
		m.losses[path] = l
	}
	m.before = m.began
}

// decide answers for a person.
func (m *machine) decide(config interp.Config) {
	d := config.Durable
	for u := interp.Undecided(config, m.script); len(u) > 0 && !m.isDead(); u = interp.Undecided(config, m.script) {
		first, err := u[0], error(nil)
		m.answered++
		l := m.losses[first.Node]
		if m.dice.IntN(2) == 0 && !first.Captures {
			l.taken = "happened"
			err = d.Answer(u[:1], none, all)
		} else {
			m.loose = m.loose || first.Grant != ""
			l.taken, err = "again", d.Answer(u[:1], all, none)
		}
		m.losses[first.Node] = l
		if err != nil && !m.isDead() {
			m.fail(err)
			return
		}
	}
}

// world is the machine as a world. Its streams are texts, and any directory is there.
func (m *machine) world() world.World { return textWorld{findsAll{at(m, m)}, &m.streams} }
