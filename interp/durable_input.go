package interp

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"ftsh/ast"
	durables "ftsh/interp/durable"
	"ftsh/interp/journal"
)

const keyGivenInput = "input:" // and its number: a descriptor that the shell was given to read from

// inputs are the descriptors of a durable script that the shell was given to read from. Their offsets are state of the
// script, which all its branches share.
type inputs struct {
	// order is held from where an offset is looked at until a record has it: none may say more than what is in the
	// records before it.
	order sync.Mutex

	mu      sync.Mutex // guards what follows
	list    map[int]*durables.Input
	changed []int // numbers, to be written
}

// open takes over what the shell was given, and what an earlier run had.
func (s *inputs) open(d *durable, files *streams) {
	s.list = map[int]*durables.Input{}
	for number, fd := range files {
		var saved durables.Saved
		var in *durables.Input
		resumed := d.read("", keyGivenInput+strconv.Itoa(number), &saved)
		switch {
		case number == 1 || number == 2: // output, which is where it is now
			continue
		case resumed:
			in = durables.Resume(number, saved, fd, d.rebooted)
		default:
			in, _ = durables.Describe(fd)
		}
		if in == nil {
			continue
		}
		files[number], s.list[number] = in.FD, in
		if !resumed || in.Saved != saved {
			s.changed = append(s.changed, number)
		}
	}
}

// close closes what was opened again.
func (s *inputs) close() {
	for _, in := range s.list {
		in.Close()
	}
}

// sample looks how far was read, files too, or only into pipes.
func (s *inputs) sample(files bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for number, in := range s.list {
		if (files || in.Kind != durables.File) && in.Sample() && !slices.Contains(s.changed, number) {
			s.changed = append(s.changed, number)
		}
	}
}

// unwritten takes the changes that the journal does not have yet.
func (s *inputs) unwritten() (list []journal.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, number := range s.changed {
		list = append(list, change("", keyGivenInput+strconv.Itoa(number), s.list[number].Saved))
	}
	s.changed = s.changed[:0]
	return list
}

// find gives the input that a stream is; nil: it is another.
func (s *inputs) find(stream int) *durables.Input {
	for _, in := range s.list {
		if in.FD == stream && stream != closed {
			return in
		}
	}
	return nil
}

// lostInput is the failure of what would read from a stream that a continued script cannot go on with; nil: none of
// these streams is one.
func (f *frame) lostInput(list ...int) *Failure {
	if f.run.durable == nil {
		return nil
	}
	var reasons []string
	for _, stream := range list {
		if in := f.run.durable.inputs.find(stream); in != nil && in.Lost != "" {
			reasons = append(reasons, in.Lost)
		}
	}
	if reasons == nil {
		return nil
	}
	return failed(KindError, ast.Pos{}, strings.Join(slices.Compact(reasons), "; "))
}

// reading is called before a builtin of a durable script reads from a stream, and what it gives after that: then the
// journal has how far was read with what was read, in a branch at once, as others may read on. A read that has
// taken a line there has ended for the journal, too: done again, it would take the next one.
func (f *frame) reading(stream int) (leave func(taken bool)) {
	d := f.run.durable
	if d == nil || f.place == nil {
		return func(bool) {}
	}
	in := d.inputs.find(stream)
	if in == nil || in.Lost != "" {
		return func(bool) {}
	}
	beside := f.branch != 0 && in.Kind == durables.File // to read from others may take long
	if beside {
		d.inputs.order.Lock()
	}
	return func(taken bool) {
		d.inputs.mu.Lock()
		if in.Kind != durables.File && !in.Read {
			in.Read = true
			d.inputs.changed = append(d.inputs.changed, d.inputs.number(in))
		}
		d.inputs.mu.Unlock()
		d.inputs.sample(true)
		if beside {
			changes := d.inputs.unwritten()
			if taken {
				changes = append(changes, change(f.place.here(), keyEnd, d.saveEnding(nil)))
			}
			f.record("read", nil, changes...)
			f.place.below = true
			d.inputs.order.Unlock()
		}
	}
}

// number is that of an input.
func (s *inputs) number(in *durables.Input) int {
	for number, other := range s.list {
		if other == in {
			return number
		}
	}
	return closed
}
