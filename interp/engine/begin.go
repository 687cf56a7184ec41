package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ftsh/interp/engine/batch"
)

// Assignment is what the runner in a job has to do: the job's side of a ticket.
type Assignment struct {
	Script  string
	Words   []string
	Shown   []string // the words as people may see them; nil: as they are
	Dir     string
	Umask   int
	Environ []string // of its programs
	Stdout  *os.File
	Stderr  *os.File
	Pilot   bool // it runs what the shell hands over: see Serve

	ticket     ticket
	generation int
	submission string
	outputs    []*os.File
	number     string
	node       string
	reserve    string // the file that will be the status
}

// Ending is how the programs ended. Kind is that of a failure; empty: they succeeded.
type Ending struct {
	Kind    string
	Status  int
	Message string
	Command string
	Early   bool // it was of a stage before the last of a pipeline
	Used    Usage
	Signal  int // that the runner received from outside; 0: none
}

// FolderVariable is the parameter of Script that holds the folder of the job: its $0.
const FolderVariable = "0"

// ErrNotMine tells that nothing is to be run: the work is another's, or done, or not wanted any more.
var ErrNotMine = errors.New("the job has nothing to do")

// reserved is how many bytes are kept for the status, so that a disk that is full by then does not
// lose it.
const reserved = 8 << 10

// Begin claims a job, as it was told by the arguments after --job: the folder, the number of the
// submission and its word. Any error means that nothing may be run.
func Begin(args []string, system batch.System) (*Assignment, error) {
	const wanted = 3
	if len(args) != wanted {
		return nil, errors.New("wanted a folder, a number and a word; --job is for jobs alone")
	}
	generation, err := strconv.Atoi(args[1])
	if err != nil {
		return nil, fmt.Errorf("%q: wanted a number", args[1])
	}
	return begin(args[0], generation, args[2], "", system)
}

// begin claims a job for a submission, which may be that of a pilot.
func begin(path string, generation int, submission, pilot string, system batch.System) (*Assignment, error) {
	t, o, err := openTicket(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotMine
	}
	if err != nil {
		return nil, err
	}
	a := &Assignment{Script: o.Script, Words: o.Words, Shown: o.Shown, Dir: o.Dir, Umask: o.Umask, Pilot: o.Pilot,
		ticket: t, generation: generation, submission: submission}
	a.number, a.node = system.Here(os.Getenv)
	if err := a.claim(submission, pilot, o); err != nil {
		return nil, err
	}
	err = a.openOutputs(o.Outputs)
	if err == nil {
		err = a.readEnviron(system)
	}
	if err != nil {
		a.outputs = nil
		_ = a.End(Ending{Kind: string(batch.Lost), Status: 1, Message: "the job could not begin: " + err.Error()})
		return nil, err
	}
	return a, nil
}

// claim claims the job for this process.
func (a *Assignment) claim(submission, pilot string, o order) error {
	if _, there, _ := a.ticket.ended(a.generation); there {
		return ErrNotMine
	}
	word := randomWord()
	a.reserve = "status." + word
	if err := a.ticket.write(a.reserve, []byte(strings.Repeat(" ", reserved))); err != nil {
		return fmt.Errorf("cannot write to the folder of the job: %w", err)
	}
	c := claim{Number: a.number, Submission: submission, Word: word, Node: a.node, Pilot: pilot}
	held, won, err := a.ticket.take(a.generation, c)
	switch {
	case err != nil:
	case won:
		return nil
	case held.Shell || held.Number != a.number || held.Submission != submission:
		err = ErrNotMine
	case o.Requeue:
		return nil // this very job has begun before
	default:
		a.outputs = nil
		err = errors.Join(ErrNotMine, a.End(Ending{Kind: string(batch.Lost), Status: 1,
			Message: "the batch system started the job again after it had begun; --requeue allows that"}))
	}
	_ = os.Remove(a.ticket.join(a.reserve))
	return err
}

// openOutputs makes the files for what the programs write, empty.
func (a *Assignment) openOutputs(more int) error {
	names := []string{stdoutName, stderrName}
	for n := range more {
		names = append(names, "out."+strconv.Itoa(n))
	}
	for _, name := range names {
		const flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC | os.O_APPEND | unix.O_NOFOLLOW
		file, err := os.OpenFile(a.ticket.join(name), flags, 0o600)
		if err != nil {
			return err
		}
		a.outputs = append(a.outputs, file)
	}
	a.Stdout, a.Stderr = a.outputs[0], a.outputs[1]
	return nil
}

// readEnviron makes the variables: those of the script, and what the batch system says of this job.
func (a *Assignment) readEnviron(system batch.System) error {
	text, err := a.ticket.read("environ")
	if err != nil {
		return err
	}
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(text), "\x00"), "\x00") {
		if entry != "" {
			a.Environ = append(a.Environ, entry)
		}
	}
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); system.Owns(name) {
			a.Environ = append(a.Environ, entry)
		}
	}
	return nil
}

// Folder is the job's own.
func (a *Assignment) Folder() string { return string(a.ticket.folder) }

// End writes how it ended, last of all: outputs are on disk by then.
func (a *Assignment) End(e Ending) error {
	s := status{
		Kind: batch.Kind(e.Kind), Status: e.Status, Message: e.Message, Command: e.Command, Early: e.Early, Signal: e.Signal,
		Used: e.Used, Number: a.number, Node: a.node, Sizes: map[string]int64{},
	}
	if e.Signal != 0 && e.Kind != "" { // what had succeeded by then has
		s.Kind = interrupted
	}
	for _, file := range a.outputs {
		info, err := file.Stat()
		if err == nil && (info.Size() > 0 || !a.ticket.quick) {
			err = file.Sync()
		}
		if err != nil {
			return err
		}
		s.Sizes[info.Name()] = info.Size()
		_ = file.Close()
	}
	return a.write(asJSON(s))
}

// write puts the status in its place, into the room that was reserved for it.
func (a *Assignment) write(text []byte) error {
	file, err := os.OpenFile(a.ticket.join(a.reserve), os.O_WRONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	if _, err = file.WriteAt(text, 0); err == nil {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(a.ticket.join(a.reserve), a.ticket.join(statusName(a.generation)))
	}
	a.ticket.sync()
	return err
}
