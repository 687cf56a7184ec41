package interp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/engine"
	"ftsh/interp/event"
	"ftsh/interp/expand"
	"ftsh/interp/files"
)

// jobPipeline runs a pipeline of programs as one job. It does nothing if it consists of
// functions and builtins, whose programs are jobs by themselves.
func (f *frame) jobPipeline(ctx context.Context, p *site, n *ast.Pipeline, role role) (ran bool, err error) {
	words := make([][]string, len(n.Stages))
	programs, other := 0, ""
	for i, stage := range n.Stages {
		if words[i], err = expand.Words(f, nil, stage.Words); err != nil {
			return true, f.failWith(err, stage.Pos)
		}
		switch {
		case len(words[i]) == 0:
			other = "a stage without a command"
		case f.isProgram(words[i][0]):
			programs++
		default:
			other = words[i][0] + ", which is none"
		}
	}
	pos := n.Stages[0].Pos
	switch {
	case programs == 0:
		return false, nil
	case other != "":
		return true, f.faultAt(pos, "on "+p.engine+": a pipeline of programs and of "+other+", cannot be a job; "+
			"write `on here` around it, or only programs")
	}
	o := f.numberExecution(pos, event.Event{Kind: event.PipelineStart, Count: len(n.Stages)})
	o.test = role.test
	t, err := f.newJob(ctx, p, n.Stages, n.Joins, words)
	if err == nil {
		t.test = role.test
		err = t.runJob(ctx, pos)
	}
	f.finishStatement(o, err, event.PipelineEnd, event.PipelineFailed, detail{passes: true})
	return true, err
}

// jobCommand runs a program as a job.
func (f *frame) jobCommand(ctx context.Context, p *site, c invocation) error {
	t, err := f.newJob(ctx, p, []*ast.Command{c.node}, nil, [][]string{c.args})
	if err != nil {
		return err
	}
	o := f.numberExecution(c.pos, event.Event{Kind: event.CommandStart, Command: c.args})
	o.test, t.test = c.test, c.test
	err = t.runJob(ctx, c.pos)
	f.finishStatement(o, err, event.CommandEnd, event.CommandFailed, detail{command: c.args})
	return err
}

// A jobText is the script of a job while it is put together.
type jobText struct {
	f       *frame
	site    *site
	script  strings.Builder
	words   []string
	inputs  []string
	outputs []int // our descriptors, to which out.0, out.1 … go
	targets []string
	test    bool // it decides a condition
	pos     ast.Pos
	node    *durable.Place // of a durable script, whose journal knows the job; nil: none does
	forget  func()         // when its end is on disk; nil: nothing is to be done
	redirection
}

// newJob makes a job of programs. What can be wrong with them is found before anything is submitted.
func (f *frame) newJob(ctx context.Context, p *site,
	stages []*ast.Command, joins []ast.Join, words [][]string) (*jobText, error) {
	t := &jobText{f: f, site: p,
		redirection: redirection{frame: f, list: stages[0].Redirects, words: words[0], before: f.files}}
	if err := t.build(ctx, stages, joins, words); err != nil {
		t.discard()
		return nil, err
	}
	if t.owes = len(t.captures) > 0; t.owes {
		f.owed++
	}
	return t, nil
}

// runJob runs the job; variables take what was captured.
func (t *jobText) runJob(ctx context.Context, pos ast.Pos) error {
	t.pos = pos
	return t.close(t.run(ctx))
}

// close closes the job's output and returns how both ended.
func (t *jobText) close(failure *Failure) (err error) {
	if failure != nil {
		failure.Pos, failure.story.words = t.pos, t.redirection.words
		if failure.Command == "" {
			failure.Command = commandText(t.redirection.words)
		}
		err = failure
	}
	return t.ended(t.finish(err))
}

// build writes the script of the job, in which every word is a parameter.
func (t *jobText) build(ctx context.Context, stages []*ast.Command, joins []ast.Join, words [][]string) error {
	for i, stage := range stages {
		for _, word := range words[i] {
			t.addWord(word)
		}
		if err := t.redirects(ctx, stage.Redirects); err != nil {
			return err
		}
		if i < len(joins) {
			t.script.WriteString("|")
			if joins[i].Stderr {
				t.script.WriteString("&")
			}
			t.script.WriteString(" ")
		}
	}
	return t.checkTravels(stages[0])
}

// addWord adds a word.
func (t *jobText) addWord(text string) {
	t.words = append(t.words, text)
	fmt.Fprintf(&t.script, `"${%d}" `, len(t.words))
}

// redirects adds the redirections of a stage.
func (t *jobText) redirects(ctx context.Context, list []*ast.Redirect) error {
	outside := t.f.files
	for i, n := range list {
		if err := t.redirect(ctx, n, list[:i], outside); err != nil {
			return t.failure(ctx, n, err)
		}
	}
	return nil
}

// redirect adds one redirection. Files are opened where the job runs; what variables hold or
// will hold travels in files of the job's folder.
func (t *jobText) redirect(ctx context.Context, n *ast.Redirect, before []*ast.Redirect, outside streams) error {
	f := t.f
	if n.FD >= 0 {
		fmt.Fprint(&t.script, n.FD)
	}
	switch n.Op {
	case ast.DupOut, ast.DupIn:
		if n.Dup > 2 && !reads(before, n.Dup) && outside[n.Dup] != closed {
			return t.cannotTravel(n.Pos, n.Dup)
		}
		fmt.Fprintf(&t.script, "%s%d ", n.Op, n.Dup)
		return nil
	case ast.ToVar, ast.AppendVar, ast.BothVar, ast.AppendBothVar:
		if err := t.capture(n); err != nil {
			return err
		}
		t.outputs = append(t.outputs, t.captures[len(t.captures)-1].input)
		if n.Op == ast.BothVar || n.Op == ast.AppendBothVar {
			t.script.WriteString(ast.AppendBoth.String() + " ")
		} else {
			t.script.WriteString(ast.Append.String() + " ")
		}
		t.inFolder("out", len(t.outputs)-1)
		return nil
	case ast.FromVar, ast.Here, ast.HereTabs:
		return t.addInput(n)
	}
	name, err := expand.Word(f, n.Target)
	if err != nil {
		return f.failWith(err, n.Pos)
	}
	if name == "" {
		return fmt.Errorf("%s needs the name of a file, found an empty word", n.Op)
	}
	if n.Op == ast.Atomic {
		t.targets = append(t.targets, name)
	}
	t.script.WriteString(n.Op.String() + " ")
	t.addWord(name)
	return ctx.Err()
}

// addInput adds the exact bytes of a value or of a here-document.
func (t *jobText) addInput(n *ast.Redirect) error {
	f := t.f
	var value expand.Value
	if n.Op == ast.FromVar {
		var set bool
		if value, set = f.Variable(&n.Var); !set && !f.Lenient() {
			return f.faultAt(n.Pos, fmt.Sprintf("%s is not defined", n.Var.Name))
		}
	} else {
		text, err := expand.Word(f, n.Body)
		if err != nil {
			return f.failWith(err, n.Pos)
		}
		value = expand.String(text)
	}
	text, err := value.Exact()
	if err != nil {
		return err
	}
	t.inputs = append(t.inputs, text)
	t.script.WriteString(ast.In.String() + " ")
	t.inFolder("in", len(t.inputs)-1)
	return nil
}

// inFolder adds the name of a file in the job's folder.
func (t *jobText) inFolder(name string, n int) {
	fmt.Fprintf(&t.script, `"${%s}/%s.%d" `, engine.FolderVariable, name, n)
}

// checkTravels sees that the job needs no descriptor that the shell holds open for a block.
func (t *jobText) checkTravels(first *ast.Command) error {
	outside := t.before
	own := standardStreams(t.f.run.Files)
	for fd := 3; fd < len(outside); fd++ {
		if outside[fd] != closed && outside[fd] != own[fd] {
			return t.cannotTravel(first.Pos, fd)
		}
	}
	return nil
}

func (t *jobText) cannotTravel(pos ast.Pos, fd int) error {
	return t.f.faultAt(pos, fmt.Sprintf("on %s: descriptor %d is of the block around, which a job cannot share; "+
		"redirect it after the program itself", t.site.engine, fd))
}

// run runs the job. The failure lacks its position, and its command where the job knows none.
func (t *jobText) run(ctx context.Context) *Failure {
	f, p := t.f, t.site
	f.run.prepare()
	leave, err := p.enterSlots(ctx, t.tellHeld)
	if err != nil {
		return f.cutOff(ctx, ast.Pos{})
	}
	defer leave()
	job, err := t.job(ctx)
	if err != nil {
		return newFailure(systemOr(KindError, err), ast.Pos{}, err.Error())
	}
	if f.place != nil {
		if failure := t.begin(ctx, job); failure != nil {
			return failure
		}
	}
	return t.await(ctx, job)
}

// await waits for a job, and returns how it failed.
func (t *jobText) await(ctx context.Context, job *engine.Job) *Failure {
	f := t.f
	result, err := t.site.jobs.Run(ctx, job)
	t.forget = result.Forget
	if failure := t.unreached(err); failure != nil {
		return failure
	}
	failure := jobFailure(result, t.site.options)
	if err != nil {
		failure = f.cutOff(ctx, ast.Pos{})
		failure.Stderr = stderrOfJob(result)
		failure.adds(result.Message)
	}
	if err == nil && result.Discard != nil {
		f.retried.add(job.Folder, result.Discard)
	}
	if result.Unsettled != nil {
		failure.adds("job " + result.Number + " may still be running")
		f.run.unsettled.add(f.try, result.Unsettled)
	}
	return failure
}

// adds adds to the message of a failure, also if that is replaced by why it was cut off.
func (f *Failure) adds(message string) {
	if message != "" {
		f.Message += "; " + message
		f.besides += "; " + message
	}
}

// stderrOfJob is the end of what a job has written to standard error.
func stderrOfJob(r engine.Result) Stderr {
	return Stderr{end: r.Stderr, torn: len(r.Stderr) >= engine.MostStderr, ofJob: true}
}

// job makes the job for the engine.
func (t *jobText) job(ctx context.Context) (*engine.Job, error) {
	f := t.f
	environ, err := f.environment()
	if err != nil {
		return nil, err
	}
	dir, err := f.directoryOfJobs()
	if err != nil {
		return nil, err
	}
	j := t.waiting(ctx)
	j.Script, j.Words, j.Options, j.Inputs = t.script.String(), t.words, t.site.options, t.inputs
	j.Origin = t.f.origin(t.pos, t.targets)
	if f.run.Secrets.Any() {
		j.Shown, j.ShownOptions = f.run.Secrets.Words(t.words), f.run.Secrets.Words(t.site.options)
	}
	j.Dir, j.Umask, j.Environ = dir, umask(), environ
	j.Joined = t.before[1] == t.before[2] && t.before[1] != closed
	return j, nil
}

// directoryOfJobs is the path of the shell's directory: far away there is nothing to stand in.
func (f *frame) directoryOfJobs() (string, error) {
	if dir := f.dir.Current(); dir != "" {
		return dir, nil
	}
	return f.directory()
}

// origin says where a job comes from that stands at a position now.
func (f *frame) origin(pos ast.Pos, targets []string) engine.Origin {
	o := engine.Origin{Line: int(pos.Line), Number: f.atItem.number()}
	for _, target := range targets {
		o.Targets = append(o.Targets, f.run.Secrets.Text(target))
	}
	if pos.Source != nil {
		o.Script = f.run.Secrets.Text(pos.Source.Name)
	}
	o.Item = event.VisibleLine(f.shownItem())
	return o
}

// waiting makes a job that the engine can wait for.
func (t *jobText) waiting(ctx context.Context) *engine.Job {
	return &engine.Job{
		Outputs:  len(t.outputs),
		Crowd:    t.f.crowd,
		Test:     t.test,
		Output:   func(name string, text []byte) error { return t.takeOutput(ctx, name, text) },
		Patience: func() time.Duration { return t.f.patience(nil) }, Tell: t.tellProgress,
	}
}

// tellProgress announces where the job is.
func (t *jobText) tellProgress(p engine.Progress) {
	message := p.Reason
	if p.Number != "" {
		message = "job " + p.Number
		for _, more := range []string{p.Node, p.Reason, p.Used.String()} {
			if more != "" && more != "None" {
				message += ", " + more
			}
		}
	}
	e := event.Event{Kind: event.JobState, Name: p.Ticket, Value: p.State, Message: message, Elapsed: p.Used.Elapsed}
	if p.Used != (engine.Usage{}) {
		e.Job = &event.Job{Asked: t.site.options, CPU: p.Used.CPU, Memory: p.Used.Memory}
	}
	t.f.tellEvent(observed{id: t.f.id, pos: t.pos}, e)
}

// tellHeld announces that the job has to wait for others.
func (t *jobText) tellHeld(limit int) {
	o := observed{id: t.f.id, pos: t.pos}
	t.f.tellEvent(o, event.Event{Kind: event.JobWait, Message: fmt.Sprintf(".limit. %d", limit)})
}

// takeOutput hands on what the job has written. Of a job that was cut off a little time is left to who reads it.
func (t *jobText) takeOutput(ctx context.Context, name string, text []byte) error {
	fd := t.before[1]
	switch n, isCapture := strings.CutPrefix(name, "out."); {
	case isCapture:
		number, _ := strconv.Atoi(n)
		fd = t.outputs[number]
	case name == "stderr":
		fd = t.before[2]
	}
	if fd == closed {
		return nil
	}
	late, stop := t.f.lateBy(ctx, readerTime)
	defer stop()
	return files.WritePatiently(late, fd, text)
}

// readerTime is how long a reader of what a job has written may take once the job was cut off.
const readerTime = time.Second

// errUnread is why what a job has written was not handed on.
var errUnread = errors.New("nobody reads it")

// lateBy returns a context that is cancelled some time after ctx.
func (f *frame) lateBy(ctx context.Context, d time.Duration) (late context.Context, stop func()) {
	late, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	leave := context.AfterFunc(ctx, func() {
		timer := f.run.clock.AfterFunc(f.run.clock.Now()+d, func() { cancel(errUnread) })
		<-late.Done()
		timer.Stop()
	})
	return late, func() {
		leave()
		cancel(nil)
	}
}

// jobFailure is the failure that a result tells; nil: it succeeded. One for want of memory says how much there was.
func jobFailure(r engine.Result, asked []string) *Failure {
	if r.Kind == "" {
		return nil
	}
	failure := &Failure{Kind: Kind(r.Kind), Status: r.Status, Command: r.Command, Message: r.Message, early: r.Early}
	if failure.Kind == KindMemory && r.Used.Memory > 0 {
		failure.Message += "; its largest process had " + engine.Bytes(r.Used.Memory)
		if options := mentioning("mem", asked); len(options) > 0 {
			failure.Message += ", asked for: " + strings.Join(options, " ")
		}
	}
	if r.Number != "" {
		failure.Message += " (job " + r.Number
		if r.Node != "" {
			failure.Message += " on " + r.Node
		}
		failure.Message += ")"
	}
	failure.Stderr = stderrOfJob(r)
	return failure
}

// mentioning are the options that have something in their names or values, each with its value where that is the
// next word.
func mentioning(text string, options []string) (found []string) {
	for i, word := range options {
		if !strings.Contains(word, text) {
			continue
		}
		found = append(found, word)
		if strings.HasPrefix(word, "--") && !strings.Contains(word, "=") && i+1 < len(options) {
			found = append(found, options[i+1])
		}
	}
	return found
}

// umask is this process's, read without changing it.
func umask() int {
	text, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(text), "\nUmask:")
	line, _, _ := strings.Cut(rest, "\n")
	mask, err := strconv.ParseInt(strings.TrimSpace(line), 8, 32)
	if err != nil {
		return 0o022
	}
	return int(mask)
}

// unsettled are jobs that were cancelled and may still be running, by the tries that they were of:
// none of these makes a further attempt before it is known that they are gone.
type unsettled struct {
	mu   sync.Mutex
	jobs map[*try][]*doubt
}

// doubt is whether one job is gone.
type doubt struct {
	mu   sync.Mutex
	gone bool
	wait func(ctx context.Context) (gone bool)
}

// add notes a job of a try, and of all around.
func (u *unsettled) add(t *try, wait func(context.Context) bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.jobs == nil {
		u.jobs = map[*try][]*doubt{}
	}
	for d := (&doubt{wait: wait}); t != nil; t = t.outer {
		u.jobs[t] = append(u.jobs[t], d)
	}
}

// forget forgets the jobs of a try, which has ended. Those around know of them.
func (u *unsettled) forget(t *try) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.jobs, t)
}

// settle waits until the jobs of a try are gone, or ctx ends.
func (u *unsettled) settle(ctx context.Context, t *try) {
	u.mu.Lock()
	doubts := u.jobs[t]
	delete(u.jobs, t)
	u.mu.Unlock()
	for _, d := range doubts {
		d.settle(ctx)
	}
}

func (d *doubt) settle(ctx context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gone = d.gone || d.wait(ctx)
}
