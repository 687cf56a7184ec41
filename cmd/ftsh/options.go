package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jessevdk/go-flags"

	"ftsh/interp/event"
	"ftsh/interp/expand"
	"ftsh/interp/inject"
)

// version is printed by -v. The original ended with 7. A release is linked with
// another one; nothing else sets it.
var version = "8.0.0"

// defaultKillTimeout is the time between SIGTERM and SIGKILL if -t is not given.
const defaultKillTimeout = 30 * time.Second

const help = `ftsh runs a fault-tolerant shell script.

  ftsh                                   read statements from the terminal
  ftsh [options] SCRIPT [ARGUMENT …]     run a script
  ftsh [options] -c TEXT [NAME [ARGUMENT …]]
                                         run TEXT; NAME is its $0
  ftsh [options] - [ARGUMENT …]          run what standard input holds
  ftsh [options] --try CLAUSES [--] COMMAND [ARGUMENT …]
                                         run one command under a try
  ftsh --check [--format F] [--journal] FILE …
                                         say what is wrong in scripts, run nothing;
                                         F is text, json or sarif; with --journal
                                         also what would run again as a whole
  ftsh --explain [--journal] FILE …      say what the limits of scripts allow; with
                                         --journal what goes on in the middle
  ftsh --fmt [-w | -d] [FILE …]          print scripts in their canonical form; -w
                                         writes them back, -d shows what changes

  -c, --command TEXT      run TEXT instead of a script
  -n, --noexec            check the syntax, print nothing, run nothing
  -p, --print             print the script in its canonical form
  -f, --log-file FILE     append the log to FILE             (FTSH_LOG_FILE)
  -l, --log-level N       0 nothing, 5 why the script failed (default), 10 all
                          failures, 20 commands, 30 structures,
                          40 processes                      (FTSH_LOG_LEVEL)
  -D, --log-decimal       seconds instead of dates        (FTSH_LOG_DECIMAL)
      --log-format F      text (default) or json           (FTSH_LOG_FORMAT)
  -t, --kill-timeout T    time between SIGTERM and SIGKILL, in seconds or as
                          500ms, 1m; 30 s by default, and never more than
                          the shell above allows         (FTSH_KILL_TIMEOUT)
  -k, --kill-mode M       strong (default): SIGKILL until all are gone;
                          weak: once                        (FTSH_KILL_MODE)
      --seed N            make every random choice repeatable; N from 1
      --undefined W       what an undefined variable is: fail (default) or empty
      --progress W        show what is waited for: auto (default, on a
                          terminal), never or always        (FTSH_PROGRESS)
      --no-guardian       leave commands alone if the shell itself is killed
      --inject RULE       have programs fail on purpose: ftsh --manual testing
      --trace URL|FILE    send spans of what happens to a collector of
                          OpenTelemetry (http://localhost:4318) or a file
      --dry-run           run nothing: print each program that would run, and
                          what depends on answers that are not there
      --alone[=NAME]      one run at a time: a second one ends at once with 75;
                          NAME is for -c, or for several scripts together
      --journal NAME      make a script durable: keep its place in a journal, and go
                          on there after a crash: ftsh --manual durable
      --continue [NAME …] go on with these journals, or all that were interrupted
      --journals [NAME …] list them; of one NAME also where it stands in the text of
                          its script, and with --state its variables
      --again[=N], --happened[=N]
                          what was under way in a crash is run again, or has
                          happened; with --journal or --continue, like these:
      --restart           begin anew; the old journal is kept as NAME.old
      --abandon [NAME …]  run what finally groups are owed, and close the journal
      --journal-sync      sync(2) before the end of each command is written
      --report LOG        tell what happened according to a JSON log (- is
                          standard input); --html FILE: as a page
      --jobs              list the jobs of a cluster that are under way or have
                          failed; also: failed, show TICKET, redo TICKET,
                          cancel TICKET, clean
      --resources [NAME]  show what scripts share by resource and via;
                          --resources reset NAME forgets what was counted
      --manual [TOPIC]    read the manual; --manual -k WORD lists the pages
                          that tell of a word
  -v, --version           print the version
  -h, --help              print this

Without a script, what standard input holds is run. FTSH_BACKOFF, FTSH_EXPMIN,
FTSH_EXPMAX and FTSH_EXPFACTOR set the usual backoff: ftsh --manual backoff.

Exit status: 0 the script succeeded, 1 it failed, 2 it did not run, else what
its exit said, or death by the signal that the shell received. With --try that
of the last attempt: 124 cut off by a limit, 125 did not run, 127 missing.
`

// options holds the options of the command line and of the environment.
type options struct {
	help, version, manual bool
	resources             bool
	check, print          bool
	text                  *string // of -c
	try                   *string // the clauses of --try
	dry                   bool    // of --dry-run
	alone                 *string // of --alone: the name, or aloneAsScript; nil: any number of runs at a time
	logFile               string
	logLevel              int
	logDecimal            bool
	logJSON               bool
	killTimeout           time.Duration
	weak                  bool
	seed                  uint64
	lenient               bool
	noGuardian            bool
	progress              string // auto, never or always
	faults                []inject.Rule
	trace                 string // a URL or a file; "" for no trace
	journal               journalOptions
	report                string                // a log to tell of; "" for a script
	html                  string                // where the report goes as a page
	reaped                func(*syscall.Rusage) // see process.Config
	words                 []string              // that the manual is searched for
	args                  []string              // script and arguments
}

// commandLine is the options as the library reads them. Those that nested shells
// inherit through the environment are texts, empty if they are not given. The tag
// words lists values for completion; unquote:"false" takes a text with quotes as it is.
type commandLine struct {
	Help       bool     `short:"h" long:"help"`
	Version    bool     `short:"v" long:"version"`
	Manual     bool     `long:"manual"`
	Resources  bool     `long:"resources"`
	Check      bool     `short:"n" long:"noexec"`
	Print      bool     `short:"p" long:"print"`
	Text       *string  `short:"c" long:"command" unquote:"false"`
	Try        *string  `long:"try" unquote:"false"`
	Seed       *seed    `long:"seed"`
	Undefined  string   `long:"undefined" choice:"fail" choice:"empty" words:"fail empty"`
	NoGuardian bool     `long:"no-guardian"`
	LogFile    string   `short:"f" long:"log-file" unquote:"false"`
	LogLevel   string   `short:"l" long:"log-level" words:"0 5 10 20 30 40"`
	LogDecimal bool     `short:"D" long:"log-decimal"`
	LogFormat  string   `long:"log-format" words:"text json"`
	Timeout    string   `short:"t" long:"kill-timeout"`
	Inject     []string `long:"inject" unquote:"false"`
	Trace      string   `long:"trace" unquote:"false"`
	Dry        bool     `long:"dry-run"`
	Alone      *string  `long:"alone" optional:"yes" optional-value:"/" unquote:"false"`
	Journal    *string  `long:"journal" unquote:"false"`
	Continue   bool     `long:"continue"`
	Journals   bool     `long:"journals"`
	State      bool     `long:"state"`
	Again      []string `long:"again" optional:"yes" optional-value:""`
	Happened   []string `long:"happened" optional:"yes" optional-value:""`
	Restart    bool     `long:"restart"`
	Abandon    bool     `long:"abandon"`
	SyncAll    bool     `long:"journal-sync"`
	Report     string   `long:"report" unquote:"false"`
	HTML       string   `long:"html" unquote:"false"`
	Mode       string   `short:"k" long:"kill-mode" words:"strong weak"`
	Progress   string   `long:"progress" words:"auto never always"`
}

// seed is the value of --seed.
type seed uint64

// UnmarshalFlag reads it.
func (s *seed) UnmarshalFlag(value string) error {
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil || n == 0 {
		return &flags.Error{Type: flags.ErrMarshal, Message: setting{"--seed", value}.refuseValue("a number from 1").Error()}
	}
	*s = seed(n)
	return nil
}

// parseOptions reads the command line; what it does not say comes from the
// environment. A script without options, the usual case, is not worth the 0.1 ms
// (measured) that the library takes to look at its struct.
func parseOptions(args []string, lookup func(string) (string, bool)) (*options, error) {
	line := &commandLine{}
	if len(args) == 0 || !strings.HasPrefix(args[0], "-") || args[0] == "-" {
		o := &options{args: args}
		return o, o.inheritOptions(line, lookup)
	}
	given := splitFirst(args)
	args, err := line.parseOptions(given)
	if err != nil {
		return nil, err
	}
	given = given[:len(given)-len(args)]
	if line.Abandon && line.Journal == nil && len(args) > 0 {
		line.Continue = true // nothing but journals can be meant
	}
	if line.Continue || line.Journals {
		if given, args, err = line.parseAround(given, args); err != nil {
			return nil, err
		}
	}
	o := &options{
		help: line.Help, version: line.Version, manual: line.Manual, resources: line.Resources,
		check: line.Check, print: line.Print, text: line.Text, try: line.Try,
		lenient: line.Undefined == "empty", noGuardian: line.NoGuardian, trace: line.Trace,
		report: line.Report, html: line.HTML, args: args, alone: line.Alone, dry: line.Dry,
	}
	if line.Seed != nil {
		o.seed = uint64(*line.Seed)
	}
	if o.html != "" && o.report == "" {
		return nil, errors.New("--html goes with --report LOG")
	}
	for _, text := range line.Inject {
		rule, err := inject.Parse(text)
		if err != nil {
			return nil, err
		}
		o.faults = append(o.faults, rule)
	}
	if o.manual && line.Mode != "" { // -k is the kill mode elsewhere
		o.words, line.Mode = append([]string{line.Mode}, args...), ""
	}
	err = o.inheritOptions(line, lookup)
	if err == nil {
		err = o.journal.readGiven(o, line, given)
	}
	if err == nil {
		err = o.checkAlone()
	}
	if err == nil && o.dry && (line.Journal != nil || line.Continue || len(line.Inject) > 0 || line.Trace != "") {
		err = errors.New("--dry-run runs nothing, and goes with none of --journal, --continue, --inject and --trace")
	}
	return o, err
}

// parseOptions reads the options that stand first, and returns what follows.
func (line *commandLine) parseOptions(args []string) ([]string, error) {
	rest, err := flags.NewParser(line, flags.PassDoubleDash|flags.PassAfterNonOption).ParseArgs(args)
	if err != nil {
		text, _, _ := strings.Cut(err.Error(), " (expected")
		return nil, errors.New(text)
	}
	return rest, nil
}

// splitFirst splits the one word that a #! line makes of several options. The script comes next there, no option.
func splitFirst(args []string) []string {
	if !strings.ContainsAny(args[0], " \t") || strings.HasPrefix(args[0], "--try=") ||
		len(args) > 1 && strings.HasPrefix(args[1], "-") {
		return args
	}
	return append(strings.Fields(args[0]), args[1:]...)
}

// setting is the value of an option, and what a message calls it: the option, or the
// variable that it comes from.
type setting struct{ name, value string }

// refuseValue says what was wanted instead of the value.
func (s setting) refuseValue(wanted string) error {
	return fmt.Errorf("%s %q: wanted %s", s.name, s.value, wanted)
}

// inheritOptions settles the options that nested shells inherit through the environment.
func (o *options) inheritOptions(line *commandLine, lookup func(string) (string, bool)) error {
	say := func(name, given, variable, usual string) setting {
		if given != "" {
			return setting{name, given}
		}
		if inherited, _ := lookup(variable); inherited != "" {
			return setting{variable, inherited}
		}
		return setting{name, usual}
	}
	level := say("log level", line.LogLevel, "FTSH_LOG_LEVEL", strconv.Itoa(event.Summary))
	format := say("log format", line.LogFormat, "FTSH_LOG_FORMAT", "text")
	mode := say("kill mode", line.Mode, "FTSH_KILL_MODE", "strong")
	decimal := say("", "", "FTSH_LOG_DECIMAL", "0")
	progress := say("progress", line.Progress, "FTSH_PROGRESS", "auto")
	number, err := strconv.Atoi(level.value)
	isOn := slices.Contains([]string{"1", "yes", "true", "on"}, decimal.value)
	switch {
	case err != nil || number < 0:
		return level.refuseValue("a number such as 0, 5, 10, 20, 30 or 40")
	case format.value != "text" && format.value != "json":
		return format.refuseValue("text or json")
	case mode.value != "strong" && mode.value != "weak":
		return mode.refuseValue("strong or weak")
	case !isOn && !slices.Contains([]string{"0", "no", "false", "off"}, decimal.value):
		return decimal.refuseValue("1 or 0, yes or no, true or false, on or off")
	case progress.value != "auto" && progress.value != "never" && progress.value != "always":
		return progress.refuseValue("auto, never or always")
	}
	o.logFile = say("log file", line.LogFile, "FTSH_LOG_FILE", "").value
	o.logLevel, o.logJSON = number, format.value == "json"
	o.logDecimal, o.weak, o.progress = line.LogDecimal || isOn, mode.value == "weak", progress.value
	o.killTimeout = defaultKillTimeout
	if inherited, _ := lookup("FTSH_KILL_TIMEOUT"); line.Timeout != "" || inherited != "" {
		return o.settlePatience(line.Timeout, inherited)
	}
	return nil
}

// settlePatience settles the kill timeout. One that is inherited is only ever lowered:
// the shell above counts on it.
func (o *options) settlePatience(given, inherited string) error {
	var err error
	if given != "" {
		o.killTimeout, err = setting{"kill timeout", given}.asSeconds()
	}
	if err != nil || inherited == "" {
		return err
	}
	most, err := setting{"FTSH_KILL_TIMEOUT", inherited}.asSeconds()
	o.killTimeout = min(o.killTimeout, most)
	return err
}

// asSeconds reads the value as a kill timeout. None at all is the shortest there is: 0 stands for the
// default further on.
func (s setting) asSeconds() (time.Duration, error) {
	t, err := expand.ParseSeconds(s.value)
	if err != nil {
		return 0, s.refuseValue("seconds, or a time such as 500ms or 1m")
	}
	return max(t, time.Nanosecond), nil
}
