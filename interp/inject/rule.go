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
	"ftsh/interp/world"
)

// Rule is one fault. Its zero value is of no use; see [Parse].
type Rule struct {
	text        string
	program     string  // its name, or a path if there is a slash in it; any: *
	number      int     // of the run; 0: see probability
	probability float64 // 1: each run

	after  time.Duration // how long it runs; 0: it is not started
	fault  fault
	errno  unix.Errno   // why it cannot be started
	status world.Status // what it ends with
	saying string       // what it writes to standard error
}

// fault says how a program fails.
type fault uint8

const (
	ends       fault = iota // with a status
	unanswered              // it runs to its end, but its output is lost
	hangs                   // it runs until it is cancelled
	unstarted               // it cannot be started
)

const any = "*"

// errWanted tells how a rule is written.
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
		err = r.parseFault(r.cutSaying(text, words)[1:])
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

// cutSaying takes `saying TEXT`, which a rule may end with, off its words. TEXT stays as it is written.
func (r *Rule) cutSaying(text string, words []string) []string {
	const word = "saying"
	for i := 2; i < len(words)-1; i++ {
		if words[i] != word {
			continue
		}
		_, after, _ := strings.Cut(text, " "+word+" ")
		r.saying = strings.TrimSpace(after)
		return words[:i]
	}
	return words
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
	case len(words) == 2 && words[0] == "exit":
		return r.parseStatus(words[1])
	case len(words) == 2 && words[0] == "signal":
		return r.parseSignal(words[1])
	case len(words) == 1 && r.parseWord(words[0]):
		return nil
	}
	return fmt.Errorf("%s: wanted exit STATUS, signal NAME, after TIME signal NAME, unanswered, hang, missing or system",
		strings.Join(words, " "))
}

// parseWord reads a fault that is one word.
func (r *Rule) parseWord(word string) bool {
	switch word {
	case "unanswered":
		r.fault, r.status.Signal = unanswered, unix.SIGKILL
	case "hang":
		r.fault = hangs
	case "missing":
		r.fault, r.errno = unstarted, unix.ENOENT
	case "system":
		r.fault, r.errno = unstarted, unix.EAGAIN
	default:
		return false
	}
	return true
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

// concernsCommand reports whether the rule is about a command, also one that env runs.
func (r *Rule) concernsCommand(c *world.Command) bool {
	if r.program == any || r.namesProgram(c.Args[0]) || r.program == c.Path {
		return true
	}
	program, seen := throughEnv(c.Args)
	return seen && r.namesProgram(program)
}

// namesProgram reports whether the rule is about a program that was called so.
func (r *Rule) namesProgram(program string) bool {
	if strings.Contains(r.program, "/") {
		return r.program == program
	}
	return r.program == filepath.Base(program)
}

// throughEnv returns the program that `env [OPTION…] [NAME=VALUE…] PROGRAM …` runs; false: it is no such command.
func throughEnv(args []string) (program string, seen bool) {
	for len(args) > 0 && filepath.Base(args[0]) == "env" {
		args = args[1:]
		for len(args) > 0 && (strings.HasPrefix(args[0], "-") || strings.Contains(args[0], "=")) {
			switch args[0] {
			case "-u", "-C", "--unset", "--chdir":
				args = args[min(2, len(args)):]
			default:
				args = args[1:]
			}
		}
		if len(args) > 0 {
			program, seen = args[0], true
		}
	}
	return program, seen
}

// mustFire reports whether the rule must have its run: one by chance need not.
func (r *Rule) mustFire() bool { return r.number > 0 || r.probability == 1 }
