package inject

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/expand"
	"ftsh/interp/process"
)

// Rule is one fault. Its zero value is of no use; see [Parse].
type Rule struct {
	text        string
	program     string  // its name, or a path if there is a slash in it; any: *
	number      int     // of the run; 0: see probability
	probability float64 // 1: each run

	after      time.Duration  // how long it runs; 0: it is not started
	unanswered bool           // it runs to its end, but its output is lost
	status     process.Status // what it ends with
}

const any = "*"

// errWanted is what a rule should have been.
var errWanted = errors.New("wanted PROGRAM:WHICH FAULT, such as 'curl:2 exit 28', 'rsync:* after 5s signal KILL', " +
	"'sbatch:1 unanswered' or '*:p=0.1 exit 1'")

// Parse reads a rule. The error says what is wrong with it.
func Parse(text string) (Rule, error) {
	r := Rule{text: strings.Join(strings.Fields(text), " ")}
	words := strings.Fields(text)
	if len(words) < 2 {
		return r, fmt.Errorf("fault %q: %w", text, errWanted)
	}
	err := r.parseRuns(words[0])
	if err == nil {
		err = r.parseFault(words[1:])
	}
	if err != nil {
		return r, fmt.Errorf("fault %q: %w", text, err)
	}
	return r, nil
}

// parseRuns reads PROGRAM:WHICH.
func (r *Rule) parseRuns(word string) error {
	colon := strings.LastIndexByte(word, ':')
	if colon <= 0 {
		return errWanted
	}
	var which string
	r.program, which = word[:colon], word[colon+1:]
	chance, isChance := strings.CutPrefix(which, "p=")
	var err error
	switch {
	case which == any:
		r.probability = 1
	case isChance:
		if r.probability, err = strconv.ParseFloat(chance, 64); err != nil || !(r.probability > 0 && r.probability <= 1) {
			return fmt.Errorf("probability %q: wanted a number above 0 and up to 1", chance)
		}
	default:
		if r.number, err = strconv.Atoi(which); err != nil || r.number < 1 {
			return fmt.Errorf("run %q: wanted its number from 1, * for all, or p= and a probability", which)
		}
	}
	return nil
}

// parseFault reads what comes after the runs.
func (r *Rule) parseFault(words []string) error {
	if words[0] == "after" && len(words) > 2 {
		var err error
		if r.after, err = expand.ParseSeconds(words[1]); err != nil || r.after <= 0 {
			return fmt.Errorf("time %q: wanted one above 0, such as 5s or 250ms", words[1])
		}
		if words = words[2:]; words[0] != "signal" {
			return fmt.Errorf("%s: wanted signal behind a time: what ends a program under way is a signal", words[0])
		}
	}
	switch {
	case len(words) == 1 && words[0] == "unanswered":
		r.unanswered, r.status.Signal = true, unix.SIGKILL
		return nil
	case len(words) == 2 && words[0] == "exit":
		return r.parseStatus(words[1])
	case len(words) == 2 && words[0] == "signal":
		return r.parseSignal(words[1])
	}
	return fmt.Errorf("%s: wanted exit STATUS, signal NAME, after TIME signal NAME, or unanswered",
		strings.Join(words, " "))
}

func (r *Rule) parseStatus(word string) error {
	code, err := strconv.Atoi(word)
	if err != nil || code < 0 || code > 255 {
		return fmt.Errorf("status %q: wanted a number from 0 to 255", word)
	}
	r.status.Code = code
	return nil
}

func (r *Rule) parseSignal(word string) error {
	name := "SIG" + strings.TrimPrefix(strings.ToUpper(word), "SIG")
	signal := unix.SignalNum(name)
	if number, err := strconv.Atoi(word); err == nil {
		signal = syscall.Signal(number)
	}
	if unix.SignalName(signal) == "" {
		return fmt.Errorf("signal %q: wanted a name such as KILL, or its number", word)
	}
	r.status.Signal = signal
	return nil
}

// concerns reports whether the rule is about a command.
func (r *Rule) concerns(c *process.Command) bool {
	switch {
	case r.program == any:
		return true
	case strings.Contains(r.program, "/"):
		return r.program == c.Args[0]
	}
	return r.program == filepath.Base(c.Args[0])
}
