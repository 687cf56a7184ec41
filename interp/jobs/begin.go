package jobs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ftsh/interp/jobs/batch"
	"ftsh/interp/output"
)

// An Assignment tells the runner in a job what to do: the job's side of a ticket.
type Assignment struct {
	order
	Environ []string // of its programs
	Stdout  int      // what they write to, with Connect
	Stderr  int

	ticket     ticket
	generation int
	mine       claim // of this process; its pilot is "" if none runs it
	outputs    []*recorder
	pipes      output.Store
	signals    bool // they come through the folder
	guarded
}

// ErrNotMine tells that nothing is to be run: the work is another's, or done, or not wanted any more.
var ErrNotMine = errors.New("the job has nothing to do")

// reserved is the number of bytes that are kept for the status, so that a disk that is full by then does not
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
	if err != nil {
		return nil, notMine(err)
	}
	a := &Assignment{order: o, ticket: t, generation: generation, signals: !system.Signals(),
		mine: claim{Submission: submission, Word: randomWord(), Pilot: pilot}}
	a.mine.Number, a.mine.Node, _ = system.Here(os.Getenv)
	if err := a.claim(); err != nil {
		return nil, err
	}
	err = a.openOutputs()
	if err == nil {
		err = a.readEnviron(system)
	}
	if err != nil {
		a.closeOutputs()
		_ = a.end(failed(batch.Lost, "", "the job could not begin: "+err.Error()).Ending)
		return nil, err
	}
	return a, nil
}

// claim claims the job for this process.
func (a *Assignment) claim() error {
	if _, there, _ := a.ticket.ended(a.generation); there {
		return ErrNotMine
	}
	if err := a.ticket.makeRoom(a.reserve(), reserved); err != nil {
		return notMine(fmt.Errorf("cannot write to the folder of the job: %w", err))
	}
	held, won, err := a.ticket.take(a.generation, a.mine)
	switch {
	case err != nil:
		err = notMine(err)
	case won:
		return nil
	case held.Shell || held.Number != a.mine.Number || held.Submission != a.mine.Submission:
		err = ErrNotMine
	case a.Requeue:
		return nil // this very job has begun before
	default:
		err = errors.Join(ErrNotMine, a.end(failed(batch.Lost, "",
			"the batch system started the job again after it had begun; --requeue allows that").Ending))
	}
	_ = os.Remove(a.ticket.join(a.reserve()))
	return err
}

// notMine is an error of a file, which is missing because the shell has just removed the folder.
func notMine(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNotMine
	}
	return err
}

// reserve is the file that will be the status.
func (a *Assignment) reserve() string { return "status." + a.mine.Word }

// openOutputs makes the files for what the programs write, empty.
func (a *Assignment) openOutputs() error {
	for _, name := range outputNames(a.Outputs) {
		r, err := newRecorder(a.ticket.join(name))
		if err != nil {
			return err
		}
		a.outputs = append(a.outputs, r)
	}
	return nil
}

// Connect makes a pipe to each of the files for what the programs write, or one for both streams if they go to one
// place. What is captured has the name of its file in the script, which becomes that of its pipe.
func (a *Assignment) Connect() error {
	for i, r := range a.outputs {
		if err := r.connect(&a.pipes); err != nil {
			return err
		}
		if n := i + 1 - firstCapture; n > 0 {
			pipe := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), r.drain.Input) // /proc/self/fd means a descriptor of the script
			a.Script = strings.ReplaceAll(a.Script, fmt.Sprintf(`"${0}/out.%d"`, n-1), pipe)
		}
	}
	a.Stdout, a.Stderr = a.outputs[0].drain.Input, a.outputs[1].drain.Input
	if a.Joined {
		a.Stderr = a.Stdout
	}
	return nil
}

// closeOutputs drops what the programs have written.
func (a *Assignment) closeOutputs() {
	for _, r := range a.outputs {
		_ = r.finish()
		_ = r.file.Close()
	}
	a.outputs = nil
}

// firstCapture counts the outputs that are no captures.
const firstCapture = 2

// outputNames are the names of all files that a job with so many captures may write.
func outputNames(captures int) []string {
	names := []string{stdoutName, stderrName}
	for n := range captures {
		names = append(names, "out."+strconv.Itoa(n))
	}
	return names
}

// readEnviron makes the variables: those of the script, and what the batch system says of this job. What the script
// has set itself wins, but for what the batch system keeps for itself.
func (a *Assignment) readEnviron(system batch.System) error {
	text, err := a.ticket.read("environ")
	if err != nil {
		return err
	}
	own := map[string]bool{}
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(text), "\x00"), "\x00") {
		if entry != "" {
			name, _, _ := strings.Cut(entry, "=")
			a.Environ, own[name] = append(a.Environ, entry), true
		}
	}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if owned, _ := system.Owns(name); owned && !own[name] {
			a.Environ = append(a.Environ, entry)
		}
	}
	return nil
}

// Folder is the job's own.
func (a *Assignment) Folder() string { return string(a.ticket.folder) }

// end writes how it ended, last of all: outputs are on disk by then.
func (a *Assignment) end(e Ending) error {
	if e.Kind != "" {
		a.note(a.now())
	}
	s := a.found
	e.Used.Grouped, e.Used.Kills = s.Used.Grouped, s.Used.Kills
	if peak := a.sentry.peak(); peak > 0 && a.mine.Pilot == "" { // the group of a pilot has all of its programs
		e.Used.Memory, e.Used.Together = peak, true
	}
	s.Ending, s.Sizes = e, map[string]int64{}
	s.Number, s.Node = a.mine.Number, a.mine.Node
	for _, r := range a.outputs {
		unwritten := r.finish()
		info, err := r.file.Stat()
		if err == nil && info.Size() > 0 {
			err = r.file.Sync()
		}
		if err = errors.Join(unwritten, err); err != nil {
			s.Kind, s.Status = shortage, 1
			file := a.ticket.join(filepath.Base(r.file.Name()))
			s.Message = "what it wrote cannot be kept for the shell, in " + file + ": " + unwrapped(err).Error()
		}
		if info != nil {
			s.Sizes[info.Name()] = info.Size()
		}
		_ = r.file.Close()
	}
	return a.write(asJSON(s))
}

// write puts the status in its place, into the room that was reserved for it.
func (a *Assignment) write(text []byte) error {
	file, err := os.OpenFile(a.ticket.join(a.reserve()), os.O_WRONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	if _, err = file.WriteAt(text, 0); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(a.ticket.join(a.reserve()), a.ticket.join(statusName(a.generation)))
	}
	a.ticket.sync()
	return err
}
