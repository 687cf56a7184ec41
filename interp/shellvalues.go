package interp

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/backoff"
)

// Shell returns one of the shell's own values; false if there is none now.
func (f *frame) Shell(d ast.Dotted) (string, bool) {
	if d >= ast.ErrorKind {
		return f.toldValue(d)
	}
	t := f.try
	if t == nil {
		return "", false
	}
	switch d {
	case ast.LastKind, ast.LastStatus, ast.LastStderr:
		if t.before == nil {
			return "", false
		}
		return t.before.value(d), true
	case ast.TryAttempt:
		return strconv.Itoa(t.number), true
	case ast.TryElapsed:
		return wholeSeconds(f.run.clock.Now() - t.start), true
	case ast.TryRemaining:
		if t.header.Plan.Deadline == backoff.Never {
			return "", false
		}
		return wholeSeconds(t.remaining()), true
	default:
		return t.header.Key, true
	}
}

// wholeSeconds rounds down.
func wholeSeconds(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }

// value returns a part of a failure; a nil failure, that of a success, has
// the status 0 and else only empty ones.
func (f *Failure) value(d ast.Dotted) string {
	switch {
	case f == nil && d == ast.ErrorStatus:
		return "0"
	case f == nil:
		return ""
	}
	switch d {
	case ast.ErrorKind, ast.LastKind:
		return string(f.Kind)
	case ast.ErrorStatus, ast.LastStatus:
		return strconv.Itoa(f.Status)
	case ast.ErrorCommand:
		return f.Command
	case ast.ErrorLine:
		return strconv.Itoa(int(f.Pos.Line))
	case ast.ErrorMessage:
		return f.Message
	case ast.ErrorStderr, ast.LastStderr:
		return f.Stderr.String()
	case ast.ErrorSummary:
		return f.summary()
	case ast.ErrorItem:
		item, _ := f.item.Text()
		return item
	}
	return string(f.Reason)
}

// The most characters of a summary, which is the subject of a mail, and of the command in it.
const (
	mostSummary = 200
	mostCommand = 80
)

// summary tells a person in one line what failed, how it ended, and the last line that
// it wrote to standard error.
func (f *Failure) summary() string {
	text := f.Message
	if f.Command != "" && f.Kind != KindFailure {
		text = ast.OneLine(f.Command, mostCommand) + ": " + f.endingText()
	}
	if line := f.Stderr.LastLine(); line != "" {
		text += ": " + line
	}
	return ast.OneLine(text, mostSummary)
}

// endingText is the message as it stands behind the command: without the name of the program
// that it may begin with.
func (f *Failure) endingText() string {
	name, _, _ := strings.Cut(f.Command, " ")
	return strings.TrimPrefix(f.Message, name+": ")
}

// randomKey makes the key of a try: 128 random bits, as a word that can be the name of a job.
// They come from the kernel (getrandom(2)) and not from the script's dice, since two scripts
// with the same seed must not have the same keys. Without them there is no key: one that
// others have too would make their work look like that of this try.
func randomKey(getrandom func(buffer []byte, flags int) (int, error)) (string, error) {
	var random [16]byte
	for n := 0; n < len(random); {
		got, err := getrandom(random[n:], 0)
		if err != nil && err != unix.EINTR {
			return "", fmt.Errorf("cannot make a key for the try, the kernel gives no random numbers: %w; "+
				"name a key with the clause key", err)
		}
		n += max(0, got)
	}
	half := func(b []byte) string { return strconv.FormatUint(binary.LittleEndian.Uint64(b), 36) }
	return "ftsh-" + half(random[:8]) + half(random[8:]), nil
}

// The names by which programs, nested shells among them, are told of the limits
// that they run under.
const (
	toldDeadline = "FTSH_DEADLINE"
	toldBoot     = "FTSH_DEADLINE_BOOT" // the same on the clock of a nested shell, which nobody sets
	toldParent   = "FTSH_PARENT"
	toldAttempt  = "FTSH_ATTEMPT"
	toldKey      = "FTSH_KEY"
)

// isTold reports whether a name is one of them.
func isTold(name string) bool {
	switch name {
	case toldDeadline, toldBoot, toldParent, toldAttempt, toldKey:
		return true
	}
	return false
}

// toldLimits returns what programs are told of the innermost try; outside of one, what
// this shell was told itself.
func (f *frame) toldLimits() []string {
	t, deadline := f.try, f.toldDeadline()
	if t == nil && deadline == backoff.Never {
		return f.passedOn(toldParent, toldAttempt, toldKey)
	}
	var environ []string
	if f.run.identity != nil {
		environ = append(environ, toldParent+"="+f.run.identity())
		if deadline != backoff.Never {
			moment := f.run.wallClock().Add(deadline - f.run.clock.Now())
			told := strconv.FormatFloat(float64(moment.UnixMicro())/1e6, 'f', 6, 64) // seconds since 1970
			boot := told + "/" + strconv.FormatInt(int64(deadline), 10)
			environ = append(environ, toldDeadline+"="+told, toldBoot+"="+boot)
		}
	}
	if t == nil {
		return append(environ, f.passedOn(toldAttempt, toldKey)...)
	}
	return append(environ, toldAttempt+"="+strconv.Itoa(t.number), toldKey+"="+t.header.Key)
}

// passedOn is those of the names that this shell was given itself.
func (f *frame) passedOn(names ...string) []string {
	var environ []string
	for _, name := range names {
		if value, given := f.run.inherited(name); given {
			environ = append(environ, name+"="+value)
		}
	}
	return environ
}

// toldDeadline is the earliest time limit that holds here.
func (f *frame) toldDeadline() time.Duration {
	deadline := backoff.Never
	if f.run.Deadline != 0 {
		deadline = f.run.Deadline
	}
	for t := f.try; t != nil; t = t.outer {
		switch t.servedPhase() {
		case verifying:
			deadline = min(deadline, t.verifyEnd())
		case attempting:
			deadline = min(deadline, t.header.Plan.Deadline)
		}
	}
	return deadline
}
