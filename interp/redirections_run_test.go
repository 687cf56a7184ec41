package interp_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/backoff/timers"
	"ftsh/interp"
	"ftsh/interp/durable"
	"ftsh/interp/journal"
	"ftsh/interp/journal/memory"
	"ftsh/interp/local"
	"ftsh/parser"
)

// A handClock shows what it is set to. What is due within a millisecond, as the next attempt of a try, is due at once.
type handClock struct {
	timers.Queue
	now     time.Duration
	sleeper chan struct{} // gets something when somebody begins to wait for two hours
}

func (h *handClock) Now() time.Duration {
	h.Lock()
	defer h.Unlock()
	return h.now
}

func (h *handClock) AfterFunc(at time.Duration, run func()) backoff.Timer {
	h.Lock()
	defer h.Unlock()
	t := h.Add(at, run)
	switch after := at - h.now; {
	case after == 2*time.Hour:
		h.sleeper <- struct{}{}
	case 0 < after && after <= time.Millisecond:
		h.now = at
	}
	h.runDue()
	return t
}

func (h *handClock) runDue() {
	for due, _ := h.Take(h.now); due != nil; due, _ = h.Take(h.now) {
		go due.Run()
	}
}

// pass lets time pass.
func (h *handClock) pass(d time.Duration) {
	h.Lock()
	defer h.Unlock()
	h.now += d
	h.runDue()
}

// A redirectionRun is a cell that is run: its folder, and what the script has said.
type redirectionRun struct {
	testing.TB
	cell  redirectionCell
	dir   string
	said  map[string]string
	clock *handClock
}

// run runs the cell by the shell, and tells what the model tells of it.
func (c redirectionCell) run(t testing.TB, engine local.Programs, programs string, journaled bool) string {
	t.Helper()
	dir := makeScratch(t)
	defer removeScratch(t, dir)
	r := &redirectionRun{TB: t, cell: c, dir: dir, said: map[string]string{},
		clock: &handClock{now: time.Hour, sleeper: make(chan struct{}, 1)}}
	must(t, os.Mkdir(r.path("folder"), 0o700))
	must(t, os.WriteFile(r.path("old"), []byte("old\n"), 0o600))
	must(t, os.WriteFile(r.path("in"), []byte("a\nb\n"), 0o600))
	must(t, unix.Mkfifo(r.path("ready"), 0o600))
	file, err := parser.Parse(&ast.Source{Name: "cell", Text: c.script()}, parser.Config{})
	must(t, err)
	r.runToEnd(file, engine, programs, journaled)
	return r.afterwards()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (r *redirectionRun) path(name string) string { return filepath.Join(r.dir, name) }

// runToEnd runs the script. Its limit passes when the last body is under way.
func (r *redirectionRun) runToEnd(file *ast.File, engine local.Programs, programs string, journaled bool) {
	r.Helper()
	ready, err := os.OpenFile(r.path("ready"), os.O_RDWR, 0)
	must(r, err)
	defer ready.Close()
	go func() {
		var b [1]byte
		if n, _ := ready.Read(b[:]); n == 1 {
			r.clock.pass(time.Hour)
		}
	}()
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-r.clock.sleeper:
			r.clock.pass(time.Hour)
		case <-ended:
		}
	}()
	config := interp.Config{
		World: at(engine, r.clock), Seed: 1,
		Script: interp.Script{Name: "cell", Dir: r.dir,
			Environ: []string{"PATH=" + programs + ":" + os.Getenv("PATH"), "TMPDIR=" + r.dir},
			Files:   []int{r.stream(os.DevNull), r.stream("out"), r.stream("err")}},
	}
	withBuiltins(&config, r.builtins())
	for _, fd := range config.Script.Files {
		defer unix.Close(fd)
	}
	if journaled {
		disk := memory.New(rand.New(rand.NewPCG(1, 1)))
		j, err := journal.Open("/j", journal.Config{FS: disk, Machine: "m", Host: "h"})
		must(r, err)
		defer j.Close()
		config.Durable = &durable.Script{Journal: j, Canonical: canonical}
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Minute) // no cell takes as long as a second
	defer cancel()
	if err := interp.New(config).Run(ctx, file); err != nil {
		r.Errorf("%s: %v\n%s", r.cell.name(), err, r.cell.script())
	}
}

// stream is a stream of the script.
func (r *redirectionRun) stream(name string) int {
	r.Helper()
	if !filepath.IsAbs(name) {
		name = r.path(name)
	}
	fd, err := unix.Open(name, unix.O_RDWR|unix.O_CREAT|unix.O_CLOEXEC|unix.O_APPEND, 0o600)
	must(r, err)
	return fd
}

// builtins are the commands of the script besides the shell's.
func (r *redirectionRun) builtins() map[string]interp.Builtin {
	add := func(name, text string) error {
		f, err := os.OpenFile(r.path(name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteString(text)
		return err
	}
	return map[string]interp.Builtin{
		"say": func(_ context.Context, stdout int, args []string) error {
			if err := add("ran", ""); err != nil {
				return err
			}
			if _, err := unix.Write(stdout, []byte(args[0]+"\n")); err != nil {
				return err
			}
			if args[1] == string(fails) {
				return errors.New("as it was told")
			}
			return nil
		},
		"saw": func(_ context.Context, _ int, args []string) error {
			return errors.Join(add("ran", ""), add("seen", args[0]+"\n"))
		},
		"note": func(_ context.Context, _ int, args []string) error {
			r.said[args[0]] = strings.Join(args[1:], " ")
			return nil
		},
	}
}

// holds returns the content of a file.
func (r *redirectionRun) holds(name string) *text {
	r.Helper()
	content, err := os.ReadFile(r.path(name))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	must(r, err)
	return textOf(string(content))
}

func textOf(content string) *text {
	t := &text{}
	if content = strings.TrimSuffix(content, "\n"); content != "" {
		t.add(strings.Split(content, "\n")...)
	}
	return t
}

// ofBodies matches what the bodies write to the streams of the script.
var ofBodies = regexp.MustCompile(`(?m)^(?:[et]?\d)$`)

// cameOut holds what bodies have written to a stream of the script, which leads there again afterwards.
func (r *redirectionRun) cameOut(name string) *text {
	r.Helper()
	content, err := os.ReadFile(r.path(name))
	must(r, err)
	lines, ok := strings.CutSuffix(string(content), afterCell+"\n")
	if !ok {
		r.Errorf("%s: afterwards %s leads elsewhere: %q", r.cell.name(), name, content)
	}
	return textOf(strings.Join(ofBodies.FindAllString(lines, -1), "\n"))
}

// afterwards fills the world of the model with what there is, and has it tell of that.
func (r *redirectionRun) afterwards() string {
	r.Helper()
	m := newLedger(r.cell.form)
	for _, name := range r.cell.form.targets() {
		if !isVariable(name) {
			m.files[name] = r.holds(name)
			continue
		}
		m.vars[name] = nil
		if value, defined := r.said[name]; defined {
			m.vars[name] = textOf(value)
		}
	}
	if seen := r.holds("seen"); seen != nil {
		m.seen = seen
	}
	m.out, m.err = r.cameOut("out"), r.cameOut("err")
	m.ran = r.holds("ran") != nil
	end := ok
	if failed, caught := r.said["result"]; caught {
		end = result(failed)
	}
	if pipe := r.holds("piped"); pipe != nil && end != timeout {
		m.pipe = pipe
	}
	return m.afterwards(end)
}
