package interp

import (
	"context"
	"errors"
	"fmt"
	"ftsh/ast"
	"ftsh/interp/brief"
	"ftsh/interp/event"
	"ftsh/interp/files"
	"ftsh/interp/jobs"
	"os"
	"strconv"
	"strings"
	"time"
)

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
func (t *jobText) await(ctx context.Context, job *jobs.Job) *Failure {
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
func stderrOfJob(r jobs.Result) Stderr {
	return Stderr{end: r.Stderr, torn: len(r.Stderr) >= jobs.MostStderr, ofJob: true}
}

// job makes the job for the engine.
func (t *jobText) job(ctx context.Context) (*jobs.Job, error) {
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
func (f *frame) origin(pos ast.Pos, targets []string) jobs.Origin {
	o := jobs.Origin{Line: int(pos.Line), Number: f.atItem.number()}
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
func (t *jobText) waiting(ctx context.Context) *jobs.Job {
	return &jobs.Job{
		Outputs:  len(t.outputs),
		Crowd:    t.f.crowd,
		Test:     t.test,
		Output:   func(name string, text []byte) error { return t.takeOutput(ctx, name, text) },
		Patience: func() time.Duration { return t.f.patience(nil) }, Tell: t.tellProgress,
	}
}

// tellProgress announces where the job is.
func (t *jobText) tellProgress(p jobs.Progress) {
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
	if p.Used != (jobs.Usage{}) {
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

// readerTime limits the time that a reader of what a job has written may take once the job was cut off.
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
func jobFailure(r jobs.Result, asked []string) *Failure {
	if r.Kind == "" {
		return nil
	}
	failure := &Failure{Kind: Kind(r.Kind), Status: r.Status, Command: r.Command, Message: r.Message, early: r.Early}
	if failure.Kind == KindMemory && r.Used.Memory > 0 {
		failure.Message += "; its largest process had " + brief.Size(r.Used.Memory)
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
