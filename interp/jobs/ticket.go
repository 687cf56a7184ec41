package jobs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/jobs/batch"
	"ftsh/interp/journal"
	"ftsh/interp/process/procfs"
)

// ticket is a job's folder, which is named by its key. In it are
//
//	job       what to run: an order
//	environ   its variables, each ended by a NUL
//	in.N      what it reads
//	names-G   by which the queue knows the G-th submission besides, each in a line: as a task of an array
//	claim-G   whose the G-th submission is: the job's, or the shell's
//	status-G  how it ended, written last
//	stdout, stderr, out.N
//	          what it wrote
//	next-K    of a pilot: the K-th program that it is to run
//	end       of a pilot: there will be no more
//	stop      it is to be ended: for its runner, for the pilot that runs it, and for a later shell
//	signal-N  for its programs, where the batch system sends no signals
//	log       what the batch system could not do
type ticket struct {
	folder
	name string
	// quick is for what nobody needs once this machine has died: what the shell writes for a job that ends with it, and
	// what a pilot writes for a program of such a shell, but for its status. It need not be on disk: what others on a
	// network have to see is with the server once a file is closed.
	quick bool
}

// write writes a new file, which is on disk when it returns where that matters.
func (t ticket) write(name string, text []byte) error { return t.put(name, text, !t.quick) }

// makeRoom makes an empty file that has room on disk; where that cannot be reserved blanks keep it.
func (t ticket) makeRoom(name string, size int64) error {
	file, err := os.OpenFile(t.join(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	err = unix.Fallocate(int(file.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, size)
	if errors.Is(err, unix.EOPNOTSUPP) {
		if _, err = file.WriteString(strings.Repeat(" ", int(size))); err == nil && !t.quick {
			err = file.Sync()
		}
	}
	return errors.Join(err, file.Close())
}

// sync has the names in the folder be on disk where that matters.
func (t ticket) sync() {
	if !t.quick {
		t.folder.sync()
	}
}

// A claim is the content of a file claim-G: who has the job. The shell's has no number.
type claim struct {
	Number     string `json:"number,omitempty"`
	Submission string `json:"submission,omitempty"` // time and random word of it
	Word       string `json:"word"`                 // of whoever made the claim
	Node       string `json:"node,omitempty"`
	Pilot      string `json:"pilot,omitempty"` // the ticket of the pilot that runs it
	Shell      bool   `json:"shell,omitempty"`
}

// A status is the content of a file status-G.
type status struct {
	Ending
	Signal int              `json:"signal,omitempty"` // that the runner received
	Swept  bool             `json:"swept,omitempty"`  // its witness died of a signal
	Marked bool             `json:"marked,omitempty"` // the job was marked to be ended
	Sizes  map[string]int64 `json:"sizes"`
}

func signalName(sig syscall.Signal) string { return "signal-" + strconv.Itoa(int(sig)) }

func claimName(generation int) string  { return "claim-" + strconv.Itoa(generation) }
func namesName(generation int) string  { return "names-" + strconv.Itoa(generation) }
func statusName(generation int) string { return "status-" + strconv.Itoa(generation) }

// randomWord tells two that write at the same time apart.
func randomWord() string { return strconv.FormatUint(rand.Uint64(), 36) }

// ownName is the name of this process, for all of its jobs.
var ownName = sync.OnceValue(procfs.OwnName)

// newTicket makes the folder of a job.
func newTicket(cluster folder, name string, j *Job) (ticket, error) {
	j.Quick = j.pilots != nil && !j.Outlives
	t := ticket{folder(cluster.join(name)), name, !j.Outlives}
	if err := os.Mkdir(string(t.folder), 0o700); err != nil {
		return t, err
	}
	j.Host, _ = os.Hostname()
	j.Shell, j.Since = ownName(), time.Now()
	err := t.write("environ", []byte(strings.Join(append(j.Asked.Environ, ""), "\x00")))
	for n, text := range j.Asked.Inputs {
		err = errors.Join(err, t.write("in."+strconv.Itoa(n), []byte(text)))
	}
	if !j.Quick { // the batch system would make it for all to read, by the umask
		err = errors.Join(err, t.put("log", nil, false))
	}
	err = errors.Join(err, t.write("job", asJSON(j.order)))
	if err != nil {
		_ = os.RemoveAll(string(t.folder))
	}
	t.sync()
	return t, err
}

// ticketAt is a ticket whose folder is there.
func ticketAt(path string) ticket { return ticket{folder: folder(path), name: filepath.Base(path)} }

// openTicket takes the folder of a job that is there.
func openTicket(path string) (t ticket, o order, err error) {
	t = ticketAt(filepath.Clean(path))
	if err = trusted(string(t.folder), unix.S_IFDIR); err == nil {
		err = t.readJSON("job", &o)
	}
	t.quick = o.Quick
	return t, o, err
}

// take makes a claim, whose word may be missing, if nobody has made one: one name, one winner. held is the claim that
// counts then. A network file system may report a success of link(2) as a failure, so what is read
// afterwards decides.
func (t ticket) take(generation int, mine claim) (held claim, won bool, err error) {
	mine.Word = cmp.Or(mine.Word, randomWord())
	name, beside := claimName(generation), "claim."+mine.Word
	if err = t.write(beside, asJSON(mine)); err != nil {
		return held, false, fmt.Errorf("cannot claim %s: %w", t.name, unwrapped(err))
	}
	linked := os.Link(t.join(beside), t.join(name))
	_ = os.Remove(t.join(beside))
	if err = t.readJSON(name, &held); err != nil {
		return held, false, fmt.Errorf("cannot claim %s: %w", t.name, errors.Join(linked, err))
	}
	t.sync()
	return held, held.Word == mine.Word, nil
}

// claimed returns the claim that was made; false if there is none.
func (t ticket) claimed(generation int) (held claim, made bool) {
	return held, t.readJSON(claimName(generation), &held) == nil
}

// isUnderWay reports whether the job has begun, or was.
func (t ticket) isUnderWay() bool {
	held, made := t.claimed(t.generation())
	return made && !held.Shell
}

// ended returns the status, once it is there and all output can be seen; the second result is
// what cannot be seen yet.
func (t ticket) ended(generation int) (s status, there bool, missing string) {
	text, err := t.read(statusName(generation))
	if err != nil || json.Unmarshal(text, &s) != nil {
		return s, false, ""
	}
	for name, size := range s.Sizes {
		info, err := os.Stat(t.join(name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() >= size {
			continue
		}
		if err != nil && size == 0 {
			continue
		}
		return s, true, name
	}
	return s, true, ""
}

// queuedAs notes one more name that the queue will have for a submission, before anybody can see it there.
func (t ticket) queuedAs(generation int, name string) error {
	file := namesName(generation)
	before, _ := t.read(file)
	beside := file + "." + randomWord()
	if err := t.write(beside, append(before, name+"\n"...)); err != nil {
		return err
	}
	defer t.sync()
	return os.Rename(t.join(beside), t.join(file))
}

// names returns what the queue may call a submission.
func (t ticket) names(generation int) []string {
	text, _ := t.read(namesName(generation))
	return append(strings.Fields(string(text)), t.name)
}

// allNames returns what the queue may call any submission.
func (t ticket) allNames() (names []string) {
	for g := 1; g <= 1+repeats; g++ {
		text, _ := t.read(namesName(g))
		names = append(names, strings.Fields(string(text))...)
	}
	return append(names, t.name)
}

// remove removes the folder with all that is in it. It loses its name first, so that a runner that is just coming never
// finds it without the shell's claim.
func (t ticket) remove() error {
	nameless := filepath.Join(filepath.Dir(string(t.folder)), "."+t.name+"."+randomWord())
	if err := os.Rename(string(t.folder), nameless); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(nameless)
}

// A failureNote tells those who look at a ticket later how its job failed, as its shell has it.
type failureNote struct {
	Result batch.Kind `json:"kind"`
	Why    string     `json:"why,omitempty"`
	Number string     `json:"number,omitempty"`
}

// note keeps the result of a job that failed, for ftsh --jobs.
func (t ticket) note(r Result) {
	_ = t.replace(resultName, resultName+"."+randomWord(), asJSON(failureNote{r.Kind, r.Message, r.Number}))
}

// texts are strings that need not be UTF-8: words, names and directories are bytes.
type texts []string

// MarshalJSON implements json.Marshaler.
func (t texts) MarshalJSON() ([]byte, error) {
	list := make([]journal.Text, len(t))
	for i, s := range t {
		list[i] = journal.Text(s)
	}
	return json.Marshal(list)
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *texts) UnmarshalJSON(from []byte) error {
	var list []journal.Text
	err := json.Unmarshal(from, &list)
	for _, s := range list {
		*t = append(*t, string(s))
	}
	return err
}
