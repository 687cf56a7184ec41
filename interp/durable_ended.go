package interp

import (
	"context"
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
func (d *Durable) noteEnd(node string, pos ast.Pos, err error, mark journal.Mark) {
	d.ends.mu.Lock()
	defer d.ends.mu.Unlock()
	list := d.ends.list
	for len(list) > 0 && list[0].mark != 0 && d.Journal.IsSynced(list[0].mark) {
		list = list[1:]
	}
	d.ends.list = append(list, EndedUnit{
		Node: node, File: sourceName(pos), Line: int(pos.Line), Text: statementText(pos), Status: statusOf(err), mark: mark,
	})
}

// noteLost keeps the end of a unit of which nothing is written any more, since the journal cannot be written. What the
// shell itself has ended for that is as good as under way.
func (d *durable) noteLost(node string, pos ast.Pos, err error) {
	if failure := asFailure(err); d.Journal.Err() != nil && (failure == nil || failure.cut == nil) {
		d.noteEnd(node, pos, err, 0)
	}
}

// Unrecorded syncs the journal for the last time, and gives the units that have ended without an end in it.
func (d *Durable) Unrecorded() (list []EndedUnit) {
	d.ends.mu.Lock()
	defer d.ends.mu.Unlock()
	for _, u := range d.ends.list {
		if u.mark == 0 || d.Journal.Sync(context.Background(), u.mark) != nil {
			list = append(list, u)
		}
	}
	return list
}

// statusOf is the status that something ended with. Leaving a function or a loop is a success.
func statusOf(err error) int {
	switch err := err.(type) {
	case *Exit:
		return err.Status
	case *Failure:
		return err.Status
	}
	return 0
}
