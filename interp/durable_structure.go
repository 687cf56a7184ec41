package interp

import (
	"context"
	"strconv"

	"ftsh/ast"
	"ftsh/interp/journal"
)

// The keys of what structures decide.
const (
	keyBranch    = "if"
	keyTested    = "tested" // of an if: how many of its tests do not hold
	keyTurn      = "turn"
	keyItems     = "items"
	keyItem      = "item"
	keyFirst     = "first" // of a forany: the index of the item that is tried first
	keyLimit     = "limit"
	keyEnded     = "ended" // of a forall: a branch, with its number
	keyKeepgoing = "keepgoing"
	keyFunction  = "function"
	keyReturned  = "returned" // with the number of the call
	keyFiles     = "files"    // of a block: those that it writes to
)

// durably runs a script with its journal.
func (r *Runner) durably(f *frame, file *ast.File, run func() error) error {
	d := r.durable
	f.place = &place{written: -1}
	f.beginKept("", false)
	f.place.resume(true, d.past)
	if r.Streams == nil {
		d.inputs.open(d, &f.files)
		defer d.inputs.close()
	}
	kind, own := "script", []journal.Change{
		change("", keyPID, r.pid), change("", keyBoot, d.Boot), {Key: KeyShell, Value: d.Shell},
	}
	if f.place.resumed {
		kind, d.continued = "continued", true
	} else {
		own = append(own, change("", keyGiven, saveParameters(parameters{words: r.Args})))
	}
	if err := d.sync(f.record(kind, nil, own...)); err != nil {
		return &Suspended{err}
	}
	if err := f.startAgain(d.ctx, &file.Body, f.place); err != nil {
		return d.ended(f, file, err)
	}
	return d.ended(f, file, run())
}

// within reports whether an earlier run was in that part of the statement under way.
func (f *frame) within(s step) bool {
	if f.place == nil || !f.place.resumed {
		return false
	}
	_, found := f.run.durable.past.Get(f.place.here()+"/"+s.String(), keyAt)
	return found
}

// functionBody runs what a function consists of; params and locals are those of the caller. A call that has returned
// for an earlier run gives what it returned.
func (f *frame) functionBody(ctx context.Context, function *ast.Function, params parameters, locals []variable) error {
	p := f.place
	if p == nil {
		return f.group(ctx, &function.Body)
	}
	d, number := f.run.durable, p.calls
	p.calls++
	var end savedEnding
	if f.resumed(keyReturned+strconv.Itoa(number), &end) {
		return end.error(f)
	}
	s := step{inCall, number}
	path := p.here() + "/" + s.String()
	defer f.enterScope(path, params, locals)()
	if p.resumed {
		f.restore(path)
	}
	p.decided = append(p.decided, change(path, keyFunction, calledFunction{function.Name, d.sum(function)}))
	err := f.groupIn(ctx, s, &function.Body)
	if succeeded(err) {
		p.decide(keyReturned+strconv.Itoa(number), d.saveEnding(err))
	}
	return err
}

// calledFunction is a function that is running, as the journal has it.
type calledFunction struct {
	Name string `json:"name"`
	Sum  string `json:"sum"` // of its text
}

// resumedCall is the function that the command under way has called for an earlier run; "": none.
func (f *frame) resumedCall() string {
	var called calledFunction
	if f.place.resumed {
		f.run.durable.read(f.place.here()+"/"+step{inCall, 0}.String(), keyFunction, &called)
	}
	return called.Name
}

// durableCommand runs a command of a durable script: a program as a unit; a builtin only if it
// opens a file; a function so that its statements are recorded, if its redirections allow that.
func (f *frame) durableCommand(ctx context.Context, n *ast.Command, role role) error {
	if job := f.awaited(); job != nil {
		return f.jobAgain(ctx, job, []*ast.Command{n}, role)
	}
	if err, known := f.unitBefore(n.Pos); known {
		return err
	}
	c := invocation{node: n, pos: n.Pos, test: role.test}
	if function := f.resumedCall(); function != "" {
		c.args = []string{function}
		return f.block(ctx, n.Pos, n.Redirects, func() error { return f.invoke(ctx, c) })
	}
	var err error
	if c.args, err = f.expandWords(n); err != nil {
		return err
	}
	run := func() error { return f.redirected(ctx, c, role) }
	switch {
	case f.isFunction(c.args):
		return f.block(ctx, n.Pos, n.Redirects, func() error { return f.invoke(ctx, c) })
	case len(c.args) > 0 && f.isQuick(c.args[0]) && !toFile(n.Redirects):
		return run()
	}
	if f.away() != nil && len(c.args) > 0 && f.isProgram(c.args[0]) {
		return run() // a job, which has a begin and an end of its own
	}
	reads := len(c.args) > 0 && c.args[0] == "read"
	return f.unit(ctx, n.Pos, reads || captures(n.Redirects), run)
}

func (f *frame) isFunction(args []string) bool {
	return len(args) > 0 && !f.run.ProgramsOnly && f.run.functions[args[0]] != nil
}

// isQuick reports whether a command is a builtin that is just done again: all but exec, which runs a program.
func (f *frame) isQuick(name string) bool {
	return !f.run.ProgramsOnly && name != "exec" && (builtin(name) != nil || f.run.Builtins[name] != nil)
}
