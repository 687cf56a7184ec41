package interp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/event"
	"ftsh/interp/expand"
	"ftsh/interp/output"
	"ftsh/interp/value"
	"ftsh/interp/world"
)

// builtinFunc is a command that works on the frame.
type builtinFunc func(f *frame, ctx context.Context, c invocation) error

// builtin finds a builtin by its name, nil if there is none.
func builtin(name string) builtinFunc {
	switch name {
	case "true", "success":
		return (*frame).runTrue
	case "false":
		return (*frame).runFalse
	case "failure":
		return (*frame).runFailure
	case "giveup":
		return (*frame).runGiveup
	case "absent":
		return (*frame).runAbsent
	case "echo":
		return (*frame).runEcho
	case "cd":
		return (*frame).runCd
	case "pwd":
		return (*frame).runPwd
	case "exit":
		return (*frame).runExit
	case "exec":
		return (*frame).runExec
	case "sleep":
		return (*frame).runSleep
	case "read":
		return (*frame).runRead
	case "retryafter":
		return (*frame).retryafter
	case "set":
		return (*frame).runSet
	case "unset":
		return (*frame).runUnset
	case "umask":
		return (*frame).runUmask
	}
	return nil
}

// IsBuiltin reports whether a command of that name is a builtin.
func IsBuiltin(name string) bool { return builtin(name) != nil }

// Builtins lists the commands that are builtins, sorted.
func Builtins() []string {
	return []string{
		"absent", "cd", "echo", "exec", "exit", "failure", "false", "giveup", "pwd",
		"read", "retryafter", "set", "sleep", "success", "true", "umask", "unset",
	}
}

// isProgram reports whether a command's name is that of a program.
func (f *frame) isProgram(name string) bool {
	return f.run.functions[name] == nil && builtin(name) == nil && f.run.added(name) == nil
}

// added returns what the program around the interpreter runs for a command; nil: nothing.
func (r *Runner) added(words ...string) Builtin {
	if r.Builtin == nil {
		return nil
	}
	return r.Builtin(words)
}

// builtin runs a builtin. An error that is not a failure becomes one of kind exit.
func (f *frame) builtin(ctx context.Context, c invocation, run builtinFunc) error {
	o := f.beginStatement(c.pos, event.CommandStart, detail{command: c.args})
	o.test = c.test
	err := run(f.under(o), ctx, c)
	if failure := builtinFailure(err, c); failure != nil {
		err = failure
	}
	f.finishStatement(o, err, event.CommandEnd, event.CommandFailed, detail{command: c.args})
	return err // nil, a failure, an exit or an absent
}

// builtinFailure makes a failure of what a builtin said, nil if it is none.
func builtinFailure(err error, c invocation) *Failure {
	switch err.(type) {
	case nil, *Exit, *absence:
		return nil
	}
	failure := asFailure(err)
	if failure == nil {
		failure = newFailure(systemOr(KindExit, err), ast.Pos{}, err.Error())
		failure.pipe = errors.Is(err, unix.EPIPE)
		if _, ok := errors.AsType[usage](err); ok {
			failure.Kind = KindError
		}
	}
	if !failure.Pos.IsValid() {
		failure.Pos = c.pos
	}
	if failure.Command == "" && failure.Pos == c.pos {
		failure.Command, failure.story.words = commandText(c.args), c.args
	}
	return failure
}

func (f *frame) runTrue(context.Context, invocation) error { return nil }

func (f *frame) runFalse(context.Context, invocation) error {
	return errors.New("ended with status 1")
}

// runFailure is the builtin failure. Directly in a catch group it passes on what was caught,
// so that nobody takes a mistake for something worth another attempt.
func (f *frame) runFailure(_ context.Context, c invocation) error {
	if t := f.try; t != nil && t.phase == catching && t.calls == f.call.depth {
		passed := *t.caught
		passed.Message = messageOr(c.args[1:], passed.Message)
		return &passed
	}
	return newFailure(KindFailure, ast.Pos{}, messageOr(c.args[1:], "the script gave no reason"))
}

// runGiveup fails the nearest enclosing try with limits without another attempt.
func (f *frame) runGiveup(_ context.Context, c invocation) error {
	failure := newFailure(KindFailure, ast.Pos{}, messageOr(c.args[1:], "gave up"))
	for t := f.try; t != nil; t = t.outer {
		if t.node.Limited() && t.phase < decided {
			failure.giveup, failure.Reason = true, backoff.Giveup
		}
	}
	return failure
}

// runAbsent ends the nearest verify group: what the attempt was to do did not happen. A branch or a stage
// cannot say so for the whole group.
func (f *frame) runAbsent(_ context.Context, c invocation) error {
	if len(c.args) > 1 {
		return usage("absent")
	}
	for t := f.try; t != nil && t.phase != sensing; t = t.outer {
		switch {
		case t.phase == verifying && t.frame.state == f.state:
			return &absence{}
		case t.phase == verifying:
			return newFailure(KindError, ast.Pos{},
				"absent in a branch or a stage, which cannot speak for the verify group around it")
		}
	}
	return newFailure(KindError, ast.Pos{}, "absent outside of a verify group; there it says that nothing has happened")
}

func messageOr(args []string, message string) string {
	if len(args) == 0 {
		return message
	}
	return strings.Join(args, " ")
}

// printText writes to the script's standard output.
func (f *frame) printText(ctx context.Context, pos ast.Pos, text string) error {
	if f.io.files[1] == closed {
		return errors.New("standard output is closed")
	}
	err := f.run.World.Write(ctx, f.io.files[1], text)
	switch {
	case err == nil:
		return nil
	case err == context.Cause(ctx):
		return f.cutOff(ctx, pos)
	}
	return fmt.Errorf("cannot write: %w", err)
}

// runEcho prints its arguments, with a newline unless the script writes the option -n.
func (f *frame) runEcho(ctx context.Context, c invocation) error {
	if writesOption(c.node) {
		return f.printText(ctx, c.pos, strings.Join(c.args[2:], " "))
	}
	return f.printText(ctx, c.pos, strings.Join(c.args[1:], " ")+"\n")
}

// writesOption reports whether the option of an echo is written in the script. What
// looks like it in a value is printed like any other.
func writesOption(n *ast.Command) bool {
	if len(n.Words) < 2 {
		return false
	}
	_, written := n.Words[0].Literal()
	option, literal := n.Words[1].Literal()
	return written && literal && option == "-n"
}

// runExit leaves the script, or the branch or stage that it stands in.
func (f *frame) runExit(_ context.Context, c invocation) error {
	status := 0
	if len(c.args) > 1 {
		n, err := strconv.Atoi(c.args[1])
		if err != nil || n < 0 || n > 255 || len(c.args) > 2 {
			return usage("exit [status], a number from 0 to 255")
		}
		status = n
	}
	exit := &Exit{Status: status, pos: c.pos}
	for t := f.try; t != nil && exit.caught == nil; t = t.outer {
		if t.phase == catching {
			exit.caught = t.caught
		}
	}
	return exit
}

// runSleep waits: `sleep 30`, `sleep 250ms`, `sleep 2 minutes`.
func (f *frame) runSleep(ctx context.Context, c invocation) error {
	const synopsis = usage("sleep TIME, such as 30 or 0.5 (seconds), 250ms, 1h30m, or 2 minutes")
	if len(c.args) == 1 {
		return synopsis
	}
	d, err := expand.ParseSeconds(strings.Join(c.args[1:], " "))
	if err != nil {
		return fmt.Errorf("%w; %w", err, synopsis)
	}
	f.run.World.Prepare()
	end, err := f.place.WaitUntil(ctx, f, saturatingAdd(f.run.clock.Now(), d))
	if err != nil {
		return f.beginsNothing(c.pos)
	}
	f.run.World.Await(end, func() bool { return ctx.Err() != nil })
	if backoff.Sleep(ctx, f.run.clock, end) != nil && f.cutCause(ctx).at <= end {
		return f.cutOff(ctx, c.pos)
	}
	f.catchUp()
	return nil // also where the shell was stopped, and a limit has passed since
}

func (f *frame) runUnset(_ context.Context, c invocation) error {
	if len(c.args) == 1 {
		return usage("unset NAME …")
	}
	for _, name := range c.args[1:] {
		if !ast.IsName(name) {
			return usage("unset NAME …, and " + strconv.Quote(name) + " is no name of a variable")
		}
		f.forgetVariable(name)
	}
	return nil
}

// forgetVariable makes a variable undefined, and takes it out of the environment.
func (f *frame) forgetVariable(name string) {
	f.state.environ = nil
	number, mentioned := f.run.names.Lookup(name)
	if !mentioned {
		f.state.hidden = append(f.state.hidden[:len(f.state.hidden):len(f.state.hidden)], name)
		return
	}
	unset := f.variableOf(&ast.Var{Name: name, Number: number, Local: f.localNumber(name)})
	output.Drop(unset.value)
	*unset = variable{declared: unset.declared, secret: unset.secret}
}

// runSet replaces the arguments of the script, or of the function that is running:
// `set -- word …`. The parser lets nothing but `--` follow it.
func (f *frame) runSet(_ context.Context, c invocation) error {
	if len(c.args) < 2 || c.args[1] != "--" {
		return usage("set -- [WORD …]")
	}
	f.call.params = parameters{words: slices.Clone(c.args[2:])}
	return nil
}

// runExec replaces the shell by a program. In a branch or a stage, or where the
// interpreter cannot be replaced, has a journal to keep, or has yet to keep what the program writes, it
// runs the program and ends as that does.
func (f *frame) runExec(ctx context.Context, c invocation) error {
	if len(c.args) == 1 {
		return usage("exec COMMAND [ARGUMENT …]")
	}
	if f.state.branch != 0 || f.io.owed > 0 || f.run.durable != nil {
		return f.execApart(ctx, c)
	}
	args := c.args[1:]
	path, err := f.findProgram(args[0])
	if err != nil {
		return startFailure(args[0], err)
	}
	environ, err := f.environment()
	if err != nil {
		return err
	}
	err = f.run.World.Become(&world.Command{Path: path, Args: args, Env: environ, Told: f.toldLimits(), Dir: f.state.dir,
		Files: f.io.files.upToLastOpen(), ID: f.id})
	if err == world.ErrStays {
		return f.execApart(ctx, c)
	}
	return startFailure(args[0], err)
}

// execApart runs the program of an exec that cannot replace the shell.
func (f *frame) execApart(ctx context.Context, c invocation) error {
	end := &Exit{pos: c.pos, replaced: true}
	c.args = c.args[1:]
	err := f.runProgram(ctx, c)
	failure := asFailure(err)
	switch {
	case failure == nil:
		return end
	case failure.cut != nil || failure.Kind != KindExit && failure.Kind != KindSignal:
		return err // cut off, or not started
	}
	end.Status, end.failure = failure.Status, failure
	return end
}

// runCd changes the directory of the frame, and PWD. OLDPWD is the one before, where
// `cd -` goes.
func (f *frame) runCd(_ context.Context, c invocation) error {
	if len(c.args) > 2 {
		return usage("cd [DIRECTORY]")
	}
	dir, err := f.cdTarget(c.args[1:])
	if err != nil {
		return err
	}
	next, err := f.openNext(dir)
	if err != nil {
		return fmt.Errorf("cannot go to %s: %w", dir, err)
	}
	before, _ := f.directory()
	next.OnStart = f.secret
	f.standInDirectory(next)
	f.assignDirectory(oldpwd, before)
	f.assignDirectory(pwd, next.Name)
	return nil
}

// assignDirectory is assign for PWD and OLDPWD. Where a group on start goes is no secret unless the name has one in it,
// which is asked when it is saved.
func (f *frame) assignDirectory(name, dir string) {
	f = f.inside()
	f.secret = false
	f.assign(f.run.variableNamed(name), value.String(dir))
}

// cdTarget returns the directory that cd goes to: its argument, the home directory, or for - the directory before.
func (f *frame) cdTarget(args []string) (string, error) {
	name := "HOME"
	switch {
	case len(args) == 1 && args[0] == "":
		return "", usage("cd [DIRECTORY]; the directory is an empty word")
	case len(args) == 1 && args[0] == "-":
		name = oldpwd
	case len(args) == 1:
		return args[0], nil
	}
	value, set := f.Lookup(name)
	dir, err := value.Text()
	if !set || err != nil || dir == "" {
		return "", errors.New(name + " is not set; name the directory to go to")
	}
	return dir, nil
}

func (f *frame) runPwd(ctx context.Context, c invocation) error {
	if len(c.args) > 1 {
		return usage("pwd")
	}
	dir, err := f.directory()
	if err != nil {
		return err
	}
	return f.printText(ctx, c.pos, dir+"\n")
}
