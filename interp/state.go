package interp

import (
	"slices"
	"strconv"
	"strings"

	"ftsh/interp/durable"
)

// What the journal has of a frame is compared with what it is whenever a record is written, and the
// differences go with it. So nothing that changes the state has to say so, and nothing can forget to.

// The keys of a state. Variables stand under "v:NAME", locals under "l:NUMBER:NAME".
const (
	keyVariable = "v:"
	keyLocal    = "l:"
	keyFailed   = "error"
	keyHidden   = "unset"
	keyArgs     = "args" // of a function
	keyUmask    = "umask"
)

// Changes adds how the state differs from that in the journal.
func (f *frame) Changes(list []durable.Change) []durable.Change {
	st, k := f.state, f.state.kept
	for n := range st.vars {
		if n >= len(k.vars) {
			k.vars = append(k.vars, variable{})
		}
		if st.vars[n] == k.vars[n] {
			continue
		}
		k.vars[n] = st.vars[n]
		st.vars[n].shareValue()
		if name := f.run.names.Name(n); !f.run.secret.has(name) {
			list = append(list, durable.Set(k.path, keyVariable+name, f.run.saveVariable(name, st.vars[n])))
		}
	}
	list = f.directoryChanges(list)
	if failed := f.failure(); failed != k.failed || failed.toldOf() != k.told {
		k.failed, k.told = failed, failed.toldOf()
		list = append(list, durable.Set(k.path, keyFailed, f.run.saveFailure(failed)))
	}
	if len(st.hidden) != k.hidden {
		k.hidden = len(st.hidden)
		list = append(list, durable.Set(k.path, keyHidden, slices.DeleteFunc(slices.Clone(st.hidden), f.run.secret.hides)))
	}
	if st.umask != k.umask {
		k.umask = st.umask
		list = append(list, durable.Set(k.path, keyUmask, st.umask))
	}
	list = f.call.changes(f.run, list)
	for c := f.call.up; c != nil && !c.kept.settled; c = c.up {
		list = c.changes(f.run, list)
		c.kept.settled = true
	}
	return list
}

// changes adds how the locals and arguments of a call differ from those in the journal.
func (c *call) changes(r *Runner, list []durable.Change) []durable.Change {
	k := c.kept
	for n := range c.locals {
		if n >= len(k.locals) {
			k.locals = append(k.locals, variable{})
		}
		if c.locals[n] != k.locals[n] {
			k.locals[n] = c.locals[n]
			c.locals[n].shareValue()
			list = append(list, durable.Set(k.path, keyLocal+strconv.Itoa(n), r.saveVariable("", c.locals[n])))
		}
	}
	if !c.params.same(k.params) {
		k.params = c.params
		list = append(list, durable.Set(k.path, keyArgs, r.saveArguments(c.params)))
	}
	return list
}

// same reports whether nothing has replaced or shifted the parameters.
func (p parameters) same(q parameters) bool {
	return len(p.words) == len(q.words) && (p.values == nil) == (q.values == nil) &&
		(len(p.words) == 0 || &p.words[0] == &q.words[0])
}

// beginKept makes a frame one whose state the journal keeps at that node, and takes over what
// an earlier run has left there.
func (f *frame) beginKept(path string, fork bool) {
	st := f.state
	k := &kept{path: path}
	st.kept, f.call.kept = k, &keptCall{path: path}
	if fork { // what it begins with is its parent's state, which is written
		k.vars, k.dir, k.failed, k.hidden, k.umask = slices.Clone(st.vars), st.dir.Name, f.failure(), len(st.hidden), st.umask
		k.stands, k.told = f.identity(), k.failed.toldOf()
		f.call.kept.locals, f.call.kept.params = slices.Clone(f.call.locals), f.call.params
	}
	f.restoreState(path)
}

// restoreState takes over the state that the journal has at a node.
func (f *frame) restoreState(path string) {
	d := f.run.durable
	for _, key := range d.PastKeys(path) {
		var saved savedVariable
		switch kind, name, _ := strings.Cut(key, ":"); kind + ":" {
		case keyVariable:
			if number, known := f.run.names.Lookup(name); known && d.Past(path, key, &saved) {
				f.state.vars[number] = f.restoreVariable(name, saved)
				f.state.kept.noteKept(number, f.state.vars[number])
				d.Release(path, key)
			}
		case keyLocal:
			f.restoreLocal(path, key)
		}
	}
	k := f.state.kept
	f.restoreDirectory(path)
	var failed *savedFailure
	if f.reaction == nil && d.Past(path, keyFailed, &failed) {
		f.state.failed = failed.restoreFailure(f.run)
		k.failed, k.told = f.state.failed, f.state.failed.toldOf()
	}
	if d.Past(path, keyHidden, &f.state.hidden) {
		k.hidden = len(f.state.hidden)
	}
	f.restoreParameters(path)
	f.restoreUmask(path)
	f.state.environ = nil
}

// noteKept notes that the journal has that of a variable.
func (k *kept) noteKept(number int, v variable) {
	for len(k.vars) <= number {
		k.vars = append(k.vars, variable{})
	}
	k.vars[number] = v
}

func (f *frame) restoreLocal(path, key string) {
	var saved savedVariable
	number, err := strconv.Atoi(strings.TrimPrefix(key, keyLocal))
	if err != nil || number >= len(f.call.locals) || !f.run.durable.Past(path, key, &saved) {
		return
	}
	f.call.locals[number] = f.restoreVariable(f.call.function.Locals[number], saved)
	f.run.durable.Release(path, key)
	k := f.call.kept
	for len(k.locals) <= number {
		k.locals = append(k.locals, variable{})
	}
	k.locals[number] = f.call.locals[number]
}

func (f *frame) restoreParameters(path string) {
	var saved savedParameters
	if f.run.durable.Past(path, keyArgs, &saved) {
		f.call.params = saved.parameters(f)
		f.call.kept.params = f.call.params
	}
}

// restoreUmask sets the umask again that the script had set in an earlier run.
func (f *frame) restoreUmask(path string) {
	if !f.run.durable.Past(path, keyUmask, &f.state.umask) {
		return
	}
	f.state.kept.umask = f.state.umask
	if f.state.umask > 0 {
		_ = f.run.World.Umask(f.state.umask - 1)
	}
}
