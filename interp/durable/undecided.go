package durable

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ftsh/ast"
)

// Undecided is a unit that was under way when the shell ended, and that nothing around it
// repeats, verifies or catches: a person has to say what to take it for.
type Undecided struct {
	Number   int // from 1, in the order of the script if they are told of together
	File     string
	Line     int
	Text     string // in the script
	Began    time.Time
	Attempt  int      // of the try around it; 0: there is none
	Items    []string // of the loops around it, as name=value
	Captures bool     // it sets variables, so it cannot be taken as a success
	Said     string   // the last line that it wrote to standard error; "": that is not known
	SaidAt   time.Time
	// ClockSet is by how much the date and time were set since it began.
	ClockSet time.Duration
	Node     string // of the journal's tree

	Grant string // the node of the try that has no attempt left; "": there is none
}

// An OpenUnit was under way when an earlier run ended, and a dry run has come to it.
type OpenUnit struct {
	node  string
	grant string // the innermost try around it with limits that makes no other attempt
}

// Open gives the unit that is the statement under way, in a dry run.
func (p *Place) Open() []*OpenUnit {
	if !p.script.dry {
		return nil
	}
	return []*OpenUnit{{node: p.Here()}}
}

// OpenBelow gives the units below the statement under way, in a dry run, that are under way.
func (p *Place) OpenBelow() []*OpenUnit {
	if !p.Resumed() {
		return nil
	}
	return openBelow(p.script.Image, p.Here(), nil)
}

// Missed tells of a call that was running in an expression of the statement under way, which has ended without coming
// to it: what its expressions say has changed since. The text is that of a unit in it that was under way, or the name
// of the function; "": there is none.
func (p *Place) Missed() (text string, open []*OpenUnit) {
	if !p.Resumed() || p.script.Suspending() {
		return "", nil
	}
	for _, child := range p.script.past.Children(p.Here()) {
		path := join(p.Here(), child)
		number, isCall := strings.CutPrefix(child, Call.name())
		_, returned := p.script.past.Get(p.Here(), keyReturned+number)
		var called calledFunction
		if isCall && !returned && !p.script.came.has(path) && p.script.read(path, keyFunction, &called) {
			text, open = called.Name, openBelow(p.script.past, path, nil)
		}
	}
	if len(open) > 0 {
		var begun Unit
		p.script.read(open[0].node, keyBegin, &begun)
		text = begun.Text
	}
	if !p.script.dry {
		open = nil
	}
	return text, open
}

// visited are the calls that were running, and to which this run has come.
type visited struct {
	mu sync.Mutex
	to map[string]bool // by their nodes
}

func (v *visited) note(node string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.to == nil {
		v.to = map[string]bool{}
	}
	v.to[node] = true
}

func (v *visited) has(node string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.to[node]
}

func openBelow(image *Image, path string, list []*OpenUnit) []*OpenUnit {
	var begun Unit
	if _, ended := image.Get(path, keyEnd); !ended && read(image, path, keyBegin, &begun) && !begun.IsAwaited() {
		return append(list, &OpenUnit{node: path})
	}
	if cancelled(image, path) {
		return list
	}
	for _, child := range UnderWay(image, path) {
		list = openBelow(image, join(path, child), list)
	}
	return list
}

// Refuse notes that the try which is the statement under way makes no other attempt after these; passed: nor does
// anything in it, since its limit has passed.
func (p *Place) Refuse(open []*OpenUnit, passed bool) {
	for _, u := range open {
		if u.grant == "" || passed {
			u.grant = p.Here()
		}
	}
}

// DryRun is the same script as one that starts nothing and writes nothing: it goes to where an earlier run was.
func (s *Script) DryRun() *Script {
	return &Script{Journal: s.Journal, Canonical: s.Canonical, Boot: s.Boot, Wall: s.Wall, Image: s.image(), dry: true}
}

// IsDry reports whether nothing begins that an earlier run has not begun.
func (s *Script) IsDry() bool { return s != nil && s.dry }

// errDry is why a dry run ends where a run that goes on would begin something.
var errDry = errors.New("nothing is run")

// Undecided tells of those units with which a dry run has ended. clock is what the clock of the machine shows.
func (s *Script) Undecided(open []*OpenUnit, clock time.Duration) (list []Undecided) {
	now, image := s.time(clock), s.image()
	loops := loopsOf(image)
	for _, u := range open {
		var begin Unit
		var said savedLine
		read(image, u.node, keyBegin, &begin)
		read(image, u.node, keySaid, &said)
		list = append(list, Undecided{
			File: begin.File, Line: int(begin.Line), Text: begin.Text,
			Began: time.Unix(0, int64(begin.Time+begin.Apart)), ClockSet: s.wallNow() - now - begin.Apart,
			Attempt: begin.Attempt, Captures: begin.Captures,
			Items: loops.around(u.node), Said: said.Text, SaidAt: time.Unix(0, int64(said.Time)),
			Node: u.node, Grant: u.grant,
		})
	}
	slices.SortStableFunc(list, func(a, b Undecided) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, cmp.Compare(a.Node, b.Node))
	})
	known := numbersIn(image)
	for i := range list {
		list[i].Number = known.of(list[i].Node)
	}
	return list
}

// AnyOpen reports whether a unit was under way when the shell ended: only then can one be undecided.
func AnyOpen(image *Image) bool {
	_, finished := image.Get("", keyResult)
	return !finished && anyOpen(image, "")
}

func anyOpen(image *Image, path string) bool {
	if _, ended := image.Get(path, keyEnd); !ended && read(image, path, keyBegin, new(Unit)) {
		return true
	}
	return slices.ContainsFunc(UnderWay(image, path), func(child string) bool {
		return anyOpen(image, join(path, child))
	})
}

// mostItem limits the characters of an item that are shown.
const mostItem = 80

// loops reads what the loops of a journal are about, each once: a forall may have thousands of items and of branches.
type loops struct {
	image *Image
	known map[string]*Items
}

func loopsOf(image *Image) loops { return loops{image, map[string]*Items{}} }

// around returns what the loops over items around a unit have come to, the outermost first.
func (l loops) around(path string) (list []string) {
	for end, c := range path {
		if c != '/' {
			continue
		}
		within, _, _ := strings.Cut(path[end+1:], "/")
		i, err := strconv.Atoi(strings.TrimPrefix(strings.TrimPrefix(within, Item.name()), Fork.name()))
		if err != nil {
			continue
		}
		items := l.known[path[:end]]
		if items == nil {
			items = &Items{}
			read(l.image, path[:end], keyItems, items)
			l.known[path[:end]] = items
		}
		if text, found := items.text(loopOf(l.image, path[:end]).Index(i, items.len())); found {
			list = append(list, items.Name+"="+ast.OneLine(text, mostItem))
		}
	}
	return list
}

// cancelled reports whether a branch of a forall has failed and so ends the others.
func cancelled(image *Image, path string) bool {
	var forall Forall
	read(image, path, keyForall, &forall)
	for _, key := range image.Keys(path) {
		var end branchEnd
		if strings.HasPrefix(key, keyEnded) && read(image, path, key, &end) && end.Failed {
			return !forall.Keepgoing
		}
	}
	return false
}
