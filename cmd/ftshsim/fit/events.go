package fit

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"ftsh/interp"
)

// events reads a shell's JSON log, or that of several shells.
type events struct {
	log    *Log
	shells map[int]*shell // by process id
}

// record is a line of the log: the members that are needed here.
type record struct {
	Time    time.Time
	Event   string
	Shell   int
	Command []string
	Status  int
	Failure string
	Elapsed float64
}

// evaluated are programs that the simulator evaluates for itself.
var evaluated = []string{"test", "[", "expr", "true", "false"}

// readLine takes one line.
func (e *events) readLine(text string) error {
	var r record
	err := json.Unmarshal([]byte(text), &r)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("this line is torn, or no JSON: %w", err)
	case err != nil:
		return err
	case r.Event == "" || r.Time.IsZero():
		return errors.New("this is no event of a shell: wanted a line that was written with --log-format json")
	}
	s := e.shells[r.Shell]
	if s == nil || s.over || r.Event == "shell.start" {
		s = &shell{began: r.Time.Add(-asDuration(r.Elapsed))}
		e.shells[r.Shell] = s
		e.log.shells = append(e.log.shells, s)
	}
	s.ended = r.Time
	switch r.Event {
	case "shell.end":
		s.over = true
		s.failed = s.failed || r.Status != 0
	case "script.failed":
		s.failed = true
	case "command.end", "command.failed":
		e.endProgram(&r)
	}
	return nil
}

// endProgram takes the end of a program.
func (e *events) endProgram(r *record) {
	if len(r.Command) == 0 || interp.IsBuiltin(r.Command[0]) || slices.Contains(evaluated, path.Base(r.Command[0])) {
		return
	}
	took := asDuration(r.Elapsed)
	c := call{words: r.Command, began: r.Time.Add(-took), took: took, timed: true, status: r.Status}
	switch r.Failure {
	case "":
	case "timeout", "cancelled":
		c.outcome = cut
	default:
		c.outcome = bad
	}
	e.log.calls = append(e.log.calls, c)
}

// asDuration is a length of time as the log has it.
func asDuration(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
