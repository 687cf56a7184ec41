package interp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/brief"
	"ftsh/interp/durable"
	"ftsh/interp/expand"
	"ftsh/interp/files"
	"ftsh/interp/output"
	"ftsh/interp/value"
)

// Kind tells what sort of thing went wrong (section 4 of the language). Scripts
// read it as ${error.kind} and name it in `only on` and `except on`.
type Kind string

// statusTimeout is the status of what a time limit has cut off.
const statusTimeout = 124

// The kinds of failure.
const (
	KindExit      Kind = "exit"      // a program or builtin ended with a status other than 0
	KindSignal    Kind = "signal"    // a program died of a signal
	KindMissing   Kind = "missing"   // no such program, or not executable
	KindSystem    Kind = "system"    // the machine has no process, memory, descriptor or room for temporary files left
	KindTimeout   Kind = "timeout"   // a time limit cut it off
	KindCancelled Kind = "cancelled" // something else cut it off: a signal, a failed sibling
	KindUnknown   Kind = "unknown"   // a durable script was interrupted meanwhile: it may have done its work, or not
	KindLost      Kind = "lost"      // of a job that was lost, with its node or in the queue
	KindMemory    Kind = "memory"    // a job needed more memory than it had
	KindRedirect  Kind = "redirect"  // a redirection could not be made or kept
	KindFailure   Kind = "failure"   // the builtin failure
	KindError     Kind = "error"     // the script's own: a bad integer, an undefined variable
)

// isKind reports whether a word is the name of a kind.
func (k Kind) isKind() bool { return slices.Contains(ast.Kinds(), string(k)) }

// A Failure says how a statement failed. It is the only error that a script can
// react to; [Exit] passes through everything but finally groups.
type Failure struct {
	Kind    Kind
	Status  int            // the exit status, 128+signal, 127 missing, 124 timeout, else 1
	Command string         // the command that failed, as it was run
	Pos     ast.Pos        // of that command or statement
	Message string         // what happened, without the place
	Stderr  output.Stderr  // what it wrote to standard error, where that was kept
	Reason  backoff.Reason // why the try around it stopped

	item    value.Value         // of the innermost forall or forany around the command
	left    *value.Sequence     // the items of the loop that failed with it that have not succeeded; nil: it was none
	placed  bool                // the item was noted
	cut     *cut                // why it was cut off, until the statement that set the limit takes it
	besides string              // what the message of one that was cut off says after the reason
	pipe    bool                // a builtin found that nobody reads its pipe any more
	early   bool                // it is of a stage before the last of a pipeline
	giveup  bool                // the builtin giveup, on its way to the nearest try with limits
	open    []*durable.OpenUnit // in a dry run: units that were under way, and that nothing has handled so far
	story   story
}

// A story holds what else there is to tell of a failure when the script has failed of it.
type story struct {
	words  []string      // of the command
	name   string        // the variable of the innermost loop over items around the command
	item   string        // that it had there
	tried  int           // how many attempts the tries around it have made; 0: there was none
	spent  time.Duration // since the first of them
	cause  *Failure      // what the catch group that it stood in had to react to
	told   bool          // an event of level Failures has told of it
	failed *failedItems  // of the forall that it ended; nil: only one has failed, or others have not succeeded either
	others []*Failure    // of the branches that went on, and failed, too: at most mostOthers
	more   int           // how many of these others has no room for
}

// mostOthers limits the failed branches that are told of one by one.
const mostOthers = 20

// failedItems is which items of a forall that kept going have failed.
type failedItems struct {
	first []string // at most mostOthers
	count int
	of    int
}

// Error gives "file:line:column: message".
func (f *Failure) Error() string { return f.Pos.String() + ": " + f.Message }

// Others are the failures of other branches of a forall that went on, at most 20, and how
// many more there were.
func (f *Failure) Others() (others []*Failure, more int) { return f.story.others, f.story.more }

// HowOften tells how often the tries around a failure have tried, for how long, and why not once more, as the log does:
// "tried 3 times in 2 s (deadline)"; "" if none has.
func (f *Failure) HowOften() string {
	s := &f.story
	switch {
	case s.tried == 0:
		return ""
	case s.tried == 1:
		return "tried 1 time" + f.reasonInBrackets()
	}
	return fmt.Sprintf("tried %d times in %s", s.tried, brief.Time(s.spent)) + f.reasonInBrackets()
}

// reasonInBrackets is why a try has stopped, unless the number of its attempts says so.
func (f *Failure) reasonInBrackets() string {
	if f.Reason == "" || f.Reason == backoff.Attempts {
		return ""
	}
	return " (" + string(f.Reason) + ")"
}

// Item is the variable of the innermost loop over items that the failure was in, and what
// it had come to; "" if there was none.
func (f *Failure) Item() (variable, value string) { return f.story.name, f.story.item }

// EarlyStage reports whether a stage before the last of a pipeline has failed.
func (f *Failure) EarlyStage() bool { return f.early }

// cut is the cause with which a scope's context is cancelled.
type cut struct {
	kind  Kind          // KindTimeout or KindCancelled
	depth int           // of the scope that was cut off
	at    time.Duration // on the clock
	why   string
	pipe  bool // the reader of the whole pipeline that was cut off had enough, which is no failure
	last  bool // of the whole script, by the shell above: the signal that it sends, too, cuts nothing else off
}

func (c *cut) Error() string { return c.why }

// usage is the error of a builtin that was given wrong arguments.
type usage string

func (u usage) Error() string { return "usage: " + string(u) }

// isMistake reports whether the script is wrong, and will be at the next attempt, too.
func (f *Failure) isMistake() bool { return f.Kind == KindError || f.Kind == KindMissing }

// saysNo reports whether the failed command of a test has decided it. What a stage before the last
// ends with is no answer.
func (f *Failure) saysNo() bool {
	return f.Kind == KindExit && f.Status == 1 && f.cut == nil && !f.early
}

// systemOr is the kind of a failure: system if the machine has run out of descriptors, memory
// or room for temporary files, as that says nothing of the script; else what it is usually.
func systemOr(usual Kind, err error) Kind {
	var held files.TemporaryError
	noRoom := errors.As(err, &held) && (errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT))
	if noRoom || expand.Exhausted(err) {
		return KindSystem
	}
	return usual
}

// newFailure is a failure with status 1.
func newFailure(kind Kind, pos ast.Pos, message string) *Failure {
	return &Failure{Kind: kind, Status: 1, Pos: pos, Message: message}
}

// cutBy returns the same failure as one of what was cut off.
func (f *Failure) cutBy(c *cut) *Failure {
	changed := *f
	changed.cut = c
	return &changed
}

// withOpen has a failure stand for another one, too: the units that were under way are as undecided as they were.
func (f *Failure) withOpen(err error) *Failure {
	if other := asFailure(err); other != nil {
		f.open = append(f.open, other.open...)
		f.addBesides(other.besides)
	}
	return f
}

// addBesides adds to the message of what was cut off what is to be known besides the reason; "": nothing.
func (f *Failure) addBesides(text string) {
	if text != "" { // also if the reason is replaced
		f.Message += text
		f.besides += text
	}
}

// givenUp returns the same failure as one that ends the nearest try with limits.
func (f *Failure) givenUp() *Failure {
	changed := *f
	changed.giveup, changed.Reason = true, backoff.Giveup
	return &changed
}

// withReason returns the same failure with another reason.
func (f *Failure) withReason(reason backoff.Reason) *Failure {
	changed := *f
	changed.Reason = reason
	return &changed
}

// brokenPipe reports whether a command ended because its reader had enough, or that of the
// pipeline in which it was a stage.
func brokenPipe(failure *Failure) bool {
	cutOff := failure.cut != nil && failure.cut.pipe
	return cutOff || failure.pipe || failure.Kind == KindSignal && failure.Status == 128+int(syscall.SIGPIPE)
}

// commandText gives a command's words as messages and ${error.command} show them.
func commandText(args []string) string {
	const most = 4096
	text := strings.Join(args, " ")
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// withStatus adds the status of a failure to what is said of it, if that does not name it.
func (f *Failure) withStatus(text string) string {
	if f.Kind == KindExit {
		return text
	}
	return fmt.Sprintf("%s (status %d)", text, f.Status)
}

// leftUnderWay is the failure of a unit that an earlier run has only begun.
func leftUnderWay(text string) *Failure {
	failure := newFailure(KindUnknown, ast.Pos{}, "was under way when the shell ended; whether it did its work is unknown")
	failure.Command = text
	return failure
}

// diesOfShutdown reports whether a failure looks like that of a program which was told to end.
func diesOfShutdown(failure *Failure) bool {
	if failure.Kind != KindSignal && failure.Kind != KindExit {
		return false
	}
	switch syscall.Signal(failure.Status - 128) {
	case syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGXCPU, syscall.SIGKILL:
		return true
	}
	return false
}

// unseenFailure is the failure of what depends on what programs write to standard error, where nobody can see that.
func unseenFailure(err error) *Failure {
	return newFailure(KindSystem, ast.Pos{}, "cannot see standard error, which a try wants for matching: "+err.Error())
}
