package interp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/interp/journal"
)

// Undecided is a unit that was under way when the shell ended, and that nothing around it
// repeats, verifies or catches: a person has to say what to take it for.
type Undecided struct {
	Number   int // from 1, in the order of the script
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

	grant string // the node of the try that has no attempt left; "": there is none
}

// Undecided lists the units that somebody has to decide about before the script can go on. clock is
// what the clock of the machine shows.
func (d *Durable) Undecided(clock time.Duration) []Undecided {
	now := d.time(clock)
	list := undecided(d.Journal.Image(), now)
	for i := range list {
		if begin := new(begun); read(d.Journal.Image(), list[i].Node, keyBegin, begin) {
			list[i].Began = time.Unix(0, int64(begin.Time+begin.Apart))
			list[i].ClockSet = d.wallNow() - now - begin.Apart
		}
	}
	return list
}

// UndecidedIn lists those of a journal that is only read; now is the date and time.
func UndecidedIn(image *journal.Image, now time.Time) []Undecided {
	var last moment
	read(image, "", keyNow, &last)
	return undecided(image, max(time.Duration(now.UnixNano()), last.Time))
}

func undecided(image *journal.Image, now time.Duration) []Undecided {
	if _, finished := image.Get("", keyResult); finished {
		return nil
	}
	s := search{image: image, now: now}
	s.node("")
	slices.SortStableFunc(s.found, func(a, b Undecided) int { return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line) })
	for i := range s.found {
		s.found[i].Number = i + 1
	}
	return s.found
}

// search goes over the tree of a journal.
type search struct {
	image *journal.Image
	now   time.Duration
	found []Undecided
}

func (s *search) node(path string) {
	var begin begun
	if _, ended := s.image.Get(path, keyEnd); !ended && read(s.image, path, keyBegin, &begin) && !begin.awaited() {
		if decided, grant := s.decided(path); !decided {
			var said savedLine
			read(s.image, path, keySaid, &said)
			s.found = append(s.found, Undecided{
				File: begin.File, Line: int(begin.Line), Text: begin.Text, Began: time.Unix(0, int64(begin.Time)),
				Attempt: begin.Attempt, Captures: begin.Captures, Node: path, grant: grant,
				Items: s.items(path), Said: said.Text, SaidAt: time.Unix(0, int64(said.Time)),
			})
		}
	}
	for _, child := range s.image.Children(path) {
		if path != "" {
			child = path + "/" + child
		}
		s.node(child)
	}
}

// items are what the loops over items around a unit have come to, the outermost first.
func (s *search) items(path string) (list []string) {
	for end, c := range path {
		if c != '/' {
			continue
		}
		within, _, _ := strings.Cut(path[end+1:], "/")
		i, err := strconv.Atoi(strings.TrimPrefix(strings.TrimPrefix(within, inItem.String()), inFork.String()))
		var items savedItems
		if err != nil || !read(s.image, path[:end], keyItems, &items) {
			continue
		}
		first := 0
		read(s.image, path[:end], keyFirst, &first)
		if text, found := items.at((first + i) % max(1, len(items.Values), items.Count)); found {
			list = append(list, items.Name+"="+shortened(text, mostCommand))
		}
	}
	return list
}

// decided reports whether a structure around a unit would go on by itself if it failed; grant is the
// innermost try with limits that would not. Within a try whose limit has passed nothing goes on.
func (s *search) decided(path string) (decided bool, grant string) {
	for {
		cut := strings.LastIndexByte(path, '/')
		if cut < 0 {
			return decided, grant
		}
		within := path[cut+1:]
		path = path[:cut]
		switch {
		case within == inFinally.String(): // it is run again
			return true, ""
		case strings.HasPrefix(within, inFork.String()):
			if s.cancelled(path) {
				return true, ""
			}
		case strings.HasPrefix(within, inItem.String()):
			decided = decided || s.another(path, within)
		case strings.HasPrefix(within, inAttempt.String()):
			decided, grant = s.byTry(path, decided, grant)
		}
	}
}

// byTry is decided for what a try adds to what stands within it.
func (s *search) byTry(path string, decided bool, grant string) (bool, string) {
	var try savedHeader
	var progress tryProgress
	if !read(s.image, path, keyTry, &try) || !read(s.image, path, keyProgress, &progress) {
		return decided, grant
	}
	if try.Limit != 0 && s.now >= try.Start+try.Limit && !progress.Granted {
		decided, grant = false, ""
	}
	decided = decided || try.Verifies || try.Catches || s.mayRepeat(&try, &progress)
	if !decided && grant == "" && try.Limited {
		grant = path
	}
	return decided, grant
}

// cancelled reports whether a branch of a forall has failed and so ends the others.
func (s *search) cancelled(path string) bool {
	var keepgoing bool
	read(s.image, path, keyKeepgoing, &keepgoing)
	for _, key := range s.image.Keys(path) {
		var end savedEnding
		if strings.HasPrefix(key, keyEnded) && read(s.image, path, key, &end) && end.error(nil) != nil {
			return !keepgoing
		}
	}
	return false
}

// another reports whether a forany has an alternative left.
func (s *search) another(path, within string) bool {
	var items savedItems
	if _, any := s.image.Get(path, keyFirst); !any || !read(s.image, path, keyItems, &items) {
		return false
	}
	n, _ := strconv.Atoi(strings.TrimPrefix(within, inItem.String()))
	return n+1 < max(len(items.Values), items.Count)
}

// mayRepeat reports whether a try would make another attempt after a failure of kind unknown.
func (s *search) mayRepeat(try *savedHeader, progress *tryProgress) bool {
	h := try.header()
	for _, c := range try.Conditions {
		h.conditions = append(h.conditions, condition{from: c.From, to: c.To, kind: c.Kind})
	}
	switch {
	case !try.Limited:
		return false
	case progress.Granted:
		return true
	case try.Attempts >= 0 && progress.State.Attempts() >= try.Attempts:
		return false
	case try.Limit != 0 && s.now >= try.Start+try.Limit:
		return false
	}
	return h.worthwhile(failed(KindUnknown, ast.Pos{}, ""))
}

// Again takes an undecided unit for one that has done nothing: it is run again; in a try that may make
// no further attempt, by one more.
func (d *Durable) Again(u Undecided) error {
	image := d.Journal.Image()
	var progress tryProgress
	if u.grant == "" || !read(image, u.grant, keyProgress, &progress) {
		return d.decide("again", journal.Change{Path: u.Node, Key: keyBegin}, journal.Change{Path: u.Node, Key: keySaid})
	}
	progress.Granted = true
	failure := failed(KindUnknown, ast.Pos{}, "was under way when the shell ended; whether it did its work is unknown")
	failure.Command = u.Text
	progress.Last, progress.Before = saveFailure(failure), saveFailure(failure)
	attempt := u.grant + "/" + step{inAttempt, progress.Number}.String()
	return d.decide("again", journal.Change{Path: attempt, Drop: true}, change(u.grant, keyProgress, progress))
}

// Happened takes an undecided unit for one that has done its work.
func (d *Durable) Happened(u Undecided) error {
	if u.Captures {
		return fmt.Errorf("%s:%d: %s sets a variable, and what it would be is not known; "+
			"it can only be run again", u.File, u.Line, u.Text)
	}
	return d.decide("happened", journal.Change{Path: u.Node, Key: keySaid}, change(u.Node, keyEnd, saveEnding(nil)))
}

// Retry makes a script that has failed one that goes on before the statement that failed. The
// error says why it cannot.
func (d *Durable) Retry() error {
	image := d.Journal.Image()
	err, finished := Finished(image)
	at, known := image.Get("", keyAt)
	if !finished || err == nil || !known {
		return errors.New("the script has not failed")
	}
	return d.decide("again", journal.Change{Path: string(at), Drop: true}, journal.Change{Path: "", Key: keyResult})
}

// decide writes what a person has decided.
func (d *Durable) decide(kind string, changes ...journal.Change) error {
	return d.Journal.Sync(context.Background(), d.Journal.Write(journal.Record{Kind: kind, Changes: changes}))
}
