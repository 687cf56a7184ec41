package report

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// jobTimes holds what a log says of the job that a command is.
type jobTimes struct {
	bar     *bar
	lane    *lane
	alone   bool      // the bar is the job's own, as that of a pipeline: it ends with the job
	held    time.Time // when .limit. began to hold it; zero: it does not
	free    time.Time // when that was over; zero: it never was held
	running time.Time // when it was first seen to run; zero: it was not
	ran     time.Duration
	known   bool // ran tells the time that its programs took
}

// takeJob adds what a record tells of a job. Where the log has no command for it, as for a pipeline, it is one.
func (b *builder) takeJob(r *record) {
	k := key{r.Shell, r.ID}
	job := b.jobs[k]
	if job == nil {
		job = &jobTimes{bar: b.open[k], lane: b.laneOf(r)}
		if job.bar == nil {
			job.bar, job.alone = b.beginBar(r, commandBar, "job "+r.Name), true
		}
		job.bar.job = true
		b.jobs[k] = job
	}
	if r.Event == "job.wait" {
		job.held = r.Time
		return
	}
	if !job.held.IsZero() && job.free.IsZero() {
		job.free = r.Time
	}
	switch r.Value {
	case "running":
		if job.running.IsZero() {
			job.running = r.Time
		}
	case "done", "failed", "left":
		b.endJob(r, job)
	}
}

// endJob notes what a job has come to.
func (b *builder) endJob(r *record, job *jobTimes) {
	if r.Elapsed > 0 || len(r.Asked) > 0 {
		job.ran, job.known = asDuration(r.Elapsed), true
		b.story.uses = append(b.story.uses, use{job.bar.place, strings.Join(r.Asked, " "),
			asDuration(r.Elapsed), asDuration(r.CPU), r.Memory})
	}
	if job.alone {
		job.bar.failed, job.bar.why = r.Value == "failed", r.Message
		b.endBar(r)
		b.divideJob(key{r.Shell, r.ID})
	}
}

// divideJob makes waits of the time for which a job was held and stood in the queue; its command is the rest.
func (b *builder) divideJob(k key) {
	job := b.jobs[k]
	if job == nil {
		return
	}
	delete(b.jobs, k)
	bar := job.bar
	submitted, began := bar.start, bar.end // if it never ran, all was the queue
	if !job.held.IsZero() {
		submitted = cmp.Or(job.free, bar.end)
	}
	switch {
	case job.known:
		began = bar.end.Add(-job.ran)
	case !job.running.IsZero():
		began = job.running
	}
	if began.Before(submitted) {
		began = submitted
	}
	job.addWait(bar.start, submitted, "held by .limit.: ")
	job.addWait(submitted, began, "in the queue: ")
	bar.start = began
}

// addWait adds a wait to the lane of a job, if it was one.
func (job *jobTimes) addWait(from, to time.Time, what string) {
	if !to.After(from) {
		return
	}
	wait := &bar{kind: waitBar, label: what + job.bar.label, place: job.bar.place, start: from, end: to, job: true,
		held: strings.HasPrefix(what, "held")}
	at := len(job.lane.bars) - 1
	for at > 0 && job.lane.bars[at] != job.bar {
		at--
	}
	job.lane.bars = slices.Insert(job.lane.bars, at, wait)
}

// use holds what was asked for a job, and what it has used.
type use struct {
	place, asked string
	elapsed, cpu time.Duration
	memory       int64
}
