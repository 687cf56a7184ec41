package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/interp/jobs/batch"
	"ftsh/interp/world"
)

// Left is a job whose folder is there: it is under way, or has failed.
type Left struct {
	order            // its words and options are as people may see them
	Environ []string // of its programs
	Ticket  string
	Cluster string
	Path    string
	State   string // queued, running, ended, to cancel, gone, or how it failed: a kind
	Message string
	Number  string
	Node    string
	Used    usage
	By      string // the ticket of the pilot that runs it; "": none does
	Ended   bool   // it has said how it ended
	Ends    bool   // it was told to end after it had begun, and is not known to have done so
}

// IsOf reports whether the job is of the cluster with that name and address.
func (l *Left) IsOf(cluster string) bool { return l.Cluster == plain(cluster, longestCluster) }

// Failed reports whether the shell has seen it fail.
func (l *Left) Failed() bool {
	return !slices.Contains([]string{stateQueued, stateRunning, stateEnded, stateToCancel}, l.State)
}

// Folders is the path of the folder that holds those of all jobs, in one for each cluster.
type Folders string

// List lists the jobs in the order of their names. What is not ours, or no job, is passed over.
func (f Folders) List() ([]*Left, error) {
	return f.list(func(ticket) bool { return true })
}

// OfShell lists the jobs that a shell has made, which is named by the marker of its commands.
func (f Folders) OfShell(marker string) ([]*Left, error) {
	session := sessionOf(marker)
	return f.list(func(t ticket) bool { return strings.Contains(t.name, "-"+session+"-") })
}

// Unsettled lists the jobs of a journal's script that are under way, or have ended and are not known to have
// failed, or were told to end and may still run. Of all others, which may be thousands, little is read: those that
// have failed are known by a name in their folders.
func (f Folders) Unsettled(journal string) ([]*Left, error) {
	return f.list(func(t ticket) bool {
		if t.has(resultName) && !t.has(stopName) {
			return false
		}
		var o order
		return t.readJSON("job", &o) == nil && o.Journal == journal
	})
}

// list lists the jobs that are wanted.
func (f Folders) list(wanted func(ticket) bool) (list []*Left, err error) {
	path := string(f)
	if err := trusted(path, unix.S_IFDIR); err != nil {
		if errors.Is(err, unix.ENOENT) {
			return nil, nil
		}
		return nil, err
	}
	clusters, err := os.ReadDir(path)
	for _, cluster := range clusters {
		tickets, _ := os.ReadDir(filepath.Join(path, cluster.Name()))
		for _, entry := range tickets {
			t := ticketAt(filepath.Join(path, cluster.Name(), entry.Name()))
			if strings.HasPrefix(entry.Name(), ".") || !wanted(t) {
				continue
			}
			if l, ok := readLeft(string(t.folder)); ok {
				l.Cluster = cluster.Name()
				list = append(list, l)
			}
		}
	}
	return list, err
}

// readLeft reads the folder of a job.
func readLeft(path string) (l *Left, ok bool) {
	t, o, err := openTicket(path)
	if err != nil {
		return nil, false
	}
	if o.Shown != nil {
		o.Words = o.Shown
	}
	if o.ShownOptions != nil {
		o.Options = o.ShownOptions
	}
	l = &Left{order: o, Ticket: t.name, Path: path, State: stateQueued}
	if text, err := t.read("environ"); err == nil {
		l.Environ = strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	}
	g := t.generation()
	if held, made := t.claimed(g); made && !held.Shell {
		l.State, l.Number, l.Node, l.By = stateRunning, held.Number, held.Node, held.Pilot
	}
	if s, there, _ := t.ended(g); there {
		l.Ended = true
		l.State, l.Message, l.Number, l.Node, l.Used = stateEnded, s.Message, s.Number, s.Node, s.Used
	}
	_, stopped := t.read(stopName)
	l.Ends = stopped == nil && !l.Ended
	if t.isToCancel() {
		l.State = stateToCancel
	}
	var noted failureNote
	if t.readJSON(resultName, &noted) == nil {
		l.State, l.Message = string(noted.Result), noted.Why
		if l.Number == "" {
			l.Number = noted.Number
		}
	}
	return l, true
}

// Command is what the job does, for people: the words, and where they read and write.
func (o order) Command() string {
	if o.Script == "" {
		return strings.Join(o.Words, " ")
	}
	var pairs []string
	for i, word := range o.Words {
		pairs = append(pairs, fmt.Sprintf(`"${%d}"`, i+1), word)
	}
	for n := range strings.Count(o.Script, `"${0}/`) { // files in its folder
		for _, name := range []string{fmt.Sprint("in.", n), fmt.Sprint("out.", n)} {
			pairs = append(pairs, `"${0}/`+name+`"`, name)
		}
	}
	return strings.TrimSpace(strings.NewReplacer(pairs...).Replace(o.Script))
}

// generation is the submission that has begun; if none has, the last that a shell has claimed; 1 if none did.
func (t ticket) generation() int {
	last := 1
	for g := 1; g <= 1+repeats; g++ {
		held, made := t.claimed(g)
		if made && !held.Shell {
			return g
		}
		if made {
			last = g
		}
	}
	return last
}

// abandon ends a job that no shell waits for, or that somebody wants no more of: it never begins any more. It reports
// whether it had begun, so that the batch system has to end it; a pilot ends its program itself. What is known of how
// it failed stays.
func (l *Left) abandon() (begun bool, err error) {
	t, _, err := openTicket(l.Path)
	if err != nil {
		return false, err
	}
	for g := 1; g <= 1+repeats; g++ {
		held, won, err := t.take(g, claim{Shell: true})
		if err != nil {
			return true, err
		}
		if _, there, _ := t.ended(g); !won && !held.Shell && !there {
			begun = true
		}
	}
	if begun && !l.Ends {
		_ = t.write(stopName, nil)
	}
	if !l.Failed() {
		t.note(failed(batch.Cancelled, l.Number, "nobody waits for it any more"))
	}
	return begun, nil
}

// End ends jobs that nobody waits for: those that have not begun never will, and the runners of the others end all that
// they have started, for half of the patience; the batch system ends what then still runs. It returns once all are
// known to have ended, or ctx has. What could not be cancelled by then the next shell cancels.
func (c *Cluster) End(ctx context.Context, left []*Left, patience time.Duration) (err error) {
	defer c.errands.use()()
	var begun []*doomed
	var waiting []ticket
	for _, l := range left {
		has, failed := l.abandon()
		switch t := ticketAt(l.Path); {
		case failed != nil:
			err = errors.Join(err, failed)
		case has:
			begun = append(begun, c.doom(t, patience))
		default:
			waiting = append(waiting, t)
		}
	}
	var cancelling sync.WaitGroup
	cancelling.Go(func() { c.withdraw(ctx, waiting) })
	err = errors.Join(err, c.end(ctx, begun...))
	for _, d := range begun {
		if c.hasEnded(ctx, d) {
			_ = os.Remove(d.join(stopName))
		} else {
			c.cancelLater(d.ticket, d.names)
		}
	}
	cancelling.Wait()
	return err
}

// withdraw has jobs taken out of the queue that never begin.
func (c *Cluster) withdraw(ctx context.Context, waiting []ticket) {
	var all []string // what the queue may call them
	for _, t := range waiting {
		all = append(all, t.allNames()...)
	}
	ctx, stop := backoff.WithDeadline(ctx, c.Clock, c.Clock.Now()+withdrawTime, errSlow)
	defer stop()
	if len(all) == 0 || c.cancel(ctx, all) == nil {
		return
	}
	for _, t := range waiting {
		c.cancelLater(t, t.allNames())
	}
	if c.Waits != nil {
		c.Waits("the batch system does not answer: the next shell that reaches it takes out of the queue what never begins")
	}
}

// withdrawTime limits the time for which jobs are waited for that are taken out of the queue: they do no harm there.
const withdrawTime = 10 * time.Second

// discard removes the folder of a job, if the job failed.
func discard(path string) {
	if t, _, err := openTicket(path); err == nil && t.has(resultName) {
		_ = t.remove()
	}
}

// Remove removes the folder.
func (l *Left) Remove() error { return ticketAt(l.Path).remove() }

// Again is the same job, to be run once more. What it had captured goes to its standard output.
func (l *Left) Again() (*Job, error) {
	t, o, err := openTicket(l.Path)
	if err != nil {
		return nil, err
	}
	o.Joined, o.Outlives, o.Limit = false, false, time.Time{}
	j := &Job{order: o, Asked: world.Job{Environ: l.Environ}}
	for n := 0; ; n++ {
		text, err := t.read(fmt.Sprintf("in.%d", n))
		if errors.Is(err, os.ErrNotExist) {
			return j, nil
		}
		if err != nil {
			return nil, err
		}
		j.Asked.Inputs = append(j.Asked.Inputs, string(text))
	}
}

// Output is the end of what it has written to standard error and standard output.
func (l *Left) Output() (stdout, stderr string) {
	t := ticketAt(l.Path)
	return t.lastBytes(stdoutName), t.lastBytes(stderrName)
}

// SeemsToRun reports whether a job has begun and has not said how it ended.
func (l *Left) SeemsToRun() bool { return l.State == stateRunning || l.Ends }

// IsGone reports whether FindGone has found that the batch system has the job no more.
func (l *Left) IsGone() bool { return l.State == stateGone }

// Shown is the state for people: what is noted of a job that was cancelled is not true before it has ended.
func (l *Left) Shown() string {
	if l.Ends && l.State != stateToCancel {
		return stateEnding
	}
	return l.State
}

// FindGone looks which of the jobs that seem to run the batch system has no more, and gives these their state. It
// reports whether the batch system has answered; if not, nothing is known of them.
func (c *Cluster) FindGone(ctx context.Context, left []*Left) (answered bool) {
	defer c.errands.use()()
	answered = true
	for _, l := range left {
		t := ticketAt(l.Path)
		began, known := t.begun(c.Clock.Now())
		if !known {
			continue
		}
		list := c.listSince(ctx, began)
		if list == nil {
			answered = false
			continue
		}
		names, _ := c.carriers(t)
		if !c.over(list, names, 0) {
			continue
		}
		if _, there, _ := t.ended(t.generation()); there || !t.has("job") {
			continue // in this moment
		}
		if l.Ends = false; l.Failed() {
			continue // as it was told to
		}
		l.State, l.Message = stateGone, c.whyGone(list, names)
	}
	return answered
}

// begun returns a moment at which the job surely had its claim; false: it has just begun, or that cannot be seen.
func (t ticket) begun(now time.Duration) (at time.Duration, known bool) {
	const skew = 2 * time.Second // of the clock that has dated the claim
	info, err := os.Lstat(t.join(claimName(t.generation())))
	if err != nil {
		return 0, false
	}
	age := time.Since(info.ModTime()) - skew
	return now - age, age > 0
}

// listSince returns an answer of the batch system to what was asked after a moment, for which it waits; nil: there is
// none.
func (c *Cluster) listSince(ctx context.Context, since time.Duration) (list *snapshot) {
	began := c.Clock.Now()
	_ = ofBegin.await(ctx, c.Clock, func() (done bool) {
		list = c.queue.latest(c.Interval)
		if list.Asked <= since {
			list = c.queue.latest(0)
		}
		return list.Asked > since && !c.queue.isDue(list, c.Interval) || c.queue.hasFailedSince(began)
	})
	if list.Asked <= since {
		return nil
	}
	return list
}

// whyGone asks the batch system about a job that is gone.
func (c *Cluster) whyGone(list *snapshot, names []string) string {
	why := ""
	for _, e := range list.called(names) {
		if e.Kind != batch.Succeeded {
			why = e.Message
		}
	}
	return cmp.Or(why, "the batch system has it no more") + "; it has left no status"
}
