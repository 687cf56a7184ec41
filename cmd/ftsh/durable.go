package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/ast/printer"
	"ftsh/interp"
	"ftsh/interp/durable"
	"ftsh/interp/journal"
	"ftsh/interp/process"
	"ftsh/interp/process/clock"
)

// statusSuspended is that of a durable script that can go on later (EX_TEMPFAIL).
const statusSuspended = 75

// largeState is from how many bytes of long values on the collector is to spend more time for less memory.
const largeState = 8 << 20

// durableRun is a script that runs with a journal.
type durableRun struct {
	options *options
	path    string
	name    string // as the command line calls it
	journal *journal.Journal
	config  *durable.Script
	shell   namedShell
	listed  bool            // the shell before has left a list of commands that were under way
	remains process.Remains // of them
	clock   *clock.Clock
	release func()    // of what the guardian holds
	ended   func()    // when nothing is under way any more
	written time.Time // when it was written last; zero: it is new

	unrecorded []durable.EndedUnit // units that have ended, and whose ends could not be written
	known      []durable.EndedUnit // those of the run before
}

// openDurable opens the journal that the command line names, once what a dead shell left has ended.
func openDurable(o *options, s *shell) (*durableRun, error) {
	path, err := journalPath(o.journal.name)
	if err != nil {
		return nil, err
	}
	d := &durableRun{options: o, path: path, name: journalName(path), clock: s.clock}
	config := o.journal.journalConfig()
	config.Before = func(image *journal.Image, lock journal.FileID) error {
		if n, named := shellOf(image); named {
			return n.whyOutlived(d.name, lock)
		}
		return nil
	}
	config.Synced, config.OnDisk = s.running.noteSynced, d.checkBefore
	if o.journal.restart {
		err = d.patiently(func() error { return journal.Restart(path, config) })
	}
	if info, missing := os.Stat(path); missing == nil {
		d.written = info.ModTime()
	}
	if err == nil {
		err = d.patiently(func() (err error) {
			d.journal, err = journal.Open(path, config)
			return err
		})
	}
	if err != nil {
		return nil, d.withAdvice(err)
	}
	if d.journal.Image().Size() > largeState {
		debug.SetGCPercent(20) // the state is there twice while it is restored
	}
	cfg := process.Config{Clock: s.clock, KillTimeout: o.killTimeout, Weak: o.weak, Sessions: !hasTerminal()}
	d.shell = ownShell(d.journal.LockID())
	if d.known, err = d.endRunning(cfg); err != nil {
		return nil, err
	}
	if image := d.journal.Image(); d.goesOn() || o.journal.restart {
		if err := endUnawaited(path, image); err != nil {
			return nil, err
		}
	}
	s.journal = path
	d.release = s.host.Hold(int(d.journal.Lock().Fd()))
	d.config = &durable.Script{Journal: d.journal, Canonical: printer.Code, Boot: bootID(), Abandon: o.journal.abandon}
	d.config.Shell, err = json.Marshal(d.shell)
	return d, err
}

// notDurably says why nothing is run, and is the exit status for that.
func notDurably(err error, name string) int {
	if _, ok := errors.AsType[*journal.WriteError](err); ok {
		refuseToRun(err, "Nothing was run. To go on when that has passed: ftsh --continue "+quoteWord(name))
		return statusSuspended
	}
	return refuseToRun(err, "")
}

// withAdvice is an error with what to do about it, where it does not say that itself.
func (d *durableRun) withAdvice(err error) error {
	if _, ok := errors.AsType[*journal.CorruptError](err); ok {
		return &explainedError{err, []string{"Nothing can be taken from it safely. " +
			"See what the script has done, then begin anew: --restart keeps the journal as " + d.path + ".old"}}
	}
	return err
}

// patiently calls until the guardian of a dead shell has ended what that left. A child of a shell that was
// killed while it forked has that shell's locks until it starts its program: the shell seems to live that long.
func (d *durableRun) patiently(call func() error) error {
	const pause, forking, silence = 20 * time.Millisecond, 200 * time.Millisecond, 5 * time.Second
	lock := lockWait{path: d.path + ".lock", what: "the journal " + d.name}
	for waited := time.Duration(0); ; waited += pause {
		err := call()
		var busy *journal.BusyError
		if !errors.As(err, &busy) || busy.PID != 0 && waited >= forking {
			return err
		}
		if waited > 0 && waited%lockLooks == 0 {
			if pid, is := lock.wakeGuardians(); is {
				return fmt.Errorf("the journal %s is locked by process %d, a guardian of ftsh, which stays stopped "+
					"though it was woken: kill -CONT %d, then begin again", d.name, pid, pid)
			}
		}
		if waited == silence && !lock.told {
			printWarning("waiting: the shell that ran the journal " + d.name + " is gone, and what it left is still being ended")
		}
		time.Sleep(pause)
	}
}

// prepareRun does what is to be done before the script begins or goes on; runs is false if it does not, but
// the shell ends with that status.
func (d *durableRun) prepareRun(config interp.Config, file *ast.File) (status int, runs bool) {
	err, finished := interp.Finished(d.journal.Image())
	if exit := new(interp.Exit); errors.As(err, &exit) && exit.Status == statusSuccess {
		err = nil
	}
	if err := d.config.Differs(file, config.Script.Args, finished && err != nil); err != nil {
		hint := "What has begun must stay as it was: undo the change, or begin anew with --restart, " +
			"which keeps the journal as " + d.path + ".old"
		return refuseToRun(d.explainDifference(err), hint), false
	}
	if finished {
		j := &d.options.journal
		if err == nil || !j.answers.say(again, happened) {
			return d.finishedStatus(file, err), false
		}
		if err := d.goOnAfterFailure(file); err != nil {
			return notDurably(err, d.name), false
		}
		d.sayLost()
		return 0, true
	}
	d.sayLost()
	return d.writeDecisions(config, file)
}

// goOnAfterFailure makes a script that has failed go on as the options say, and says where.
func (d *durableRun) goOnAfterFailure(file *ast.File) error {
	a := &d.options.journal.answers
	for number, said := range a.numbered {
		if said == again {
			return fmt.Errorf("--again=%d: the script has failed, and goes on at all that failed: --again takes no number then",
				number)
		}
	}
	before, _ := d.config.Spots(file, nil, false)
	if a.say(happened) {
		if d.config.Changed(file, true) {
			return errors.New("what failed was changed, and runs from its beginning: so nothing of it can be taken as done; " +
				"go on with --again, or undo the change")
		}
		if err := d.takeAsDone(); err != nil {
			return err
		}
	}
	where, err := d.config.Retry(file)
	for _, place := range where {
		printWarning("going on at " + place)
	}
	if err == nil {
		d.sayMended(file, before)
	}
	return err
}

// takeAsDone takes the units with which a script has failed as done, and refuses to go on while another one has failed
// of which nothing is said.
func (d *durableRun) takeAsDone() error {
	a := &d.options.journal.answers
	var known []int
	var taken, unnamed []durable.FailedUnit
	list := durable.FailedUnits(d.journal.Image())
	for _, u := range list {
		known = append(known, u.Number)
		switch _, named := a.numbered[u.Number]; {
		case named:
			taken = append(taken, u)
		case a.others == happened:
			unnamed = append(unnamed, u)
		}
	}
	if len(list) == 0 {
		return errors.New("--happened takes a command as done that has failed, and there is none: " +
			"the script goes on at what failed with --again")
	}
	if err := a.unknown("failed command %d", known); err != nil {
		return err
	}
	if len(unnamed) > 1 {
		return &explainedError{errors.New("more than one command has failed; say which has done its work"),
			failedLines(unnamed)}
	}
	if err := d.config.Done(append(taken, unnamed...)...); err != nil {
		return err
	}
	if left := durable.FailedUnits(d.journal.Image()); len(left) > 0 && a.others != again {
		return &explainedError{errors.New("it is taken as done; say of the others, too, or go on with --again"),
			failedLines(left)}
	}
	return nil
}

// failedLines lists failed commands with the numbers that --happened takes, each in a line.
func failedLines(list []durable.FailedUnit) (lines []string) {
	for _, u := range list {
		line := fmt.Sprintf("    --happened=%d  %s:%d: %s", u.Number, u.File, u.Line, u.Text)
		if len(u.Items) > 0 {
			line += fmt.Sprintf(" (%s)", strings.Join(u.Items, ", "))
		}
		lines = append(lines, line)
	}
	return lines
}

// explainDifference says what makes the script another one, in one line and with the line of the script.
func (d *durableRun) explainDifference(err error) error {
	const differs = "the journal %s is of another script: %w"
	if list, ok := errors.AsType[diag.List](err); ok {
		lines := strings.Split(list.Text(), "\n")
		return &explainedError{fmt.Errorf(differs, d.name, errors.New(lines[0])), lines[1:]}
	}
	return fmt.Errorf(differs, d.name, err)
}

// finishedStatus is the exit status where the script has ended so in an earlier run, and nothing is run.
func (d *durableRun) finishedStatus(file *ast.File, err error) int {
	if differs := d.config.FinishedDiffers(file); differs != nil {
		advice := "--restart begins anew, and keeps the journal as " + d.path + ".old"
		if err != nil {
			advice = "--again goes on at what failed, with the script as it is now; " + advice
		}
		return refuseToRun(d.explainDifference(differs), "The journal is finished, nothing is run: "+advice)
	}
	return d.sayFinished(err)
}

// sayFinished says how the script has ended, and is the exit status for that.
func (d *durableRun) sayFinished(err error) int {
	status, result, advice := statusSuccess, "succeeded", "--restart begins anew"
	var exit *interp.Exit
	var failure *interp.Failure
	switch {
	case errors.As(err, &exit):
		status, result = exit.Status, fmt.Sprintf("ended with status %d", exit.Status)
	case errors.As(err, &failure):
		status, result = statusFailed, "failed: "+failure.Error()
	}
	if err != nil {
		advice = "--again goes on at what failed, --restart begins anew"
	}
	printWarning(fmt.Sprintf("the journal %s is finished, nothing is run: the script %s, %s (%s)",
		d.name, result, d.written.Format(time.DateTime), advice))
	return status
}

// goesOn reports whether the script has begun in an earlier run.
func (d *durableRun) goesOn() bool {
	_, begun := d.journal.Image().Get("", "at")
	return begun
}

// beginRun readies the shell to run the script.
func (d *durableRun) beginRun(s *shell, words []string) {
	d.config.Begun = []durable.Change{durable.Set("", keyCommand, d.options.begin(words))}
	s.running.beginFile(d.path, d.shell, s.host.Left())
	d.ended = func() {
		d.unrecorded = d.config.Unrecorded()
		s.running.endFile(d.path, d.unrecorded)
	}
	s.config.Durable = d.config
	s.config.Script.Dir, _ = os.Getwd() // the journal keeps it
}

// endRun closes the journal, and says how to go on with it; so many jobs do meanwhile.
func (d *durableRun) endRun(err error, received syscall.Signal, jobs int) {
	d.closeJournal()
	var suspended *durable.Suspended
	name := quoteWord(d.name)
	switch {
	case received != 0 && !d.config.Abandon:
		printWarning(fmt.Sprintf("the script is suspended by %s; %s", unix.SignalName(received),
			howToGoOn("to go on", name, jobs)))
	case errors.Is(err, journal.ErrDisplaced):
		printWarning(err.Error(), d.unrecordedLines("Put the journal back before anybody goes on with "+name+
			": what stands there now does not tell what was done")...)
	case errors.As(err, &suspended):
		printWarning(err.Error(), d.unrecordedLines(howToGoOn("To go on", name, jobs))...)
	case exitStatus(d.options, err) != statusSuccess && !d.config.Abandon:
		printWarning("to run again only what failed, add --again: ftsh --continue " + name + " --again")
	}
}

// howToGoOn says what goes on without the shell, and how to go on with it.
func howToGoOn(toGoOn, name string, jobs int) string {
	switch jobs {
	case 0:
		return toGoOn + ": ftsh --continue " + name
	case 1:
		return fmt.Sprintf("1 job goes on: ftsh --continue %s waits for it, ftsh --abandon %[1]s cancels it", name)
	}
	return fmt.Sprintf("%d jobs go on: ftsh --continue %s waits for them, ftsh --abandon %[2]s cancels them", jobs, name)
}

// unrecordedLines names the units whose ends could not be written, each in a line, and then says what to do.
func (d *durableRun) unrecordedLines(advice string) []string {
	var lines []string
	for _, u := range d.unrecorded {
		lines = append(lines, fmt.Sprintf("%s:%d: '%s' had ended with status %d, which could not be recorded", u.File, u.Line,
			u.Text, u.Status))
	}
	return append(lines, advice)
}

func (d *durableRun) closeJournal() {
	if d.release != nil {
		d.release()
		d.release = nil
	}
	if d.ended != nil {
		d.ended()
		d.ended = nil
	}
	_ = d.journal.Close()
}

// bootID tells one boot of the machine from another; "": that is not known.
func bootID() string {
	text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text))
}
