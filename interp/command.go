package interp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ftsh/ast"
	"ftsh/ast/units"
	"ftsh/interp/event"
	"ftsh/interp/expand"
	"ftsh/interp/output"
	"ftsh/interp/world"
)

// runCommand runs a simple command with its redirections.
func (f *frame) runCommand(ctx context.Context, n *ast.Command, role role) error {
	if f.place != nil {
		return f.recordedCommand(ctx, n, role)
	}
	args := role.words
	if args == nil {
		var err error
		if args, err = f.expandWords(n); err != nil {
			return err
		}
	}
	f, err := f.runOutputs(n.Redirects)
	if err != nil {
		return err
	}
	return f.redirected(ctx, invocation{node: n, pos: n.Pos, args: args, test: role.test}, role)
}

// recordedCommand runs a command of a durable script: a program as a unit; a builtin only if it
// opens a file; a function so that its statements are recorded, if its redirections allow that.
func (f *frame) recordedCommand(ctx context.Context, n *ast.Command, role role) error {
	if job := f.awaitedJob(); job != nil {
		return f.jobAgain(ctx, job, []*ast.Command{n}, role)
	}
	if err, known := f.unitBefore(n.Pos); known {
		return err
	}
	c := invocation{node: n, pos: n.Pos, test: role.test}
	function := f.place.CalledFunction()
	if function == "" && f.run.durable.IsDry() && !f.place.HasOutput() {
		return f.beginsNothing(n.Pos)
	}
	if function != "" && !runsCommands(n.Words) {
		c.args = []string{function}
		return f.runBlock(ctx, n.Pos, n.Redirects, c.args, func(g *frame) error { return g.runInvocation(ctx, c) })
	}
	var err error
	if c.args, err = f.expandWords(n); err != nil {
		return err
	}
	f, err = f.runOutputs(n.Redirects)
	switch {
	case err != nil:
		return err
	case function == "" && f.run.durable.IsDry():
		return f.beginsNothing(n.Pos)
	}
	run := func(g *frame) error { return g.redirected(ctx, c, role) }
	runs := f.runs(c.args)
	switch {
	case runs == units.Function:
		return f.runBlock(ctx, n.Pos, n.Redirects, c.args, func(g *frame) error { return g.runInvocation(ctx, c) })
	case units.OfCommand(runs, n.Redirects) == units.Anew:
		return run(f)
	case f.jobSite() != nil && len(c.args) > 0 && f.isProgram(c.args[0]):
		return run(f) // a job, which has a begin and an end of its own
	}
	reads := len(c.args) > 0 && c.args[0] == "read"
	return f.runUnit(ctx, n.Pos, reads || capturesVariables(n.Redirects), run)
}

// runs returns what the first word of a command names, for a journal: a function; a builtin that is just done again,
// all but exec, which runs a program; or a program.
func (f *frame) runs(args []string) units.Runs {
	switch {
	case len(args) == 0 || f.run.Mode.ProgramsOnly:
		return units.Program
	case f.run.functions[args[0]] != nil:
		return units.Function
	case args[0] != "exec" && (builtin(args[0]) != nil || f.run.added(args...) != nil):
		return units.Builtin
	}
	return units.Program
}

// expandWords expands the words of a command.
func (f *frame) expandWords(n *ast.Command) ([]string, error) {
	args := make([]string, 0, len(n.Words))
	for i := range n.Words {
		before := len(args)
		var err error
		if args, err = expand.Words(f, args, n.Words[i:i+1]); err != nil {
			return nil, f.failWith(err, n.Pos)
		}
		if before > 0 && before == len(args) && f.needsEach(args[0]) {
			return nil, f.faultAt(n.Words[i].Pos, args[0]+": the word here expanded to nothing; "+
				"give it a value, or leave it out")
		}
	}
	if len(args) == 0 && len(n.Words) > 0 {
		return nil, f.faultAt(n.Pos, "the command's words expanded to nothing; there is no command to run")
	}
	return args, nil
}

// needsEach reports whether a command is a builtin that means something else without one of its words: cd goes home
// then, exit is a success, and read takes a name for its separator.
func (f *frame) needsEach(name string) bool {
	if f.run.Mode.ProgramsOnly || f.run.functions[name] != nil {
		return false
	}
	switch name {
	case "cd", "exit", "read", "retryafter", "sleep", "umask":
		return true
	}
	return false
}

// redirected runs a command with its redirections.
func (f *frame) redirected(ctx context.Context, c invocation, role role) error {
	if p := f.jobSite(); p != nil && len(c.args) > 0 && f.isProgram(c.args[0]) {
		return f.jobCommand(ctx, p, c)
	}
	if len(c.node.Redirects) == 0 {
		return f.runInvocation(ctx, c)
	}
	r := &redirection{frame: f, list: c.node.Redirects, words: c.args, waiting: role.outputs}
	return r.runRedirected(ctx, func(g *frame) error { return g.runInvocation(ctx, c) })
}

// runInvocation runs what the first word names: a function, a builtin or a program, in that order.
func (f *frame) runInvocation(ctx context.Context, c invocation) error {
	if len(c.args) == 0 {
		return nil // redirections alone
	}
	if f.run.Mode.ProgramsOnly {
		return f.runProgram(ctx, c)
	}
	if function := f.run.functions[c.args[0]]; function != nil {
		_, err := f.callFunction(ctx, function, c)
		return err
	}
	if run := builtin(c.args[0]); run != nil {
		return f.builtin(ctx, c, run)
	}
	if run := f.run.added(c.args...); run != nil {
		return f.builtin(ctx, c, run.runBuiltin)
	}
	return f.runProgram(ctx, c)
}

// runProgram runs an external command and waits until it, and if it failed
// everything that it had started, is gone.
func (f *frame) runProgram(ctx context.Context, c invocation) error {
	o := f.numberCommand(&c)
	return f.programEnded(&o, &c, f.under(o).startProgram(ctx, &c))
}

// programEnded announces how a program ended. It is apart from program, whose frame stays while the program runs.
func (f *frame) programEnded(o *observed, c *invocation, failure *Failure) error {
	var err error
	if failure != nil {
		failure.Command, failure.Pos, failure.story.words = commandText(c.args), c.pos, c.args
		if !f.run.Secrets.Hides(c.args[0]) {
			failure.Message += assignmentMeant(failure, c.args)
		}
		err = failure
	}
	f.finishStatement(*o, err, event.CommandEnd, event.CommandFailed, detail{command: c.args})
	return err
}

// startProgram runs a program. The failure lacks its command and position.
func (f *frame) startProgram(ctx context.Context, in *invocation) *Failure {
	args := in.args
	dir, failure := f.programDirectory(args[0])
	if f.run.durable != nil {
		failure = cmp.Or(failure, f.lostInput(true, f.io.files[:]...))
	}
	if failure != nil {
		return failure
	}
	f.run.World.Prepare()
	path, err := f.findProgram(args[0])
	if err != nil {
		return startFailure(args[0], err)
	}
	environ, err := f.environment()
	if err != nil {
		return newFailure(systemOr(KindError, err), ast.Pos{}, err.Error())
	}
	c := &world.Command{Path: path, Args: args, Env: environ, Told: f.toldLimits(), Dir: dir,
		Files: f.io.files.upToLastOpen(), Until: f.scope.until.at, Patience: f.patience, Kill: f.run.World.Killed(), ID: f.id,
		Started: f.io.ends.letGoFor(in.node), Node: in.node, Pos: in.pos}
	run := f.awaitProgram
	if watching := f.run.watching || f.try != nil && f.try.watching; watching && f.io.files[2] == f.io.stderr {
		run = f.watched
	}
	failure = run(ctx, c)
	if failure != nil && failure.Kind == KindMissing {
		if path, err := f.findProgram(args[0]); err == nil && path != c.Path { // it has moved to another place on PATH
			c.Path = path
			failure = run(ctx, c)
		}
	}
	return failure
}

// awaitProgram runs a command and turns its status into a failure.
func (f *frame) awaitProgram(ctx context.Context, c *world.Command) *Failure {
	f.putAside()
	status, err := f.run.World.Run(ctx, c)
	f.catchUp()
	var start *world.StartError
	switch {
	case errors.As(err, &start):
		return startFailure(c.Args[0], err)
	case err != nil && ctx.Err() == nil: // of a world that fails
		return newFailure(KindError, ast.Pos{}, "cannot run "+c.Args[0]+": "+err.Error())
	case err != nil:
		return f.cutOff(ctx, ast.Pos{})
	case status.Signal != 0:
		return &Failure{Kind: KindSignal, Status: 128 + int(status.Signal), Message: signalMessage(status)}
	case status.Code != 0:
		return &Failure{Kind: KindExit, Status: status.Code, Message: "ended with status " + strconv.Itoa(status.Code)}
	}
	return nil
}

func signalMessage(status world.Status) string {
	message := fmt.Sprintf("died of signal %d (%s)", int(status.Signal), status.Signal)
	if status.Core {
		message += " and dumped core"
	}
	return message
}

// watched runs a command whose standard error is wanted. Where that cannot be followed without harm the command writes
// where it would otherwise: its work matters more. But not within a try that says matching: what was not seen is not
// "no match".
func (f *frame) watched(ctx context.Context, c *world.Command) *Failure {
	var keep func(line string) bool
	if f.said != nil {
		keep = f.said.Keep
	}
	copied, err := f.run.World.Follow(ctx, f.io.stderr, keep)
	switch {
	case err != nil && f.try != nil && f.try.watching:
		return unseenFailure(err)
	case err != nil:
		if !f.run.blind.Swap(true) {
			f.tellEvent(observed{}, event.Event{Kind: event.StderrUnseen, Message: err.Error()})
		}
		return f.awaitProgram(ctx, c)
	}
	files := f.io.files
	for n := range files {
		if files[n] == f.io.stderr {
			files[n] = copied.Stream()
		}
	}
	c.Files = files.upToLastOpen()
	failure := f.awaitProgram(ctx, c)
	if end, torn := copied.Stop(); failure != nil {
		failure.Stderr = output.StderrText(end, torn)
	}
	return failure
}

// startFailure is the failure of a program that could not be started.
func startFailure(name string, err error) *Failure {
	failure := newFailure(KindError, ast.Pos{}, err.Error())
	if name == "" {
		failure.Message = "the name of the command is empty"
	}
	var start *world.StartError
	switch {
	case errors.Is(err, errNoPath):
	case !errors.As(err, &start), start.Missing:
		failure.Kind, failure.Status = KindMissing, 127
	case start.System():
		failure.Kind = KindSystem
	}
	return failure
}

// assignmentMeant says how a variable is set, or named, where a program that is missing looks like that.
func assignmentMeant(failure *Failure, args []string) string {
	if failure.Kind != KindMissing {
		return ""
	}
	if name, _, set := strings.Cut(args[0], "="); set && name != "" && !strings.Contains(name, "/") {
		return "; " + name + " is no name of a variable, which has letters of ASCII, digits and _ only"
	}
	if len(args) < 2 || !strings.HasPrefix(args[1], "=") || !ast.IsName(args[0]) {
		return ""
	}
	return "; to set a variable write  " + args[0] + "=value  without a blank before the ="
}
