package durable

import (
	"cmp"
	"context"
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

	Grant string // the node of the try that has no attempt left; "": there is none
}

// Undecided lists the units that somebody has to decide about before the script can go on. clock is
// what the clock of the machine shows.
func (s *Script) Undecided(clock time.Duration) []Undecided {
	now := s.time(clock)
	list := undecided(s.Journal.Image(), now)
	for i := range list {
		if begin := new(Unit); read(s.Journal.Image(), list[i].Node, keyBegin, begin) {
			list[i].Began = time.Unix(0, int64(begin.Time+begin.Apart))
			list[i].ClockSet = s.wallNow() - now - begin.Apart
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
	slices.SortStableFunc(s.found, func(a, b Undecided) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line)
	})
	for i := range s.found {
		s.found[i].Number = i + 1
	}
	return s.found
}

// mostItem limits the characters of an item that are shown.
const mostItem = 80

// search goes over the tree of a journal.
type search struct {
	image *journal.Image
	now   time.Duration
	found []Undecided
}

func (s *search) node(path string) {
	var begin Unit
	if _, ended := s.image.Get(path, keyEnd); !ended && read(s.image, path, keyBegin, &begin) && !begin.IsAwaited() {
		if decided, grant := s.decided(path); !decided {
			var said savedLine
			read(s.image, path, keySaid, &said)
			s.found = append(s.found, Undecided{
				File: begin.File, Line: int(begin.Line), Text: begin.Text, Began: time.Unix(0, int64(begin.Time)),
				Attempt: begin.Attempt, Captures: begin.Captures, Node: path, Grant: grant,
				Items: s.items(path), Said: said.Text, SaidAt: time.Unix(0, int64(said.Time)),
			})
		}
	}
	for _, child := range UnderWay(s.image, path) {
		s.node(join(path, child))
	}
}

// items returns what the loops over items around a unit have come to, the outermost first.
func (s *search) items(path string) (list []string) {
	for end, c := range path {
		if c != '/' {
			continue
		}
		within, _, _ := strings.Cut(path[end+1:], "/")
		i, err := strconv.Atoi(strings.TrimPrefix(strings.TrimPrefix(within, Item.name()), Fork.name()))
		var items Items
		if err != nil || !read(s.image, path[:end], KeyItems, &items) {
			continue
		}
		first := 0
		read(s.image, path[:end], KeyFirst, &first)
		if text, found := items.text((first + i) % max(1, len(items.Values), items.Count)); found {
			list = append(list, items.Name+"="+ast.OneLine(text, mostItem))
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
		case within == Finally.name(): // it is run again
			return true, ""
		case strings.HasPrefix(within, Fork.name()):
			if s.cancelled(path) {
				return true, ""
			}
		case strings.HasPrefix(within, Item.name()):
			decided = decided || s.another(path, within)
		case strings.HasPrefix(within, Attempt.name()):
			decided, grant = s.byTry(path, decided, grant)
		}
	}
}

// byTry is decided for what a try adds to what stands within it.
func (s *search) byTry(path string, decided bool, grant string) (bool, string) {
	var clauses Clauses
	var try Try
	if !read(s.image, path, KeyTry, &clauses) || !read(s.image, path, KeyProgress, &try) {
		return decided, grant
	}
	passed := clauses.Limit != 0 && s.now >= clauses.Start+clauses.Limit
	if passed && !s.granted(path) {
		decided, grant = false, ""
	}
	decided = decided || clauses.Verifies || clauses.Catches || clauses.Limited && (s.granted(path) ||
		!passed && clauses.Repeats && (clauses.Attempts < 0 || try.Number < clauses.Attempts))
	if !decided && grant == "" && clauses.Limited {
		grant = path
	}
	return decided, grant
}

// granted reports whether a person has allowed a try one attempt more.
func (s *search) granted(path string) bool {
	var text string
	return read(s.image, path, KeyGranted, &text) && text != ""
}

// cancelled reports whether a branch of a forall has failed and so ends the others.
func (s *search) cancelled(path string) bool {
	var keepgoing bool
	read(s.image, path, KeyKeepgoing, &keepgoing)
	for _, key := range s.image.Keys(path) {
		var end branchEnd
		if strings.HasPrefix(key, keyEnded) && read(s.image, path, key, &end) && end.Failed {
			return !keepgoing
		}
	}
	return false
}

// another reports whether a forany has an alternative left.
func (s *search) another(path, within string) bool {
	var items Items
	if _, any := s.image.Get(path, KeyFirst); !any || !read(s.image, path, KeyItems, &items) {
		return false
	}
	n, _ := strconv.Atoi(strings.TrimPrefix(within, Item.name()))
	return n+1 < max(len(items.Values), items.Count)
}

// Again takes an undecided unit for one that has done nothing: it is run again; in a try that may make
// no further attempt, by one more.
func (s *Script) Again(u Undecided) error {
	var try Try
	if u.Grant == "" || !read(s.Journal.Image(), u.Grant, KeyProgress, &try) {
		return s.decide("again", Change{Path: u.Node, Key: keyBegin}, Change{Path: u.Node, Key: keySaid})
	}
	attempt := u.Grant + "/" + Attempt.Nth(try.Number).String()
	return s.decide("again", Change{Path: attempt, Drop: true}, Set(u.Grant, KeyGranted, u.Text))
}

// Happened takes an undecided unit for one that has done its work.
func (s *Script) Happened(u Undecided) error {
	if u.Captures {
		return (&Unit{File: u.File, Line: int32(u.Line), Text: u.Text}).cannotBeDone()
	}
	return s.decide("happened", Change{Path: u.Node, Key: keySaid}, Set(u.Node, keyEnd, struct{}{}))
}

// decide writes what a person has decided.
func (s *Script) decide(kind string, changes ...Change) error {
	return s.Journal.Sync(context.Background(), s.Journal.Write(journal.Record{Kind: kind, Changes: changes}))
}
