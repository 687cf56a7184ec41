package durable

import (
	"context"
	"slices"
	"sync"

	"ftsh/ast"
	"ftsh/interp/journal"
)

// EndedUnit is a unit that has ended, though the journal only says that it began: its end could not be written.
type EndedUnit struct {
	Node   string `json:"node"` // of the journal's tree
	File   string `json:"-"`
	Line   int    `json:"-"`
	Text   string `json:"-"` // in the script
	Status int    `json:"status"`

	mark journal.Mark // of the record of its end; 0: there is none
}

// endedUnits keeps the ends that may not be on disk yet. Safe for concurrent use.
type endedUnits struct {
	mu   sync.Mutex
	list []EndedUnit
}

// noteEnd keeps the end of a unit until it is on disk.
func (s *Script) noteEnd(node string, pos ast.Pos, text string, status int, mark journal.Mark) {
	s.ends.mu.Lock()
	defer s.ends.mu.Unlock()
	synced := func(u EndedUnit) bool { return u.mark != 0 && s.Journal.IsSynced(u.mark) }
	s.ends.list = append(slices.DeleteFunc(s.ends.list, synced), EndedUnit{
		Node: node, File: pos.SourceName(), Line: int(pos.Line), Text: text, Status: status, mark: mark,
	})
}

// Unrecorded syncs the journal for the last time, and gives the units that have ended without an end in it.
func (s *Script) Unrecorded() (list []EndedUnit) {
	s.ends.mu.Lock()
	defer s.ends.mu.Unlock()
	for _, u := range s.ends.list {
		if u.mark == 0 || s.Journal.Sync(context.Background(), u.mark) != nil {
			list = append(list, u)
		}
	}
	return list
}
