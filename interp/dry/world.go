package dry

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/interp/files"
	"ftsh/interp/world"
)

// World is a world around another in which nothing is run. Only one goroutine uses it, as nothing runs beside.
type World struct {
	world.World
	print    func(line string)
	shown    func(words []string) string // words as one would type them, but secrets
	answers  *answers
	engines  map[*ast.Command]string // of the jobs
	joined   map[*ast.Command]bool   // stages of a pipeline that is one job with the one before
	opened   map[int]string          // the redirections of streams that stand for files
	until    time.Duration           // of the wait that Await has announced
	programs int
	jobs     int
	written  map[string]bool // the files
}

// New prepares a script to be run in a World that prints lines, and words as shown makes them.
func New(around world.World, file *ast.File, printLine func(string), shown func([]string) string) *World {
	w := &World{World: around, print: printLine, shown: shown, opened: map[int]string{}, written: map[string]bool{},
		answers: dependencies(file), engines: map[*ast.Command]string{},
		joined: map[*ast.Command]bool{}}
	for _, body := range bodies(file) {
		ast.Walk(body.group, nil, func(node any, _ *ast.Place) bool {
			w.prepare(node, body.function)
			return true
		})
	}
	return w
}

// once is the number of attempts of a try.
var once = &ast.Operand{Int: 1, IsInt: true, Word: &ast.Word{Parts: []ast.Part{&ast.Lit{Text: "1", Raw: "1"}}}}

// prepare changes what would wait, go elsewhere or on for ever: a try makes one attempt, whatever its verify group
// would say, a while that only an answer ends makes one turn, a forany begins with its first alternative, and an `on`
// is here.
func (w *World) prepare(node any, function string) {
	switch n := node.(type) {
	case *ast.While:
		if !w.answers.goesOn(function, n.Test) {
			n.Test.Not = false // of a try, which succeeds
			ast.Walk(&n.Body, nil, endTurn)
			n.Body.List = append(n.Body.List, ast.Stmt{Node: &ast.Break{}})
		}
	case *ast.For:
		n.Inorder = true
	case *ast.Try:
		n.Verify = nil // with a key it is asked first, and would say that all is done
		if n.Limited() {
			n.Times, n.Every, n.Backoff = once, nil, nil
		}
	case *ast.On:
		if n.Engine != ast.Start && n.Engine != "here" {
			ast.Walk(&n.Body, nil, func(inside any, _ *ast.Place) bool {
				switch c := inside.(type) {
				case *ast.Command:
					w.engines[c] = n.Engine
				case *ast.Pipeline:
					for _, stage := range c.Stages[1:] {
						w.joined[stage] = true
					}
				}
				return true
			})
			n.Engine, n.Options, n.Limit, n.Pilots = "here", nil, nil, nil
		}
	}
}

// endTurn has a loop end where it would begin its next turn.
func endTurn(node any, _ *ast.Place) bool {
	switch n := node.(type) {
	case *ast.For, *ast.While:
		return false
	case *ast.Stmt:
		if _, is := n.Node.(*ast.Continue); is {
			n.Node = &ast.Break{}
		}
	}
	return true
}

// Summarize prints how much would have been run and written.
func (w *World) Summarize() {
	counted := func(n int, what string) string {
		if n != 1 {
			what += "s"
		}
		return fmt.Sprintf("%d %s", n, what)
	}
	w.print(counted(w.programs, "program") + ", " + counted(w.jobs, "job") + ", " + counted(len(w.written), "file") +
		" would be written")
}

// Run implements [world.Programs]: it prints the program.
func (w *World) Run(_ context.Context, c *world.Command) (world.Status, error) {
	line := c.Pos.String() + ": " + w.shown(c.Args) + w.redirections(c.Files)
	if c.Node != nil {
		for _, r := range c.Node.Redirects {
			if r.Op.Captures() || r.Op == ast.FromVar {
				line += " " + r.Op.String() + " " + r.Var.Name
			}
		}
	}
	if engine := w.engines[c.Node]; engine != "" {
		line += "  # job on " + engine
		if !w.joined[c.Node] {
			w.jobs++
		}
	} else {
		w.programs++
	}
	if list := w.answers.command[c.Node]; len(list) > 0 {
		line += "  # depends on: " + strings.Join(list, ", ")
	}
	w.print(line)
	return world.Status{}, nil
}

// redirections are those to and from files, without the numbers of the usual streams.
func (w *World) redirections(streams []int) (text string) {
	for n, stream := range streams {
		switch to := w.opened[stream]; {
		case to == "", n == 2 && streams[1] == stream:
		case n == 1 && len(streams) > 2 && streams[2] == stream:
			text += " " + to + " 2>&1"
		case n == 1, n == 0 && strings.HasPrefix(to, "<"):
			text += " " + to
		default:
			text += " " + strconv.Itoa(n) + to
		}
	}
	return text
}

// Find implements [world.Programs]: what is not there may be by then.
func (w *World) Find(name, path string, dir files.Directory) (string, error) {
	found, err := w.World.Find(name, path, dir)
	if err != nil {
		found = name
	}
	return found, nil
}

// Become implements [world.Programs].
func (w *World) Become(*world.Command) error { return world.ErrStays }

// Umask implements [world.Programs].
func (w *World) Umask(int) error { return nil }

// Enter implements [world.World]: a directory that is not there may be by then.
func (w *World) Enter(from files.Directory, name string) (files.Directory, error) {
	d, err := w.World.Enter(from, name)
	if err != nil {
		d = files.Directory{Name: from.From(name)}
	}
	return d, nil
}

// Go implements [world.Time]: what would run beside runs now.
func (w *World) Go(f func()) { f() }

// Await implements [world.Time]: the wait that follows is over at once.
func (w *World) Await(until time.Duration, _ func() bool) { w.until = until }

// AfterFunc implements [backoff.Clock].
func (w *World) AfterFunc(at time.Duration, f func()) backoff.Timer {
	if at == w.until {
		at = w.Now()
	}
	return w.World.AfterFunc(at, f)
}

// Resource implements [world.World]: each attempt may begin.
func (w *World) Resource(string, func(string) (string, bool)) (world.Gate, error) { return gate{}, nil }

type gate struct{}

func (gate) Enter(context.Context, shared.Visit) (world.Pass, error)   { return gate{}, nil }
func (gate) Leave(shared.Ending, time.Duration) (change shared.Change) { return change }
func (gate) Close()                                                    {}

// Open implements [world.Streams]: what would be written goes nowhere. A file that is not there yet is empty, and no
// FIFO is waited for.
func (w *World) Open(ctx context.Context, dir files.Directory, name string, flags int) (int, error) {
	operator := "< "
	switch {
	case flags&unix.O_APPEND != 0:
		operator = ">> "
	case flags&unix.O_ACCMODE != unix.O_RDONLY:
		operator = "> "
	default:
		over, cancel := context.WithCancel(ctx)
		cancel()
		if stream, err := w.World.Open(over, dir, name, flags); err == nil {
			w.opened[stream] = operator + w.shown([]string{name})
			return stream, nil
		}
	}
	d, err := w.forget(operator, dir, name)
	return d.stream, err
}

// forget opens an empty file, in which nothing stays, in the place of another.
func (w *World) forget(operator string, dir files.Directory, name string) (draft, error) {
	if full := filepath.Clean(dir.From(name)); operator != "< " && !strings.HasPrefix(full, "/dev/") {
		w.written[full] = true
	}
	stream, err := w.World.Open(context.Background(), files.Directory{}, "/dev/null", unix.O_RDWR)
	w.opened[stream] = operator + w.shown([]string{name})
	return draft{world.Nothing{}, w, stream}, err
}

// Close implements [world.Streams].
func (w *World) Close(streams []int) {
	for _, stream := range streams {
		delete(w.opened, stream)
	}
	w.World.Close(streams)
}

// Pipe implements [world.Streams]. It takes any amount, as its reader begins when its writer has ended.
func (w *World) Pipe() (ends [2]int, err error) {
	if ends[1], err = unix.MemfdCreate("ftsh-pipe", unix.MFD_CLOEXEC); err == nil {
		ends[0], err = unix.Open(fmt.Sprintf("/proc/self/fd/%d", ends[1]), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	}
	return ends, err
}

// Apart implements [world.Streams].
func (w *World) Apart(_ string, dir files.Directory, name string, _ int) (world.Apart, error) {
	return w.forget("> ", dir, name)
}

// Replace implements [world.Streams].
func (w *World) Replace(dir files.Directory, name string) (world.Draft, error) {
	return w.forget("=> ", dir, name)
}

// A draft is output that goes nowhere.
type draft struct {
	world.Nothing
	world  *World
	stream int
}

func (d draft) Stream() int { return d.stream }
func (d draft) Drop()       { d.world.Close([]int{d.stream}) }

func (d draft) End(bool) error {
	d.Drop()
	return nil
}
