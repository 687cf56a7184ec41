package interp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp"
	"ftsh/interp/jobs"
	"ftsh/interp/jobs/batch"
	"ftsh/interp/world"
	"ftsh/parser"
)

// cluster is a batch system in a bubble. It outlives the shells that submit to it. The programs of its jobs take no
// time, but each job may wait in the queue before it begins:
//
//	tell WORD …   writes the words to standard output
//	warn WORD …   writes them to standard error
//	copy          writes what it reads
//	fail N        ends with that status
type cluster struct {
	*bubble
	folder string        // FTSH_JOBS
	waits  time.Duration // in the queue
	tell   func()        // called when a job was submitted; nil: nothing is
	broken error         // why it cannot be used; nil: it can
	under  sync.WaitGroup
	ended  []string // commands, as an observer is told
	held   []string // what jobs wait for, likewise
	wrote  string   // what came of the jobs of scripts that went on

	lock      sync.Mutex
	submitted []int                         // how many jobs at a time
	ran       []string                      // the scripts of the jobs that began, with their words
	cancelled []string                      // names
	live      map[string]context.CancelFunc // by the names of the jobs
}

func newCluster(t *testing.T) *cluster {
	return &cluster{bubble: &bubble{start: time.Now()}, folder: filepath.Join(t.TempDir(), "jobs"),
		live: map[string]context.CancelFunc{}}
}

// What a script that is submitted says of its job, or of the tasks of an array.
var (
	jobArguments = regexp.MustCompile(`--job '([^']*)' (\d+) (\S+)`)
	arrayFolder  = regexp.MustCompile(`(?m)^f='([^']*)'/$`)
	arrayTask    = regexp.MustCompile(`(?m)^\d+\) f=\$\{f\}(\S+) g=(\d+);;$`)
	arrayWord    = regexp.MustCompile(`--job "\$f" "\$g" (\S+)`)
)

// Address implements batch.System.
func (c *cluster) Address(context.Context) (string, error) { return "bubble", nil }

// Submit queues a job, or the tasks of an array.
func (c *cluster) Submit(_ context.Context, s batch.Submission) batch.Answer {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.submitted = append(c.submitted, max(1, s.Tasks))
	if s.Tasks <= 1 {
		c.queue(s.Name, jobArguments.FindStringSubmatch(s.Script)[1:])
	} else {
		folder, word := arrayFolder.FindStringSubmatch(s.Script)[1], arrayWord.FindStringSubmatch(s.Script)[1]
		for i, task := range arrayTask.FindAllStringSubmatch(s.Script, -1) {
			c.queue(c.Array().Name(s.Name, i), []string{filepath.Join(folder, task[1]), task[2], word})
		}
	}
	if c.tell != nil {
		c.tell()
	}
	return batch.Answer{Receipt: batch.Accepted, Number: strconv.Itoa(len(c.submitted))}
}

// queue has a job wait before it begins, by what stands behind --job.
func (c *cluster) queue(name string, args []string) {
	ctx, cancel := context.WithCancel(context.Background())
	c.live[name] = cancel
	c.under.Go(func() {
		defer cancel()
		if backoff.Sleep(ctx, c, c.Now()+c.waits) == nil {
			c.begin(ctx, args)
		}
		c.lock.Lock()
		defer c.lock.Unlock()
		delete(c.live, name)
	})
}

// begin runs a job, if it is wanted.
func (c *cluster) begin(ctx context.Context, args []string) {
	a, err := jobs.Begin(args, c)
	if err != nil {
		return
	}
	c.lock.Lock()
	c.ran = append(c.ran, shownJob(a))
	c.lock.Unlock()
	_, _ = a.Work(ctx, jobs.Worker{System: c, Clock: c, Perform: c.perform, Run: c.witness,
		Signal: func() int { return 0 }})
}

// shownJob is the script of a job with its words in their places.
func shownJob(a *jobs.Assignment) string {
	text := a.Script
	for i, word := range a.Words {
		text = strings.ReplaceAll(text, fmt.Sprintf(`"${%d}"`, i+1), word)
	}
	return strings.TrimSpace(text)
}

// perform runs the programs of a job.
func (c *cluster) perform(ctx context.Context, a *jobs.Assignment) jobs.Ending {
	if err := a.Connect(); err != nil {
		return jobs.Ending{Kind: batch.Kind(interp.KindSystem), Status: 1, Message: err.Error()}
	}
	file, err := parser.Parse(&ast.Source{Name: "job", Text: a.Script}, parser.Config{})
	if err != nil {
		return jobs.Ending{Kind: batch.Kind(interp.KindError), Status: 1, Message: err.Error()}
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return jobs.Ending{Kind: batch.Kind(interp.KindSystem), Status: 1, Message: err.Error()}
	}
	defer null.Close()
	config := interp.Config{World: findsAll{at(programs{}, c)}, KillTimeout: time.Second,
		Mode: interp.Mode{ProgramsOnly: true},
		Script: interp.Script{Name: a.Folder(), Args: a.Words, Environ: a.Environ, Dir: string(a.Dir),
			Files: []int{int(null.Fd()), a.Stdout, a.Stderr}}}
	failure, failed := interp.New(config).Run(ctx, file).(*interp.Failure)
	if !failed {
		return jobs.Ending{}
	}
	return jobs.Ending{Kind: batch.Kind(failure.Kind), Status: failure.Status, Message: failure.Message,
		Command: failure.Command, Early: failure.EarlyStage()}
}

// witness is the process beside the programs of a job. It ends when its input does.
func (c *cluster) witness(_ context.Context, w *world.Command) (world.Status, error) {
	input, err := unix.FcntlInt(uintptr(w.Files[3]), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return world.Status{}, err
	}
	defer unix.Close(input)
	_, _ = unix.Write(w.Files[1], []byte("1\n")) // whoever has read that closes the input
	w.Started()
	for {
		watched := []unix.PollFd{{Fd: int32(input), Events: unix.POLLIN}}
		if n, _ := unix.Poll(watched, 0); n > 0 {
			return world.Status{}, nil
		}
		time.Sleep(time.Millisecond)
	}
}

// programs runs those of a job.
type programs struct{}

func (programs) Rest() {}

func (programs) Run(_ context.Context, c *world.Command) (world.Status, error) {
	words := strings.Join(c.Args[1:], " ") + "\n"
	switch c.Args[0] {
	case "tell":
		_, _ = unix.Write(c.Files[1], []byte(words))
	case "warn":
		_, _ = unix.Write(c.Files[2], []byte(words))
	case "copy":
		text, err := os.ReadFile(fmt.Sprintf("/proc/self/fd/%d", c.Files[0]))
		if err != nil {
			return world.Status{}, err
		}
		_, _ = unix.Write(c.Files[1], text)
	case "fail":
		status, err := strconv.Atoi(c.Args[1])
		return world.Status{Code: status}, err
	default:
		return world.Status{Code: 127}, nil
	}
	return world.Status{}, nil
}

func (c *cluster) List(context.Context) (list []batch.Entry, _ error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	for name := range c.live {
		list = append(list, batch.Entry{Name: name, Kind: batch.Queued})
	}
	return list, nil
}

func (c *cluster) Cancel(_ context.Context, names []string) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	for _, name := range names {
		if cancel := c.live[name]; cancel != nil {
			c.cancelled = append(c.cancelled, name)
			cancel()
		}
	}
	return nil
}

func (c *cluster) Signal(ctx context.Context, names []string, _ syscall.Signal) error {
	return c.Cancel(ctx, names)
}

func (*cluster) Signals() bool                            { return true }
func (*cluster) GaveUp(context.Context, batch.Entry) bool { return false }
func (*cluster) Requeues([]string) bool                   { return false }
func (*cluster) Owns(string) (owned, reserved bool)       { return false, false }
func (*cluster) Exit(status int) int                      { return status }

func (*cluster) Array() batch.Array {
	return batch.Array{Most: 100, Variable: "TASK", Number: func(array string, task int) string {
		return fmt.Sprint(array, "_", task)
	}}
}

func (*cluster) Left(context.Context, string) (left time.Duration, known bool) { return 0, false }

func (*cluster) Here(func(string) string) (number, node, group string) { return "7", "node", "" }

// clustered is a world with a cluster.
type clustered struct {
	world.World
	jobs world.Elsewhere
}

func (c clustered) On(ctx context.Context, around world.Site, line world.Line) (world.Site, error) {
	return c.jobs.On(ctx, around, line)
}

func (c clustered) Crowd() world.Crowd { return c.jobs.Crowd() }

func (c clustered) Attempts(around world.Attempts) world.Attempts { return c.jobs.Attempts(around) }

// config runs scripts with the cluster, and has them write to these files.
func (c *cluster) config(out, err *os.File) interp.Config {
	config := c.bubble.config()
	config.Script.Dir = filepath.Dir(c.folder)
	config.Script.Files = []int{-1, int(out.Fd()), int(err.Fd())}
	open := func(context.Context, string, []string, func(string)) (*jobs.Cluster, error) {
		if c.broken != nil {
			return nil, c.broken
		}
		return new(jobs.Door).Open(context.Background(), jobs.Config{System: c, Cluster: "c", Folder: c.folder, Marker: "m",
			Clock: c})
	}
	config.World = clustered{config.World, jobs.Clusters(open)}
	return config
}

// tickets counts the folders of jobs that are left.
func (c *cluster) tickets(t *testing.T) int {
	list, err := filepath.Glob(filepath.Join(c.folder, "c", "[a-z]*", "job"))
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

var _ backoff.Clock = (*cluster)(nil)
