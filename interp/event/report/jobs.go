package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ftsh/interp/brief"
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

// firstLabel is the label of the first bar that is not of a job's waiting.
func (l *lane) firstLabel() string {
	at := slices.IndexFunc(l.bars, func(b *bar) bool { return !b.job || b.kind != waitBar })
	return l.bars[max(0, at)].label
}

// use holds what was asked for a job, and what it has used.
type use struct {
	place, asked string
	elapsed, cpu time.Duration
	memory       int64
}

// used holds what the jobs of one line with the same options have used: half of them that much at most, and all.
type used struct {
	Place, Asked string
	Count        int
	Elapsed, CPU [2]time.Duration
	Memory       [2]int64
}

// sumUses compares what was asked for jobs with what they have used, in the order in which the first of them ended.
func (s *Story) sumUses() (list []used) {
	groups := map[[2]string][]use{}
	var order [][2]string
	for _, one := range s.uses {
		name := [2]string{one.place, one.asked}
		if groups[name] == nil {
			order = append(order, name)
		}
		groups[name] = append(groups[name], one)
	}
	for _, name := range order {
		group := groups[name]
		list = append(list, used{Place: name[0], Asked: name[1], Count: len(group),
			Elapsed: halfAndAll(group, func(u use) time.Duration { return u.elapsed }),
			CPU:     halfAndAll(group, func(u use) time.Duration { return u.cpu }),
			Memory:  halfAndAll(group, func(u use) int64 { return u.memory })})
	}
	return list
}

// halfAndAll is the value that half of a group do not exceed, and that which none does.
func halfAndAll[T cmp.Ordered](group []use, value func(use) T) [2]T {
	values := make([]T, 0, len(group))
	for _, one := range group {
		values = append(values, value(one))
	}
	slices.Sort(values)
	return [2]T{values[(len(values)-1)/2], values[len(values)-1]}
}

// cells are the columns of a row: how many, where, asked for, time, CPU, memory.
func (u *used) cells() []string {
	return []string{thousands(u.Count), u.Place, cmp.Or(u.Asked, "-"),
		upTo(brief.Time(u.Elapsed[0]), brief.Time(u.Elapsed[1])),
		upTo(brief.Time(u.CPU[0]), brief.Time(u.CPU[1])), upTo(brief.Size(u.Memory[0]), brief.Size(u.Memory[1]))}
}

// usedHeads stand above them.
var usedHeads = []string{"jobs", "line", "asked for", "time", "CPU time", "memory"}

// upTo says half and all in one, if they differ.
func upTo(half, all string) string {
	if half == all {
		return all
	}
	return half + " … " + all
}

// textUses writes what was asked for jobs, and what they have used.
func (s *Story) textUses(b *strings.Builder) {
	rows := [][]string{usedHeads}
	for _, used := range s.sumUses() {
		rows = append(rows, used.cells())
	}
	if len(rows) == 1 {
		return
	}
	b.WriteString("\nWhat jobs were given and have used (half of them … all, at most)\n")
	widths := make([]int, len(usedHeads))
	for _, row := range rows {
		for i := range row {
			row[i] = shortText(row[i], 60)
			widths[i] = max(widths[i], len([]rune(row[i])))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += fmt.Sprintf("  %-*s", widths[i], cell)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
