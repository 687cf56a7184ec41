package jobs

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ftsh/backoff"
	"ftsh/interp/jobs/batch"
)

// A bundle is submitted at once: a job, or several as an array.
type bundle struct {
	cluster *Cluster
	jobs    []*running
	name    string
}

// newBundle gives the jobs of an array the names that the queue will have for them.
func newBundle(c *Cluster, jobs []*running) (*bundle, error) {
	b := &bundle{cluster: c, jobs: jobs, name: jobs[0].ticket.name}
	if len(jobs) == 1 {
		return b, nil
	}
	b.name = c.newName(jobs[0].job)
	for i, r := range jobs {
		if err := r.ticket.queuedAs(r.current.generation, c.System.Array().Name(b.name, i)); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// number returns the number by which people call the i-th job.
func (b *bundle) number(number string, i int) string {
	if len(b.jobs) == 1 || number == "" {
		return number
	}
	return b.cluster.System.Array().Number(number, i)
}

// submit submits until the answer is Accepted, without a number where that was lost; Refused; or, of an array, that
// fewer jobs should be tried.
func (b *bundle) submit(ctx context.Context) (batch.Answer, error) {
	c, first := b.cluster, b.jobs[0]
	defer c.errands.use()()
	s := batch.Submission{
		Name: b.name, Script: b.script(), Log: first.ticket.join("log"), Options: first.job.Options, Tasks: len(b.jobs)}
	s.Comment, s.Dir = b.origin()
	if s.Tasks > 1 { // each writes what goes wrong to its own
		s.Log = "/dev/null"
	}
	for silent := c.Clock.Now(); ; {
		c.submits.owes(c.Clock.Now())
		answer := c.request(ctx, s, b.isClaimed)
		if answer.Receipt == batch.Absent || answer.Receipt == batch.Doubtful {
			c.submits.failed(answer.Message)
			answer.Message = c.submits.text(c.Clock.Now(), 0)
		} else {
			c.submits.ended()
		}
		switch {
		case answer.Receipt == batch.Accepted:
			c.tidy()
			return answer, nil
		case answer.Receipt == batch.Refused,
			answer.Receipt == batch.Full && s.Tasks > 1 && !c.System.Array().AsOne:
			return answer, nil
		}
		for _, r := range b.jobs {
			r.job.tell(Progress{Ticket: r.ticket.name, State: stateWaiting, Reason: answer.Message})
		}
		again := nextRequest(silent, c.Clock.Now())
		if answer.Receipt == batch.Full {
			silent = c.Clock.Now()
			again = silent + fullPause
			c.submits.owes(silent)
			c.submits.failed(answer.Message)
		}
		if err := backoff.Sleep(ctx, c.Clock, again); err != nil {
			return answer, err
		}
		if answer.Receipt == batch.Doubtful && b.arrived(ctx) {
			return batch.Answer{}, context.Cause(ctx)
		}
	}
}

// script returns the text that the batch system starts. The marker of this shell's processes must not be seen in
// the job's: on one machine the guardian would take them for its own. A task of an array finds its folder
// by its number; what goes wrong before the job has begun is written to a file there.
func (b *bundle) script() string {
	const begin = "#!/bin/sh\nunset FTSH_COMMAND\n"
	submission := strconv.FormatInt(time.Now().Unix(), 10) + "." + randomWord()
	program, _ := b.cluster.program() // there is one: Run has seen to that
	command := "exec " + quoted(program) + " --job "
	first := b.jobs[0]
	if len(b.jobs) == 1 {
		return fmt.Sprintf("%s%s%s %d %s\n", begin, command, quoted(string(first.ticket.folder)), first.current.generation,
			submission)
	}
	array := b.cluster.System.Array()
	var text strings.Builder
	fmt.Fprintf(&text, "%sf=%s/\ncase $%s in\n", begin, quoted(filepath.Dir(string(first.ticket.folder))), array.Variable)
	for i, r := range b.jobs {
		fmt.Fprintf(&text, "%d) f=${f}%s g=%d;;\n", array.First+i, r.ticket.name, r.current.generation)
	}
	fmt.Fprintf(&text, "esac\n[ -d \"$f\" ] || exit 0\n%s\"$f\" \"$g\" %s >> \"$f/log\" 2>&1\n", command, submission)
	return text.String()
}

// quoted is a word for /bin/sh.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// fullPause is how long to wait where the site takes no more jobs.
const fullPause = 10 * time.Second

// nextRequest returns when to make a request again that was not answered since a moment: six times in the first minute,
// evenly, so that the end of a short outage is noticed soon; then once a minute.
func nextRequest(since, now time.Duration) time.Duration {
	for _, seconds := range []time.Duration{1, 10, 20, 30, 45, 75} {
		if at := since + seconds*time.Second; at > now {
			return at
		}
	}
	return now + time.Minute
}

// request makes one submission. It is not cut short at once when the job is cancelled. Once a job of it has begun it
// has arrived, and its answer is not waited for.
func (c *Cluster) request(ctx context.Context, s batch.Submission, begun func() bool) (answer batch.Answer) {
	if ctx.Err() != nil {
		return batch.Answer{Receipt: batch.Absent}
	}
	answered := false
	if c.admit != nil {
		done, err := c.admit(ctx)
		switch {
		case ctx.Err() != nil:
			return batch.Answer{Receipt: batch.Absent}
		case err != nil:
			return batch.Answer{Receipt: batch.Absent, Message: err.Error()}
		}
		defer func() { done(answered) }()
	}
	began := c.Clock.Now()
	request, done := ofRequest(ctx, c.Clock, c.soon())
	answers := make(chan batch.Answer, 1)
	c.errands.start(func(over context.Context) {
		defer done()
		defer context.AfterFunc(over, done)()
		answers <- c.System.Submit(request, s)
	})
	watched, stop := context.WithCancel(request)
	arrived := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		if c.watch(watched, begun) {
			close(arrived)
		}
	})
	select {
	case answer = <-answers:
	case <-arrived:
	}
	stop()
	watching.Wait()
	if answered = answer.Receipt != batch.Doubtful && answer.Receipt != batch.Absent; answered {
		c.took.Store(int64(c.Clock.Now() - began))
	}
	return answer
}

// watch looks beside a request for what makes it needless; false: the request has ended before.
func (c *Cluster) watch(request context.Context, needless func() bool) bool {
	every := rhythm{longestLook, longestLook, 1}
	return backoff.Sleep(request, c.Clock, c.Clock.Now()+every.first) == nil &&
		every.await(request, c.Clock, needless) == nil
}

// arrived reports whether a submission that was in doubt did arrive: one of its jobs has a claim or
// stands in the queue.
func (b *bundle) arrived(ctx context.Context) bool {
	c := b.cluster
	asked := c.Clock.Now()
	found := false
	_ = ofBegin.await(ctx, c.Clock, func() (done bool) {
		list := c.queue.latest(0)
		answered := list.Asked >= asked
		found = b.isClaimed() || answered &&
			slices.ContainsFunc(b.jobs, func(r *running) bool { return len(r.entries(list)) > 0 })
		return found || answered || c.queue.hasFailedSince(asked) || c.Clock.Now()-asked > answerTime
	})
	return found
}

// answerTime limits the time for which a submission that is in doubt waits for a list of the queue: it may be repeated.
const answerTime = 10 * time.Second

// isClaimed reports whether a job of the bundle has a claim.
func (b *bundle) isClaimed() bool {
	return slices.ContainsFunc(b.jobs, func(r *running) bool {
		_, claimed := r.ticket.claimed(r.current.generation)
		return claimed
	})
}

// mostComment limits what the batch system is given of an origin, in bytes: Slurm refuses more than 1,024.
const mostComment = 200

// origin returns the place that the jobs of a bundle come from, as far as that is the same of all, and their
// directory. Without one of all it is /, which every node has.
func (b *bundle) origin() (comment, dir string) {
	origin, dir := b.jobs[0].job.Origin, string(b.jobs[0].job.Dir)
	for _, r := range b.jobs[1:] {
		origin.Item = ""
		if r.job.Origin.Line != origin.Line || r.job.Origin.Script != origin.Script {
			origin.Line = 0
		}
		if string(r.job.Dir) != dir {
			dir = "/"
		}
	}
	comment = origin.String()
	return comment[:min(len(comment), mostComment)], dir
}
