package interp

import (
	"context"
	"io"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp/expand"
	"ftsh/interp/journal"
)

// The keys of what structures decide.
const (
	keyBranch    = "if"
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

// durably runs a script, with its journal if it has one.
func (r *Runner) durably(f *frame, file *ast.File, run func() error) error {
	d := r.durable
	if d == nil {
		return run()
	}
	f.place = &place{written: -1}
	f.beginKept("", false)
	f.place.resume(true, d.past)
	kind, own := "script", []journal.Change{change("", keyPID, r.pid), change("", keyBoot, d.Boot)}
	if f.place.resumed {
		kind = "continued"
	} else {
		own = append(own, change("", keyGiven, saveParameters(parameters{words: r.Args})))
	}
	if err := d.sync(f.record(kind, nil, own...)); err != nil {
		return &Suspended{err}
	}
	if err := f.startAgain(d.ctx, &file.Body, f.place); err != nil {
		return &Suspended{err}
	}
	return d.ended(f, run())
}

// durableCommand runs a command of a durable script: a program as a unit; a builtin only if it
// opens a file; a function so that its statements are recorded, if its redirections allow that.
func (f *frame) durableCommand(ctx context.Context, n *ast.Command, role role) error {
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

// block runs a block or a function with its redirections. In a durable script it is a unit if these
// are more than output to files, which is opened again at its end.
func (f *frame) block(ctx context.Context, pos ast.Pos, list []*ast.Redirect, run func() error) error {
	r := &redirection{frame: f, list: list}
	switch {
	case len(list) == 0:
		return run()
	case f.place == nil:
		return r.around(ctx, run)
	case blockUnit(list):
		return f.unit(ctx, pos, true, func() error { return r.around(ctx, run) })
	}
	r.kept = f.keptNames()
	return r.around(ctx, func() error {
		f.decide(keyFiles, r.kept.names)
		return run()
	})
}

// keptNames is the names of the files that a block writes to.
type keptNames struct {
	names []string
	past  []string // as an earlier run has opened them
}

func (f *frame) keptNames() *keptNames {
	k := &keptNames{}
	f.resumed(keyFiles, &k.past)
	return k
}

// resumed reports whether an earlier run has opened the files.
func (k *keptNames) resumed() bool { return k != nil && k.past != nil }

// goToEnd lets a file grow that an earlier run has opened.
func (k *keptNames) goToEnd(fd int, err error) {
	if err == nil && k.resumed() {
		_, _ = unix.Seek(fd, 0, io.SeekEnd)
	}
}

// name is the name of the file of a redirection.
func (r *redirection) name(n *ast.Redirect) (string, error) {
	if r.kept.resumed() && len(r.kept.names) < len(r.kept.past) {
		name := r.kept.past[len(r.kept.names)]
		r.kept.names = append(r.kept.names, name)
		return name, nil
	}
	name, err := expand.Word(r.frame, n.Target)
	if err == nil && r.kept != nil {
		r.kept.names = append(r.kept.names, name)
	}
	return name, err
}

// sync sees to it that a file that a durable script has opened for writing is on disk before the journal
// says that it was written.
func (r *redirection) sync() {
	if r.frame.run.durable == nil {
		return
	}
	for _, fd := range r.opened {
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY {
			_ = unix.Fsync(fd) // a terminal or pipe cannot, and need not
		}
	}
}

// durably runs an attempt or alternative with redirections: a unit, if they are more than output to files.
func (r *restarted) durably(ctx context.Context, s step, g *ast.Group) error {
	f := r.frame
	if !blockUnit(r.list) {
		if r.kept = f.keptNames(); !f.within(s) {
			r.kept.past = nil
		}
		return r.again(ctx, s, g)
	}
	outer := f.place
	defer func() { f.place = outer }()
	f.place = outer.enter(s, f.run.durable.past)
	return f.unit(ctx, f.place.pos(g), true, func() error { return r.again(ctx, s, g) })
}

// pos is where a group begins.
func (p *place) pos(g *ast.Group) ast.Pos {
	if len(g.List) == 0 {
		return ast.Pos{}
	}
	return g.List[0].Pos
}

// within reports whether an earlier run was in that part of the statement under way.
func (f *frame) within(s step) bool {
	if f.place == nil || !f.place.resumed {
		return false
	}
	_, found := f.run.durable.past.Get(f.place.here()+"/"+s.String(), keyAt)
	return found
}

// functionBody runs what a function consists of; params and locals are those of the caller. A call that has returned for an earlier run gives what it returned.
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
		p.decide(keyReturned+strconv.Itoa(number), saveEnding(err))
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

// turnPlace is where a while is: in the test, or the group, of a turn.
type turnPlace struct {
	Turn   int  `json:"turn"`
	Inside bool `json:"inside"`
}

// savedItems is the list of a loop: the values, or numbers at the same distance.
type savedItems struct {
	Values []savedValue `json:"values,omitempty"`
	From   int64        `json:"from,omitempty"`
	Step   int64        `json:"step,omitempty"`
	Count  int          `json:"count,omitempty"`
}

// items is the list of a loop, as an earlier run has evaluated it or as it is now.
func (f *frame) items(ctx context.Context, n *ast.For) (*expand.Sequence, error) {
	var saved savedItems
	if f.resumed(keyItems, &saved) {
		if saved.Count > 0 {
			return expand.Numbers(saved.From, saved.Step, saved.Count), nil
		}
		values := make([]expand.Value, 0, len(saved.Values))
		for _, value := range saved.Values {
			values = append(values, value.value(f))
		}
		return expand.Items(values), nil
	}
	items, err := expand.List(ctx, f, n.List)
	if err == nil && f.place != nil {
		f.decide(keyItems, saveItems(items))
	}
	return items, err
}

func saveItems(items *expand.Sequence) savedItems {
	if from, step, ok := items.Progression(); ok {
		return savedItems{From: from, Step: step, Count: items.Len()}
	}
	saved := savedItems{Values: make([]savedValue, 0, items.Len())}
	for i := range items.Len() {
		saved.Values = append(saved.Values, saveValue(items.At(i)))
	}
	return saved
}

// order keeps which alternative was tried first.
func (f *frame) order(first *int) {
	if !f.resumed(keyFirst, first) {
		f.decide(keyFirst, *first)
	}
}

// pastBranches are the branches of a forall that ended for an earlier run.
type pastBranches struct {
	list map[int]error
	none bool // no further branch is run
}

func (p *pastBranches) ended(i int) bool {
	_, ended := p.list[i]
	return ended || p.none
}

// begin writes that the branches begin, each of which then writes for itself, and
// takes over those that have ended.
func (a *allBranches) begin(items *expand.Sequence) *pastBranches {
	f := a.f
	past := &pastBranches{}
	if f.place == nil {
		return past
	}
	past.list = make(map[int]error)
	for i := range items.Len() {
		var end savedEnding
		if !f.resumed(keyEnded+strconv.Itoa(i), &end) {
			continue
		}
		past.list[i] = end.error(f)
		if past.list[i] != nil {
			a.failed(past.list[i], items.At(i))
			past.none = !a.n.Keepgoing
		}
	}
	f.decide(keyKeepgoing, a.n.Keepgoing)
	f.record("forall", nil)
	f.place.below = true
	return past
}

// keepApart makes a branch of a durable script one that keeps its own state.
func (f *frame) keepApart(s step) {
	if f.place != nil {
		f.beginKept(f.place.here()+"/"+s.String(), true)
	}
}

// keepEnd writes how a branch has ended. Others that it made end are not: they have failed by themselves.
func (f *frame) keepEnd(i int, err error) {
	d := f.run.durable
	if f.place == nil || d.suspending() {
		return
	}
	if failure := asFailure(err); failure != nil && failure.cut != nil {
		return
	}
	forall := f.place.here()
	d.Journal.Write(journal.Record{Kind: "branch", Changes: []journal.Change{
		change(forall, keyEnded+strconv.Itoa(i), saveEnding(err)),
		{Path: forall + "/" + step{inFork, i}.String(), Drop: true}, d.now(),
	}})
}

// unrecorded runs a verify or sense group: one that is interrupted is repeated, whatever it has done.
func (t *try) unrecorded(run func() error) error {
	f := t.frame
	defer func(place *place) { f.place = place }(f.place)
	f.place = nil
	return run()
}

// eachBegan is when the attempt under way began.
func (t *try) eachBegan() (began time.Duration) {
	f := t.frame
	now := f.run.clock.Now()
	if t.phase == attempting && t.past != nil && t.past.Phase == phaseAttempt && t.past.Number == t.number && !t.past.Granted {
		return f.run.durable.toClock(t.past.Began)
	}
	return now
}
