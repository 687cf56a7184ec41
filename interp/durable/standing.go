package durable

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"ftsh/interp/journal"
)

// Standing is one thing that a script is at, according to its journal: a command under way, or a wait. A
// script has several in a forall.
type Standing struct {
	File    string // of the command, or of the one whose failure is waited after; "": a sleep
	Line    int
	Item    string    // of the innermost loop; "": there is none
	Text    string    // in the script, or as it was run
	Node    string    // of the journal's tree
	Attempt int       // of the innermost try; 0: there is none
	Until   time.Time // the end of a wait; zero: there is none
}

// Standings gives what a script is at, in the order of its text. Between two commands it is at nothing. The statement
// is the number, from 0, of the one at the top level; -1: the script has not begun.
func Standings(image *journal.Image) (list []Standing, statement int) {
	statement = -1
	if text, begun := image.Get("", keyAt); begun {
		_ = json.Unmarshal(text, &statement)
	}
	list = standings(image, "", nil)
	slices.SortStableFunc(list, func(a, b Standing) int { return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line) })
	return list, statement
}

func standings(image *journal.Image, path string, list []Standing) []Standing {
	if s, at := standing(image, path); at {
		s.Node = path
		list = append(list, s)
	}
	for _, child := range UnderWay(image, path) {
		list = standings(image, join(path, child), list)
	}
	return list
}

// standing returns what a node is at, without those below it.
func standing(image *journal.Image, path string) (s Standing, at bool) {
	var begin Unit
	var progress struct {
		Try
		Last *struct {
			File    string `json:"file"`
			Line    int    `json:"line"`
			Command Text   `json:"command"`
		} `json:"last"`
	}
	var until time.Duration
	switch _, ended := image.Get(path, keyEnd); {
	case ended:
	case read(image, path, keyBegin, &begin):
		return Standing{
			File: begin.File, Line: int(begin.Line), Item: string(begin.Item), Text: begin.Text,
			Attempt: begin.Attempt,
		}, true
	case read(image, path, keyProgress, &progress) && progress.Phase == PhaseWait:
		s = Standing{Item: string(progress.Item), Attempt: progress.Number, Until: time.Unix(0, int64(progress.Wait))}
		if last := progress.Last; last != nil {
			s.File, s.Line, s.Text = last.File, last.Line, string(last.Command)
		}
		return s, true
	case read(image, path, keyWait, &until):
		return Standing{Until: time.Unix(0, int64(until))}, true
	}
	return s, false
}
