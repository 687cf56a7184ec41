package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"ftsh/interp/event"
	"ftsh/interp/expand"
)

// version is what -v prints. The original ended with 7.
const version = "8.0.0"

// defaultKillTimeout is the time between SIGTERM and SIGKILL if -t is not given.
const defaultKillTimeout = 30 * time.Second

const help = `ftsh runs a fault-tolerant shell script.

  ftsh [options] SCRIPT [ARGUMENT …]     run a script
  ftsh [options] -c TEXT [NAME [ARGUMENT …]]
                                         run TEXT; NAME is its $0
  ftsh [options] - [ARGUMENT …]          run what standard input holds

  -n, --noexec            check the syntax, print nothing, run nothing
  -p, --print             print the script in its canonical form
  -f, --log-file FILE     append the log to FILE             (FTSH_LOG_FILE)
  -l, --log-level N       0 nothing, 10 failures (default), 20 commands,
                          30 structures, 40 processes       (FTSH_LOG_LEVEL)
  -D, --log-decimal       seconds instead of dates        (FTSH_LOG_DECIMAL)
      --log-format F      text (default) or json           (FTSH_LOG_FORMAT)
  -t, --kill-timeout T    time between SIGTERM and SIGKILL, 30 s by default
                                                         (FTSH_KILL_TIMEOUT)
  -k, --kill-mode M       strong (default): SIGKILL until all are gone;
                          weak: once                        (FTSH_KILL_MODE)
      --seed N            make every random choice repeatable
      --undefined W       what an undefined variable is: fail (default) or empty
      --no-guardian       leave commands alone if the shell itself is killed
      --manual [TOPIC]    read the manual
  -v, --version           print the version
  -h, --help              print this

Exit status: 0 the script succeeded, 1 it failed, 2 it did not run, else what
its exit said, or death by the signal that the shell received.
`

// options is the command line.
type options struct {
	help, version, manual bool
	check, print          bool
	text                  string // of -c
	hasText               bool
	logFile               string
	logLevel              int
	logDecimal            bool
	logJSON               bool
	killTimeout           time.Duration
	weak                  bool
	seed                  uint64
	lenient               bool
	noGuardian            bool
	args                  []string // script and arguments
}

// parseOptions reads the command line; what it does not say comes from the environment.
func parseOptions(args []string, lookup func(string) (string, bool)) (*options, error) {
	o := &options{}
	set := pflag.NewFlagSet("ftsh", pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.SetInterspersed(false)
	set.Usage = func() {}
	set.BoolVarP(&o.help, "help", "h", false, "")
	set.BoolVarP(&o.version, "version", "v", false, "")
	set.BoolVar(&o.manual, "manual", false, "")
	set.BoolVarP(&o.check, "noexec", "n", false, "")
	set.BoolVarP(&o.print, "print", "p", false, "")
	set.StringVarP(&o.text, "command", "c", "", "")
	set.BoolVar(&o.noGuardian, "no-guardian", false, "")
	set.Uint64Var(&o.seed, "seed", 0, "")
	undefined := set.String("undefined", "fail", "")
	shared := sharedOptions(set, lookup)
	if err := set.Parse(splitFirst(args)); err != nil {
		return nil, err
	}
	o.hasText = set.Changed("command")
	o.args = set.Args()
	if *undefined != "fail" && *undefined != "empty" {
		return nil, fmt.Errorf("--undefined=%s: wanted fail or empty", *undefined)
	}
	o.lenient = *undefined == "empty"
	if set.Changed("seed") && o.seed == 0 {
		return nil, errors.New("--seed=0: wanted a number from 1")
	}
	return o, shared.apply(o, lookup)
}

// splitFirst splits the one word that a #! line makes of several options.
func splitFirst(args []string) []string {
	if len(args) == 0 || !strings.HasPrefix(args[0], "-") || !strings.ContainsAny(args[0], " \t") {
		return args
	}
	return append(strings.Fields(args[0]), args[1:]...)
}

// shared is the options that nested shells inherit through the environment.
type shared struct {
	file, level, format, timeout, mode *string
	decimal                            *bool
}

// sharedOptions declares them, with what the environment says as their defaults.
func sharedOptions(set *pflag.FlagSet, lookup func(string) (string, bool)) *shared {
	inherited := func(name, usual string) string {
		if value, ok := lookup(name); ok && value != "" {
			return value
		}
		return usual
	}
	decimal := inherited("FTSH_LOG_DECIMAL", "0")
	return &shared{
		file:    set.StringP("log-file", "f", inherited("FTSH_LOG_FILE", ""), ""),
		level:   set.StringP("log-level", "l", inherited("FTSH_LOG_LEVEL", strconv.Itoa(event.Failures)), ""),
		format:  set.String("log-format", inherited("FTSH_LOG_FORMAT", "text"), ""),
		timeout: set.StringP("kill-timeout", "t", inherited("FTSH_KILL_TIMEOUT", ""), ""),
		mode:    set.StringP("kill-mode", "k", inherited("FTSH_KILL_MODE", "strong"), ""),
		decimal: set.BoolP("log-decimal", "D", decimal != "0" && decimal != "no" && decimal != "false", ""),
	}
}

// apply checks them and puts them into the options.
func (s *shared) apply(o *options, lookup func(string) (string, bool)) error {
	level, err := strconv.Atoi(*s.level)
	if err != nil || level < 0 {
		return fmt.Errorf("log level %q: wanted a number such as 0, 10, 20, 30 or 40", *s.level)
	}
	switch *s.format {
	case "text", "json":
	default:
		return fmt.Errorf("log format %q: wanted text or json", *s.format)
	}
	switch *s.mode {
	case "strong", "weak":
	default:
		return fmt.Errorf("kill mode %q: wanted strong or weak", *s.mode)
	}
	o.logFile, o.logLevel, o.logDecimal, o.logJSON, o.weak = *s.file, level, *s.decimal, *s.format == "json", *s.mode == "weak"
	return s.patience(o, lookup)
}

// patience is the kill timeout. One that is inherited is only ever lowered: the
// shell above counts on it.
func (s *shared) patience(o *options, lookup func(string) (string, bool)) error {
	o.killTimeout = defaultKillTimeout
	if *s.timeout != "" {
		t, err := expand.ParseSeconds(*s.timeout)
		if err != nil {
			return fmt.Errorf("kill timeout %q: wanted seconds, or a time such as 500ms or 1m", *s.timeout)
		}
		o.killTimeout = t
	}
	if inherited, ok := lookup("FTSH_KILL_TIMEOUT"); ok && inherited != "" {
		if t, err := expand.ParseSeconds(inherited); err == nil {
			o.killTimeout = min(o.killTimeout, t)
		}
	}
	return nil
}
