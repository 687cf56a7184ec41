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
	k := f.kept
	for n := range f.vars {
		if n >= len(k.vars) {
			k.vars = append(k.vars, variable{})
		}
		if f.vars[n] == k.vars[n] {
			continue
		}
		k.vars[n] = f.vars[n]
		f.vars[n].shareValue()
		if name := f.run.names.Name(n); !f.run.secret.has(name) {
			list = append(list, durable.Set(k.path, keyVariable+name, f.run.saveVariable(name, f.vars[n])))
		}
	}
	list = f.directoryChanges(list)
	if told := f.failed.toldOf(); f.failed != k.failed || told != k.told {
		k.failed, k.told = f.failed, told
		list = append(list, durable.Set(k.path, keyFailed, f.run.saveFailure(f.failed)))
	}
	if len(f.hidden) != k.hidden {
		k.hidden = len(f.hidden)
		list = append(list, durable.Set(k.path, keyHidden, slices.DeleteFunc(slices.Clone(f.hidden), f.run.secret.hides)))
	}
	if f.umask != k.umask {
		k.umask = f.umask
		list = append(list, durable.Set(k.path, keyUmask, f.umask))
	}
	return f.scopeChanges(list)
}

// scopeChanges does so for the functions that are running.
func (f *frame) scopeChanges(list []durable.Change) []durable.Change {
	s := f.kept.scope
	list = s.appendChanges(f, list, f.locals, f.params)
	for s = s.up; s != nil && !s.unchanging; s = s.up {
		list = s.appendChanges(f, list, s.nowLocals, s.nowParams)
		s.unchanging = true
	}
	return list
}

func (s *keptScope) appendChanges(f *frame, list []durable.Change, locals []variable,
	params parameters) []durable.Change {
	for n := range locals {
		if n >= len(s.locals) {
			s.locals = append(s.locals, variable{})
		}
		if locals[n] != s.locals[n] {
			s.locals[n] = locals[n]
			locals[n].shareValue()
			list = append(list, durable.Set(s.path, keyLocal+strconv.Itoa(n), f.run.saveVariable("", locals[n])))
		}
	}
	if !params.same(s.params) {
		s.params = params
		list = append(list, durable.Set(s.path, keyArgs, f.run.saveArguments(params)))
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
	f.kept = &kept{path: path, scope: &keptScope{path: path}}
	if fork { // what it begins with is its parent's state, which is written
		k := f.kept
		k.vars, k.dir, k.failed, k.hidden = slices.Clone(f.vars), f.dir.Name, f.failed, len(f.hidden)
		k.umask = f.umask
		k.stands = f.identity()
		k.told = f.failed.toldOf()
		k.scope.locals, k.scope.params = slices.Clone(f.locals), f.params
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
				f.vars[number] = f.restoreVariable(name, saved)
				f.kept.noteKept(number, f.vars[number])
				d.Release(path, key)
			}
		case keyLocal:
			f.restoreLocal(path, key)
		}
	}
	k := f.kept
	f.restoreDirectory(path)
	var failed *savedFailure
	if !f.reacting && d.Past(path, keyFailed, &failed) {
		f.failed = failed.restoreFailure(f.run)
		k.failed, k.told = f.failed, f.failed.toldOf()
	}
	if d.Past(path, keyHidden, &f.hidden) {
		k.hidden = len(f.hidden)
	}
	f.restoreParameters(path)
	f.restoreUmask(path)
	f.environ = nil
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
	if err != nil || number >= len(f.locals) || !f.run.durable.Past(path, key, &saved) {
		return
	}
	f.locals[number] = f.restoreVariable(f.function.Locals[number], saved)
	f.run.durable.Release(path, key)
	s := f.kept.scope
	for len(s.locals) <= number {
		s.locals = append(s.locals, variable{})
	}
	s.locals[number] = f.locals[number]
}

func (f *frame) restoreParameters(path string) {
	var saved savedParameters
	if f.run.durable.Past(path, keyArgs, &saved) {
		f.params = saved.parameters(f)
		f.kept.scope.params = f.params
	}
}

// restoreUmask sets the umask again that the script had set in an earlier run.
func (f *frame) restoreUmask(path string) {
	if !f.run.durable.Past(path, keyUmask, &f.umask) {
		return
	}
	f.kept.umask = f.umask
	if f.umask > 0 && !f.run.durable.IsDry() {
		_ = f.run.World.Umask(f.umask - 1)
	}
}

// enterScope makes the journal keep the locals and arguments of a function that begins, at the node of its call.
// Those given are its caller's.
func (f *frame) enterScope(path string, params parameters, locals []variable) (leave func()) {
	caller := f.kept.scope
	caller.nowLocals, caller.nowParams, caller.unchanging = locals, params, false
	f.kept.scope = &keptScope{up: caller, path: path}
	return func() {
		f.kept.scope = caller
		caller.nowLocals, caller.nowParams = nil, parameters{}
	}
}
