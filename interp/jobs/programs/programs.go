// Package programs asks the programs of a batch system.
package programs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/files"
	"ftsh/interp/jobs/batch"
	"ftsh/interp/output"
	"ftsh/interp/process"
	"ftsh/interp/world"
)

// Config says how programs are run.
type Config struct {
	Run     func(context.Context, *world.Command) (world.Status, error)
	Environ []string // of the shell
}

// Programs are those of a batch system. Safe for concurrent use.
type Programs struct {
	run     func(context.Context, *world.Command) (world.Status, error)
	environ []string
	path    string
	pipes   output.Store
}

// New makes Programs that see those variables alone whose names are passed.
func New(c Config, isPassed func(name string) bool) *Programs {
	p := &Programs{run: c.Run, path: "/usr/local/bin:/usr/bin:/bin"}
	for _, entry := range c.Environ {
		name, value, _ := strings.Cut(entry, "=")
		if name == "PATH" {
			p.path = value
		}
		if isPassed(name) {
			p.environ = append(p.environ, entry)
		}
	}
	return p
}

// Also adds a folder to those in which programs are looked for, behind all others.
func (p *Programs) Also(folder string) { p.path += ":" + folder }

// IsBasic reports whether a variable is one that any program may see.
func IsBasic(name string) bool {
	basic := []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ"}
	return strings.HasPrefix(name, "LC_") || slices.Contains(basic, name)
}

// Lookup is the value of a variable that the programs see; "": there is none.
func (p *Programs) Lookup(name string) string {
	for _, entry := range p.environ {
		if value, found := strings.CutPrefix(entry, name+"="); found {
			return value
		}
	}
	return ""
}

// An Answer holds the output and the status of a program.
type Answer struct {
	Stdout, Stderr string
	Status         world.Status
	Err            error // it could not be run, was ended before it had answered, or wrote what is no answer

	program string // "": it could not be run
	cut     bool   // it was ended before it had answered
}

// Success reports whether it did what it was asked for.
func (a Answer) Success() bool { return a.Err == nil && a.Status.Success() }

// Failure returns why it did not do what it was asked for, nil if it did: a [batch.Unanswered] once the program ran.
func (a Answer) Failure() error {
	switch {
	case a.Success():
		return nil
	case a.program == "":
		return a.Err
	case a.cut && a.said() == "":
		return &batch.Unanswered{}
	}
	return &batch.Unanswered{Said: a.program + ": " + a.Text()}
}

// Text returns what it said for people, in one line.
func (a Answer) Text() string {
	if said := a.said(); said != "" {
		return said
	}
	if a.Err != nil {
		return a.Err.Error()
	}
	return "it said nothing"
}

// said returns its standard error in one line.
func (a Answer) said() string {
	var lines []string
	for line := range strings.Lines(a.Stderr) {
		_, message, found := strings.Cut(strings.TrimSpace(line), "error: ")
		if !found {
			message = strings.TrimSpace(line)
		}
		if message != "" {
			lines = append(lines, message)
		}
	}
	return strings.Join(lines, "; ")
}

// A Dialect says how the program talks by which jobs of a batch system are submitted.
type Dialect struct {
	Name      string // of the engine
	System    string // whose programs these are
	Separator string // behind the number of a job, which is printed last: of "12;cluster", or of "12.1-5:1"
	Replies   []Reply
}

// A Reply is what is known of a submission without a number if the program has ended with that status, or has said
// something with one of these words.
type Reply struct {
	Receipt batch.Receipt
	Status  int // 0: any
	Words   []string
}

// Receipt tells what is known after a submission without a number: the first reply that fits counts.
func (d *Dialect) Receipt(status int, text string) batch.Receipt {
	for _, r := range d.Replies {
		said := func(words string) bool { return strings.Contains(text, words) }
		if r.Status != 0 && status == r.Status || slices.ContainsFunc(r.Words, said) {
			return r.Receipt
		}
	}
	return batch.Doubtful
}

// Submit runs a program that submits a job.
func (p *Programs) Submit(ctx context.Context, d *Dialect, args []string, script string) batch.Answer {
	a := p.Ask(ctx, args, script)
	// A script or plugin of the site may print lines before.
	if words := strings.Fields(a.Stdout); a.Success() && len(words) > 0 {
		number, _, _ := strings.Cut(words[len(words)-1], d.Separator)
		if _, err := strconv.ParseUint(number, 10, 64); err == nil {
			return batch.Answer{Number: number}
		}
	}
	if why, missing := d.missing(a); missing {
		return batch.Answer{Receipt: batch.Refused, Message: why}
	}
	if a.cut {
		return batch.Answer{Receipt: batch.Doubtful, Message: a.said()}
	}
	return batch.Answer{Receipt: d.Receipt(a.Status.Code, a.Text()), Message: a.Text()}
}

// missing returns what to do where the program is not there.
func (d *Dialect) missing(a Answer) (why string, missing bool) {
	start, failed := errors.AsType[*world.StartError](a.Err)
	if !failed || !start.Missing {
		return "", false
	}
	return a.Text() + "; on " + d.Name + " needs " + d.System + "'s programs on PATH", true
}

// Untold returns why a program that was asked for a fact has not told it: a [batch.Unanswered] where it may do so
// another time.
func (d *Dialect) Untold(a Answer) error {
	why, missing := d.missing(a)
	switch {
	case missing:
		return errors.New(why)
	case d.Receipt(0, a.Text()) == batch.Refused:
		return errors.New(a.program + ": " + a.Text())
	}
	return a.Failure()
}

const (
	// mostSaid limits the output of a program, in bytes.
	mostSaid = 1 << 20
	// patience is the time that a program gets to end once nobody wants its answer any more.
	patience = 100 * time.Millisecond
	// mostListed is that of a list of all jobs: a hundred thousand are some ten million bytes.
	mostListed = 64 << 20
)

// Ask runs a program. What it reads and writes lies in memory: a disk may be full. If it writes more than 1 MB it is
// ended, and nothing of what it said counts.
func (p *Programs) Ask(ctx context.Context, args []string, input string) Answer {
	return p.ask(ctx, args, input, mostSaid)
}

// List is Ask for a program that lists all jobs of a user.
func (p *Programs) List(ctx context.Context, args []string) Answer {
	return p.ask(ctx, args, "", mostListed)
}

func (p *Programs) ask(ctx context.Context, args []string, input string, most int) (a Answer) {
	path, err := process.Find(args[0], p.path, files.Directory{})
	if err != nil {
		return Answer{Err: err}
	}
	stdin, err := memory(input)
	if err != nil {
		return Answer{Err: err}
	}
	defer stdin.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var said, complained []byte
	kept := budget{most: most, exceeded: cancel}
	stdout, err := p.pipes.Drain(func(text []byte) { kept.add(&said, text) })
	if err != nil {
		return Answer{Err: err}
	}
	stderr, err := p.pipes.Drain(func(text []byte) { kept.add(&complained, text) })
	if err != nil {
		stdout.Stop()
		return Answer{Err: err}
	}
	a.Status, a.Err = p.run(ctx, &world.Command{Path: path, Args: args, Env: p.environ,
		Dir:      files.Directory{Name: "/"},
		Files:    []int{int(stdin.Fd()), stdout.Input, stderr.Input},
		Patience: func(error) time.Duration { return patience }})
	stdout.Stop()
	stderr.Stop()
	a.Stdout, a.Stderr = string(said), string(complained)
	if _, failed := errors.AsType[*world.StartError](a.Err); failed {
		return a
	}
	a.program, a.cut = args[0], a.Err != nil && ctx.Err() != nil
	switch {
	case kept.most < 0:
		a = Answer{program: args[0], Err: fmt.Errorf("%s wrote more than %d MB, which is no answer", args[0], most>>20)}
	case a.Success() && a.Stdout != "" && !strings.HasSuffix(a.Stdout, "\n"):
		a.Stdout, a.Err = "", errors.New("its answer was cut off in the middle of a line")
	}
	return a
}

// budget limits what is kept of a program's output. Its drains share it.
type budget struct {
	mu       sync.Mutex
	most     int // bytes that may still come; negative: there were more
	exceeded func()
}

// add adds a text to what was kept, unless that is too much.
func (b *budget) add(to *[]byte, text []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.most < 0 {
		return
	}
	if b.most -= len(text); b.most < 0 {
		b.exceeded()
		return
	}
	*to = append(*to, text...)
}

// memory makes a file in memory with that text.
func memory(text string) (*os.File, error) {
	fd, err := unix.MemfdCreate("ftsh", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), "memory")
	if _, err = file.WriteString(text); err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = file.Close()
	}
	return file, err
}
