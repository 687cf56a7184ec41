package interp

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
)

// environment returns the environment of programs, without what each is told by toldLimits. It is made again after an
// exported variable has changed, and never changed itself: programs share it.
func (f *frame) environment() (environ []string, err error) {
	if f.state.environ == nil {
		f.state.environ, err = f.exportedWords()
	}
	return f.state.environ, err
}

// wholeEnvironment returns it with what a program is told here.
func (f *frame) wholeEnvironment() ([]string, error) {
	environ, err := f.environment()
	return append(f.toldLimits(), environ...), err
}

// exportedWords lists the variables of the environment: those that the script never
// mentions as they were inherited, the others as they are now.
func (f *frame) exportedWords() ([]string, error) {
	f.growVariables()
	environ := make([]string, 0, len(f.run.Script.Environ))
	for _, entry := range f.run.Script.Environ {
		name, _, valid := strings.Cut(entry, "=")
		_, mentioned := f.run.names.Lookup(name)
		if valid && !mentioned && !slices.Contains(f.state.hidden, name) && !isTold(name) {
			environ = append(environ, entry)
		}
	}
	for n := range f.state.vars {
		variable := &f.state.vars[n]
		if !variable.exported || !variable.set || isTold(f.run.names.Name(n)) {
			continue // what programs are told must stand there once: of two, some take the first, some the last
		}
		if f.secret && variable.value.IsLost() {
			continue // a group on start may be about to set it
		}
		value, err := variable.value.Text()
		if err != nil {
			return nil, fmt.Errorf("%s cannot stand in the environment: %w", f.run.names.Name(n), err)
		}
		environ = append(environ, f.run.names.Name(n)+"="+value)
	}
	return environ, nil
}

// usualPath is searched for programs if there is no PATH.
const usualPath = "/usr/local/bin:/usr/bin:/bin"

var errNoPath = errors.New("the value of PATH cannot be read")

// findProgram looks a program up on PATH, or as a path if there is a slash in its name.
func (f *frame) findProgram(name string) (string, error) {
	path := usualPath
	if value, set := f.Lookup("PATH"); set {
		text, err := value.Text()
		if err != nil {
			return "", fmt.Errorf("%w: %w", errNoPath, err)
		}
		path = text
	}
	return f.run.World.Find(name, path, f.state.dir)
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
	if identity := f.run.World.Identity(); identity != "" {
		environ = append(environ, toldParent+"="+identity)
		if deadline != backoff.Never {
			moment := f.run.World.Date().Add(deadline - f.run.clock.Now())
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
	if f.run.Script.Deadline != 0 {
		deadline = f.run.Script.Deadline
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
