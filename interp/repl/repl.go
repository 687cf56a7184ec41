package repl

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"ftsh/ast/diag"
	"ftsh/interp"
	"ftsh/interp/world"
)

// Config says what a prompt works with. Runner, In and Out must be set.
type Config struct {
	Runner  *interp.Runner
	In, Out int // descriptors of the terminal
	// Jobs gives the terminal to what runs; nil: all share it with the shell.
	Jobs Jobs
	// Signals are those that the shell receives: SIGINT and SIGQUIT cancel what runs, SIGHUP, SIGTERM and SIGXCPU end
	// the prompt, SIGWINCH redraws it, and HandOn is called with SIGUSR1 and SIGUSR2. Others mean nothing.
	Signals <-chan os.Signal
	HandOn  func(syscall.Signal)
	// Plain is for terminals that know no escape sequences.
	Plain bool
	// Colours reports whether what is typed is coloured.
	Colours bool
	// Typing is called before the prompt takes the terminal (true), and when a statement has it (false). Resized is
	// called when the terminal's size changes.
	Typing  func(is bool)
	Resized func()
	// History is the file that keeps what was typed; "" keeps it only until the end.
	History string
	// Topics are the pages of the manual, TopicOf is the one about a keyword (empty for any other word), Help gives
	// the text of one, HelpOn lays it out for a terminal, and Contents lists all with their titles.
	Topics   []string
	TopicOf  func(keyword string) string
	Help     func(topic string) (page string, found bool)
	HelpOn   func(page string, columns int) string
	Contents func() string
	// Greeting is shown to who has no history yet.
	Greeting string
	// Start is a script that is run first, if the file is there; "": none.
	Start string
}

// Result tells how a prompt ended.
type Result struct {
	Status int       // of `exit`, or 0
	Signal os.Signal // that ended it, or nil
}

// Run reads statements from a terminal and runs them, until one of them is `exit`, Ctrl-D is pressed where one would
// begin, or a signal comes. It returns an error if it could not begin.
func Run(config Config) (Result, error) {
	term, err := openTerminal(config.In, config.Out)
	if err != nil {
		return Result{}, err
	}
	defer term.closePipes()
	s := newShell(config, term)
	s.watching.Go(s.watchSignals)
	s.runStartScript()
	for !s.isOver() {
		s.readAndRun()
	}
	s.endAll()
	close(s.stopped)
	s.watching.Wait()
	s.noteLook(lookPatience) // a look that hangs cannot be ended, and must not hold the shell
	s.running.mu.Lock()
	s.ended = true
	s.running.mu.Unlock()
	_ = term.makeUsual()
	return s.result, nil
}

// shell is a prompt and what is behind it.
type shell struct {
	Config
	term *terminal
	// readStatement returns a statement that is complete or wrong; errInterrupted, io.EOF for Ctrl-D, or errGone.
	readStatement func() (string, error)
	history       *history
	recall        *recall
	world         world.World // around all statements
	builtins      map[string]interp.Builtin
	short         map[string]string // the abbreviations

	result    Result
	done      bool
	running   running
	aside     []*statement  // those that are stopped
	current   *statement    // the one under way
	warned    bool          // that leaving would end them
	succeeded bool          // the statement before has
	elapsed   time.Duration // of it
	shown     string        // what the function prompt gave last
	slow      bool          // that it takes too long was said

	known  map[string]style // of the commands that were looked up for this prompt
	onPath map[string]bool  // the names there, once they are listed
	looks  lookup

	stopped   chan struct{}  // closed at the end: signals are not looked at any more
	watching  sync.WaitGroup // for who looks at them
	ended     bool           // the terminal is not to be woken any more
	signalled time.Time      // when the signal came that ends the prompt
}

func newShell(config Config, term *terminal) *shell {
	s := &shell{Config: config, term: term, recall: &recall{}, world: config.Runner.World,
		short: map[string]string{}, stopped: make(chan struct{})}
	s.history = &history{path: s.History, patience: lockPatience,
		hides: func(text string) bool { return s.Runner.Secrets.Hides(text) },
		warn:  func(text string) { s.printMessage(s.inStyle(diag.Visible(text), styleFaint)) }}
	s.looks.came = make(chan func(), 1)
	s.builtins = map[string]interp.Builtin{
		"help": s.showHelp, "fg": s.runForeground, "jobs": s.listStopped, "kill": s.killStopped, "history": s.listHistory,
		"abbr": s.abbreviate,
		"quit": func(_ context.Context, stdout int, _ []string) error {
			return writeAll(stdout, "exit leaves, and so does Ctrl-D\n")
		},
	}
	s.Runner.Builtin = func(words []string) interp.Builtin {
		if words[0] == "kill" && !slices.ContainsFunc(words, namesStopped) {
			return nil
		}
		return s.builtins[words[0]]
	}
	s.readStatement = s.readPlain
	if !s.Plain {
		editor := newEditor(s.term, s)
		s.readStatement, s.recall = editor.readStatement, &editor.recall
	}
	s.recall.entries = s.history.loadStatements()
	if s.history.fresh {
		s.printMessage(s.inStyle(s.Greeting, styleFaint))
	}
	return s
}

// isOver reports that no further statement is to be read.
func (s *shell) isOver() bool {
	s.running.mu.Lock()
	defer s.running.mu.Unlock()
	return s.done || s.result.Signal != nil
}

func (s *shell) readAndRun() {
	s.reportEndedOnes()
	text, err := s.readStatement()
	s.setReading(false)
	switch {
	case err == errInterrupted:
	case err == errGone:
		s.endBy(syscall.SIGHUP)
	case err == io.EOF:
		s.done = s.mayLeave()
	case err != nil:
		s.printMessage(err.Error())
		s.done = true
	default:
		s.warned = s.warned && strings.TrimSpace(text) == "exit"
		s.keepInHistory(text)
		s.runText(text)
	}
}

// printMessage shows a text, in rows that break at blanks.
func (s *shell) printMessage(text string) {
	columns, _ := s.term.cellSize()
	s.term.writeText(breakAtBlanks(s.Runner.Secrets.Text(text), columns) + "\n")
}
