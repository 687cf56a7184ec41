package durable

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"ftsh/interp/durable/filestate"
)

const keyInput = "input:" // and its number: a descriptor that the shell was given to read from, or that a block reads

// Input is a descriptor that a script reads from: one that the shell was given, or that of a block with `< file`.
type Input struct {
	*filestate.Input
	path   string // the node of the block that reads it; "": the shell was given it
	number int    // as what descriptor
}

// inputs are the descriptors from which a durable script reads files: those that the shell was given, and those of
// blocks with `< file`. Their offsets are state of the script, which all its branches share.
type inputs struct {
	// order is held from where an offset is looked at until a record has it: none may say more than what is in the
	// records before it.
	order sync.Mutex

	mu      sync.Mutex // guards what follows
	list    []*Input
	changed []*Input // to be written
	secrets Secrets
}

// open takes over what the shell was given, and what an earlier run had.
func (s *inputs) open(script *Script, files []int) {
	s.list, s.secrets = nil, script.secrets
	for number, fd := range files {
		var saved filestate.Saved
		var in *filestate.Input
		resumed := script.read("", keyInput+strconv.Itoa(number), &saved)
		switch {
		case number == 1 || number == 2: // output stays as it is given
			continue
		case resumed:
			in = filestate.Resume(number, saved, fd, script.rebooted, false)
		default:
			in, _ = filestate.Describe(fd)
		}
		if in == nil {
			continue
		}
		files[number] = in.FD
		s.add(&Input{in, "", number}, !resumed || in.Saved != saved)
	}
}

// add keeps an input from now on.
func (s *inputs) add(in *Input, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, in)
	if changed {
		s.changed = append(s.changed, in)
	}
}

// close closes what was opened again.
func (s *inputs) close() {
	for _, in := range s.list {
		in.Close()
	}
}

// ResumeInput gives the file that the statement under way, which is a block, has read for an earlier run as that
// descriptor, at the offset where it stood; nil: nothing was read of it, and it is opened anew. Close it by
// [Script.CloseInput].
func (p *Place) ResumeInput(number int) *Input {
	var saved filestate.Saved
	if !p.Resumed() || !p.script.read(p.Here(), keyInput+strconv.Itoa(number), &saved) || !saved.Read {
		return nil
	}
	in := &Input{filestate.Resume(number, saved, -1, p.script.rebooted, true), p.Here(), number}
	p.below = true
	p.script.inputs.add(in, false)
	return in
}

// KeepInput has the offset of a file that the statement under way, which is a block, reads as that descriptor go into
// the journal until it is closed.
func (p *Place) KeepInput(number, fd int) *Input {
	file, kept := filestate.Describe(fd)
	if !kept {
		return nil
	}
	in := &Input{file, p.Here(), number}
	p.below = true
	p.script.inputs.add(in, true)
	return in
}

// CarryInput notes the offset of a block's input, for a script that fails within the block and goes on there.
func (p *Place) CarryInput(in *Input) {
	s := &p.script.inputs
	s.mu.Lock()
	in.Sample()
	change := s.change(in)
	s.mu.Unlock()
	p.Carry(change)
}

// CloseInput ends that, and closes what ResumeInput has opened. The descriptor that KeepInput was given must be open
// yet.
func (s *Script) CloseInput(in *Input) {
	s.inputs.mu.Lock()
	is := func(other *Input) bool { return other == in }
	s.inputs.list = slices.DeleteFunc(s.inputs.list, is)
	s.inputs.changed = slices.DeleteFunc(s.inputs.changed, is)
	s.inputs.mu.Unlock()
	in.Close()
}

// concerns reports whether what runs at a node may read from an input: those of blocks in other branches are their own.
func (in *Input) concerns(node string) bool {
	return in.path == "" || node == in.path || strings.HasPrefix(node, in.path+"/")
}

// sample looks how far was read by what runs at a node, files too, or only into pipes.
func (s *inputs) sample(node string, files bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, in := range s.list {
		if in.concerns(node) && (files || in.Kind != filestate.File) && in.Sample() && !slices.Contains(s.changed, in) {
			s.changed = append(s.changed, in)
		}
	}
}

// unwritten takes the changes that the journal does not have yet, of what concerns a node.
func (s *inputs) unwritten(node string) (list []Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = slices.DeleteFunc(s.changed, func(in *Input) bool {
		if !in.concerns(node) {
			return false
		}
		list = append(list, s.change(in))
		return true
	})
	return list
}

// change is that of an input.
func (s *inputs) change(in *Input) Change {
	saved := in.Saved
	if name := string(saved.Name); s.secrets.Hide(name) != name {
		saved.Name = "" // only by what a later run is given can that go on
	}
	return Set(in.path, keyInput+strconv.Itoa(in.number), saved)
}

// find gives the input that a stream is; nil: it is another.
func (s *inputs) find(stream int) *Input {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, in := range s.list {
		if in.FD == stream && stream >= 0 {
			return in
		}
	}
	return nil
}

// LostInput says why nothing can be read from one of these streams with which a continued script cannot go on; "": it
// can. Programs are given those of a block nevertheless, so that what was under way in it is finished: most do not
// read them.
func (s *Script) LostInput(program bool, streams ...int) string {
	if s == nil {
		return ""
	}
	var reasons []string
	for _, stream := range streams {
		if in := s.inputs.find(stream); in != nil && in.Lost != "" && !(program && in.Block) {
			reasons = append(reasons, in.Lost)
		}
	}
	return strings.Join(slices.Compact(reasons), "; ")
}

// Reading is called before the shell itself reads from a stream, and what it gives after that: then the journal has how
// far was read with what was read, in a branch at once, as others may read on. A statement that has taken a line there
// has ended for the journal, too, with success: done again, it would take the next one.
func (p *Place) Reading(state State, stream int) (leave func(taken bool)) {
	if p == nil {
		return func(bool) {}
	}
	all := &p.script.inputs
	in := all.find(stream)
	if in == nil || in.Lost != "" {
		return func(bool) {}
	}
	beside := p.beside && in.Kind == filestate.File // to read from others may take long
	if beside {
		all.order.Lock()
	}
	return func(taken bool) {
		all.noteRead(in)
		all.sample(p.Here(), true)
		if beside {
			changes := all.unwritten(p.Here())
			if taken {
				changes = append(changes, Set(p.Here(), keyEnd, struct{}{}))
			}
			p.Note(state, "read", changes...)
			all.order.Unlock()
		}
	}
}

// noteRead notes that something was read from an input, of which no offset tells it.
func (s *inputs) noteRead(in *Input) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in.Kind != filestate.File && !in.Read {
		in.Read = true
		s.changed = append(s.changed, in)
	}
}
