package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/interp/jobs/batch"
)

// Config says where jobs run.
type Config struct {
	System  batch.System
	Cluster string // name and address of its controller; "": the batch system is asked
	Folder  string // of all clusters' jobs; absolute
	Marker  string // of the shell's commands, which is unique on a machine until the next boot
	Clock   backoff.Clock
	// Environ holds the variables that the shell was started with: those of a job that it runs in are not those of its
	// own jobs.
	Environ []string
	// Waits is told why the batch system does not say which cluster it is, or could not be told what to cancel; nil:
	// nobody wants to know.
	Waits func(why string)
	// Admission makes what waits until a request to submit may be made to a cluster, and is told whether that was
	// answered: all shells of a user share it. Nil: there is nobody to ask.
	Admission func(cluster string) (admit func(ctx context.Context) (done func(answered bool), err error), err error)
	// Journal is the file of the script's journal; "": it has none.
	Journal string
	// Under is told of each job that is under way, and whether it outlives the shell. Nil: nobody wants to know.
	Under func(outlives bool) (ended func())
	// Interval is the least time between two lists of the queue, and half of the time for which a
	// job has to be missing, or may still show its status when it has ended according to the queue; 0: 30 s.
	Interval time.Duration
}

const (
	defaultInterval = 30 * time.Second
	requestLimit    = 2 * time.Minute // of one request to the batch system
	repeats         = 5               // of a job that was lost before it began
)

// Cluster runs jobs. Safe for concurrent use.
type Cluster struct {
	Config
	folder  folder
	session string        // names the shell among all others that there ever were
	grace   time.Duration // in which a job that has ended according to the queue may still show its status
	admit   func(ctx context.Context) (done func(answered bool), err error)
	errands errands
	queue   *queue
	submits silence     // of submissions
	tidying atomic.Bool // what could not be cancelled before is being cancelled
	numbers atomic.Int64
	tasks   atomic.Int64 // how many an array may have here; 0: as many as the batch system says
	unbegun atomic.Int64 // jobs in a row that were lost before they had begun
	took    atomic.Int64 // how long the last submission took that was answered
	left    atomic.Int64 // jobs that were submitted and left to a later shell
	cancels *requests
	endings *requests // by a signal to runners
	looks   looks
	live    sync.Map               // of *running
	program func() (string, error) // the copy of this program that jobs run
}

// open makes a Cluster. Its folder is made when it is needed.
func open(c Config) (*Cluster, error) {
	if c.Interval == 0 {
		c.Interval = defaultInterval
	}
	if !filepath.IsAbs(c.Folder) {
		return nil, fmt.Errorf("the folder of jobs %q (FTSH_JOBS): wanted a path that begins with /", c.Folder)
	}
	if _, err := makeFolders(c.Folder); err != nil {
		return nil, err
	}
	in, err := makeFolder(filepath.Join(c.Folder, plain(c.Cluster, longestCluster)))
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	cluster := &Cluster{Config: c, folder: in, session: sessionOf(c.Marker), grace: 2 * c.Interval,
		cancels: newRequests(c.System.Cancel)}
	cluster.queue = &queue{in: in, name: ".list-" + plain(host, 100), system: c.System, clock: c.Clock,
		errands: &cluster.errands, answered: cluster.tidy}
	cluster.endings = newRequests(func(ctx context.Context, names []string) error {
		return c.System.Signal(ctx, names, syscall.SIGTERM)
	})
	if c.Admission != nil {
		if cluster.admit, err = c.Admission(c.Cluster); err != nil {
			return nil, err
		}
	}
	cluster.program = sync.OnceValues(cluster.keepProgram)
	return cluster, nil
}

// longestCluster limits the name of a cluster's folder.
const longestCluster = 200

// sessionOf names a shell among all others that there ever were, by the marker of its commands.
func sessionOf(marker string) string {
	host, _ := os.Hostname()
	h := fnv.New64a()
	_, _ = h.Write([]byte(host + bootID() + marker))
	return strconv.FormatUint(h.Sum64(), 36)
}

// LeftAlone counts the jobs of the batch system that go on and were left to a later shell.
func (c *Cluster) LeftAlone() int { return int(c.left.Load()) }

// Run runs a job to its end, and returns how that was. If ctx is cancelled before, the job is
// cancelled, and the error is context.Cause(ctx); the result then only says what is still
// unsettled. Any other failure is a result.
func (c *Cluster) Run(ctx context.Context, j *Job) (Result, error) {
	if ctx.Err() != nil && j.Asked.Folder == "" {
		return Result{}, context.Cause(ctx)
	}
	if c.Under != nil {
		defer c.Under(j.Outlives)()
	}
	defer c.errands.use()()
	if _, err := c.program(); err != nil {
		return shortOf("", err), nil
	}
	make := c.ticket
	if j.Asked.Folder != "" {
		make = c.made
	}
	t, err := make(j)
	switch {
	case err != nil && j.Asked.Resumed:
		return Result{}, err
	case err != nil:
		return shortOf("cannot make the folder of a job: ", err), nil
	}
	late, stop := backoff.WithGrace(ctx, c.Clock, readerTime, errUnread)
	defer stop()
	r := &running{cluster: c, job: j, ticket: t, output: newTaker(late, t, j)}
	result, err := r.run(ctx)
	result.Ticket, result.Number = t.name, cmp.Or(result.Number, r.current.number)
	state, isNo := stateFailed, j.Asked.Test && result.Kind == exit && result.Status == 1 && !result.Early
	switch {
	case err != nil:
		state = stateLeft
	case result.Kind == batch.Succeeded || isNo: // the answer no of a test is no failure
		state = stateDone
	}
	r.announce(Progress{Number: result.Number, Node: result.Node, State: state, Used: result.Used})
	switch state {
	case stateDone:
		r.drop()
	case stateFailed:
		t.note(result)
	}
	if j.Outlives && result.unsettled == nil && state != stateFailed {
		result.Forget = func() { _ = t.remove() }
	}
	if result.unsettled != nil {
		result.Message = joined(result.Message, "job "+result.Number+" may still be running")
	}
	j.Attempts.add(j, t, result, state == stateFailed)
	return result, err
}

// soon limits how long a request may take once its job was cut off, so that limits end on time: some times as long
// as the last one took.
func (c *Cluster) soon() time.Duration {
	const times, least, most = 5, 200 * time.Millisecond, time.Second
	return min(max(times*time.Duration(c.took.Load()), least), most)
}

// ticket makes the folder of a job, under a name that tells people what it is.
func (c *Cluster) ticket(j *Job) (ticket, error) {
	j.Requeue = c.System.Requeues(j.Options)
	j.Asked.Environ = slices.DeleteFunc(slices.Clone(j.Asked.Environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		owned, reserved := c.System.Owns(name)
		ofShell := slices.Contains([]string{"FTSH_COMMAND", "FTSH_PARENT", "FTSH_DEADLINE", "FTSH_DEADLINE_BOOT"}, name)
		return reserved || ofShell || owned && slices.Contains(c.Environ, entry)
	})
	if j.Asked.Until != 0 {
		j.Limit = time.Now().Add(j.Asked.Until - c.Clock.Now())
	}
	j.Journal = c.Journal
	return newTicket(c.folder, c.newName(j), j)
}

// newName names a job, or an array whose first one it is.
func (c *Cluster) newName(j *Job) string {
	name := plain(filepath.Base(j.Words[0]), 30)
	if name == "" || j.Shown != nil && j.Shown[0] != j.Words[0] {
		name = "job"
	}
	return name + "-" + c.session + "-" + strconv.FormatInt(c.numbers.Add(1), 10)
}

// keepProgram keeps a copy of this program in a folder of the cluster, named by its hash, where it is not yet; so a
// job that waits for days runs the version that submitted it. It returns the copy's path.
func (c *Cluster) keepProgram() (string, error) {
	in, err := makeFolder(c.folder.join(".bin"))
	if err != nil {
		return "", err
	}
	source, err := os.Open("/proc/self/exe")
	if err != nil {
		return "", err
	}
	defer source.Close()
	// Two checksums that most processors have instructions for: packages of crypto would make the shell start more slowly,
	// and one checksum of 64 bits takes three times as long.
	one, other := crc32.NewIEEE(), crc32.New(crc32.MakeTable(crc32.Castagnoli))
	size, err := io.Copy(io.MultiWriter(one, other), source)
	if err != nil {
		return "", err
	}
	path := in.join(fmt.Sprintf("ftsh-%x-%08x%08x", size, one.Sum32(), other.Sum32()))
	if _, err := os.Lstat(path); err == nil {
		return path, trusted(path, unix.S_IFREG)
	}
	beside := path + "." + randomWord()
	copied, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return "", err
	}
	if _, err = source.Seek(0, io.SeekStart); err == nil {
		_, err = io.Copy(copied, source)
	}
	if err == nil {
		err = copied.Sync()
	}
	if err = errors.Join(err, copied.Close()); err == nil {
		err = os.Rename(beside, path)
	}
	if err != nil {
		_ = os.Remove(beside)
		return "", fmt.Errorf("cannot keep a copy of this program for jobs: %w", err)
	}
	in.sync()
	return path, nil
}
