package main

import (
	"errors"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp"
	"ftsh/interp/event"
	"ftsh/parser"
)

// statusNoAttempt is the status of --try if the command did not run, as of timeout(1)
// and nohup(1): other numbers are the command's own.
const statusNoAttempt = 125

// runOnce runs one command under a try with the clauses of --try.
func runOnce(o *options) int {
	if len(o.args) == 0 {
		refuseToRun(errors.New("--try "+*o.try+": name a command to run"), "ftsh --manual try")
		return statusNoAttempt
	}
	file, err := parseOnce(*o.try)
	if err != nil {
		if instead := clausesInOneWord(*o.try, o.args); instead != "" {
			refuseToRun(errors.New("--try "+*o.try+": CLAUSES is one word; write  "+instead), "ftsh --manual try")
		} else {
			reportErrors(err)
		}
		return statusNoAttempt
	}
	if !isOneTry(file) {
		err := errors.New("--try " + *o.try + ": wanted the clauses of one try, such as 'for 1 hour each 30 s'")
		refuseToRun(err, "ftsh --manual try")
		return statusNoAttempt
	}
	return runFile(o, file, append([]string{"ftsh"}, o.args...))
}

// parseOnce parses the script that runs one command under a try with these clauses.
func parseOnce(clauses string) (*ast.File, error) {
	return parser.Parse(&ast.Source{Name: "--try", Text: "try " + clauses + "\n\"$@\"\nend\n"}, parser.Config{})
}

// clausesInOneWord shows how to call --try with clauses that were given as several words, which
// took the place of the command; "" if that is not what is wrong.
func clausesInOneWord(first string, rest []string) string {
	const most = 30 // words that clauses may have
	for n := min(len(rest), most) - 1; n > 0; n-- {
		clauses := strings.Join(append([]string{first}, rest[:n]...), " ")
		if file, err := parseOnce(clauses); err == nil && isOneTry(file) && !strings.Contains(clauses, "'") {
			command := strings.TrimPrefix(strings.Join(rest[n:min(n+2, len(rest))], " "), "-- ")
			command, _, more := strings.Cut(command, " ")
			if more || len(rest) > n+1 {
				command += " …"
			}
			return "--try '" + clauses + "' -- " + command
		}
	}
	return ""
}

// isOneTry reports whether a file is a try around one command and nothing else, whatever
// stands in the clauses.
func isOneTry(file *ast.File) bool {
	if len(file.Body.List) != 1 {
		return false
	}
	n, ok := file.Body.List[0].Node.(*ast.Try)
	return ok && len(n.Body.List) == 1 && n.Catch == nil && n.Verify == nil && n.Finally == nil
}

// A repeats passes events on, and says once, if a command whose output is a regular file is repeated, that the file
// has what all attempts wrote: another program has opened it, and it cannot be cut back.
type repeats struct {
	event.Observer
	said atomic.Bool
}

func noticeRepeats(o event.Observer) event.Observer {
	var info unix.Stat_t
	if o == nil || unix.Fstat(1, &info) != nil || info.Mode&unix.S_IFMT != unix.S_IFREG {
		return o
	}
	return &repeats{Observer: o}
}

func (r *repeats) Enabled(level int) bool {
	return level <= event.Structures || r.Observer.Enabled(level)
}

func (r *repeats) Observe(e event.Event) {
	if e.Kind == event.TryAttempt && e.Attempt > 1 && !r.said.Swap(true) {
		sayError("ftsh: standard output is a file, and keeps what the attempts before wrote, too; " +
			"write  => FILE  in a script to have only what counted\n")
	}
	if r.Observer.Enabled(e.Kind.Level()) {
		r.Observer.Observe(e)
	}
}

// onceStatus is the status of --try after the command has failed: the last attempt's.
func onceStatus(failure *interp.Failure) int {
	switch failure.Kind {
	case interp.KindExit, interp.KindSignal, interp.KindTimeout, interp.KindMissing:
		return failure.Status
	}
	return statusNoAttempt
}
