package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/ast/printer"
	"ftsh/backoff"
	"ftsh/interp"
	"ftsh/interp/event"
	"ftsh/interp/process"
	"ftsh/parser"
)

// runScript reads, checks and runs what the command line names.
func runScript(o *options) int {
	source, name, args, err := load(o)
	if err != nil {
		return complain(err, "")
	}
	file, err := parse(source, parser.Config{Check: o.check && !o.print})
	if err != nil {
		return report(err)
	}
	switch {
	case o.print:
		if err := printer.Print(os.Stdout, file); err != nil {
			return complain(fmt.Errorf("cannot print: %w", unwrapped(err)), "")
		}
		return statusSuccess
	case o.check:
		return statusSuccess
	}
	return execute(o, file, name, args)
}

// large is from how many bytes on a script is worth other settings of the collector.
const large = 64 << 10

// parse parses. With the usual settings the collector would go over the growing tree of a large script
// again and again: 0.35 of bash's speed instead of 0.5 (measured, 1 MB).
func parse(source *ast.Source, config parser.Config) (*ast.File, error) {
	if len(source.Text) > large {
		defer debug.SetGCPercent(debug.SetGCPercent(800))
	}
	return parser.Parse(source, config)
}

// load finds the text of the script, its $0 and its arguments.
func load(o *options) (source *ast.Source, name string, args []string, err error) {
	switch {
	case o.text != nil:
		name, args = "ftsh", o.args
		if len(args) > 0 {
			name, args = args[0], args[1:]
		}
		return &ast.Source{Name: "-c", Text: *o.text}, name, args, nil
	case len(o.args) == 0 && isTerminal(0):
		return nil, "", nil, errors.New("name a script to run: there is no terminal to draw a prompt on")
	case len(o.args) == 0 || o.args[0] == "-":
		text, err := io.ReadAll(os.Stdin)
		if err != nil {
			return nil, "", nil, fmt.Errorf("cannot read standard input: %w", unwrapped(err))
		}
		return &ast.Source{Name: "stdin", Text: string(text)}, "ftsh", o.args[min(1, len(o.args)):], nil
	}
	text, err := readScript(o.args[0])
	if err != nil {
		return nil, "", nil, fmt.Errorf("cannot read %s: %w", o.args[0], err)
	}
	return &ast.Source{Name: o.args[0], Text: text}, o.args[0], o.args[1:], nil
}

// readScript reads a file. It does without os.ReadFile, which sets up the runtime's
// poller for what may be a pipe: 60 µs (measured) that a short script does not need.
func readScript(name string) (string, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = unix.Close(fd) }()
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return "", err
	}
	text := make([]byte, 0, info.Size+512)
	for {
		n, err := unix.Read(fd, text[len(text):cap(text)])
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return string(text), err
		}
		text = slices.Grow(text[:len(text)+n], 512)
	}
}

// unwrapped is an error without the operation and path that a message says anyway.
func unwrapped(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// report shows syntax errors with the lines they are in.
func report(err error) int {
	text := err.Error()
	var list diag.List
	if errors.As(err, &list) {
		text = list.Text()
	}
	os.Stderr.WriteString(text + "\n")
	return statusNotRun
}

// execute runs a script and returns its exit status, or dies of the signal that ended it.
func execute(o *options, file *ast.File, name string, args []string) int {
	log, err := openLog(o)
	if err != nil {
		return complain(err, "")
	}
	defer log.close()
	policy, err := backoff.FromEnvironment(os.LookupEnv)
	if err != nil {
		return complain(err, "")
	}
	clock := process.NewClock()
	defer clock.Close()
	host, err := process.Open(process.Config{
		Clock: clock, KillTimeout: o.killTimeout, Weak: o.weak, Whole: true, Sessions: !hasTerminal(),
		Guardian: !o.noGuardian, Marker: os.Getenv("FTSH_COMMAND"), Observe: log.notice(o.weak),
	})
	if err != nil {
		return complain(err, "")
	}
	view := openView(o)
	defer view.close()
	ctx, signals := newSignals(log)
	signals.leave = view.close
	start := clock.Now()
	log.tell(event.Event{Kind: event.ShellStart, Command: append([]string{name}, args...)})
	err = interp.Run(ctx, file, interp.Config{
		Engine: &engine{Host: host}, Clock: clock, Observer: log.observer, View: view.observer(), Name: name, Args: args,
		Environ: environment(o), Files: inheritedFiles(), Seed: o.seed, Backoff: policy, KillTimeout: o.killTimeout,
		Deadline: inheritedDeadline(clock), Lenient: o.lenient, Prepare: signals.catch, Kill: signals.kill,
		Exec: func(c *process.Command) error {
			view.close()
			return replace(host, c)
		}, Identity: process.Identity, Keep: keeper(host),
	})
	view.close()
	_ = host.Close()
	end := event.Event{Kind: event.ShellEnd, Status: exitStatus(err), Elapsed: clock.Now() - start}
	if received := signals.received(); received != 0 {
		end.Status, end.Signal = 128+int(received), received
		log.tell(end)
		log.close()
		die(received)
	}
	log.tell(end)
	return end.Status
}

// exitStatus is the status that says how a script ended.
func exitStatus(err error) int {
	var exit *interp.Exit
	switch {
	case err == nil:
		return statusSuccess
	case errors.As(err, &exit):
		return exit.Status
	}
	return statusFailed
}

// environment is what the script and its programs find in the environment: what
// this shell found, less what concerned it alone, plus the options that
// nested shells inherit.
func environment(o *options) []string {
	var environ []string
	told := parentLives()
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		switch name {
		case "FTSH_DEADLINE", "FTSH_DEADLINE_BOOT", "FTSH_PARENT", "FTSH_ATTEMPT", "FTSH_KEY":
			if told {
				environ = append(environ, entry)
			}
		case "FTSH_COMMAND", "FTSH_KILL_TIMEOUT", "FTSH_KILL_MODE", "FTSH_LOG_FILE", "FTSH_LOG_LEVEL", "FTSH_LOG_DECIMAL", "FTSH_LOG_FORMAT", "FTSH_PROGRESS":
		default:
			environ = append(environ, entry)
		}
	}
	// A nested shell gives up before this one loses patience.
	patience := max(o.killTimeout-5*time.Second, o.killTimeout/2)
	environ = append(environ, "FTSH_KILL_TIMEOUT="+strconv.FormatFloat(patience.Seconds(), 'f', -1, 64))
	return append(environ, o.inherited()...)
}

// inherited is the options that nested shells shall have, too, where they are not the usual ones.
func (o *options) inherited() []string {
	var environ []string
	if o.logFile != "" {
		file := o.logFile
		if path, err := filepath.Abs(file); err == nil {
			file = path // a nested shell may stand in another directory
		}
		environ = append(environ, "FTSH_LOG_FILE="+file)
	}
	environ = append(environ, "FTSH_LOG_LEVEL="+strconv.Itoa(o.logLevel))
	if o.logDecimal {
		environ = append(environ, "FTSH_LOG_DECIMAL=1")
	}
	if o.logJSON {
		environ = append(environ, "FTSH_LOG_FORMAT=json")
	}
	if o.weak {
		environ = append(environ, "FTSH_KILL_MODE=weak")
	}
	if o.progress != "auto" {
		environ = append(environ, "FTSH_PROGRESS="+o.progress)
	}
	return environ
}

// inheritedFiles are descriptors 0 to 9 as the shell was given them. Ours are
// close-on-exec, those that were handed to us are not.
func inheritedFiles() []int {
	files := []int{0, 1, 2}
	for fd := 3; fd <= 9; fd++ {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC != 0 {
			files = append(files, -1)
			continue
		}
		files = append(files, fd)
	}
	return files
}

// parentLives tells whether the shell that told us of its limits still runs this
// one, directly or not. Batch systems copy the environment into jobs that run much later.
func parentLives() bool {
	parent := os.Getenv("FTSH_PARENT")
	return parent != "" && process.IsAncestor(parent)
}

// inheritedDeadline is the time limit of the shell that started this one, if it
// is alive; 0: none.
func inheritedDeadline(clock backoff.Clock) time.Duration {
	text := os.Getenv("FTSH_DEADLINE")
	if text == "" || !parentLives() {
		return 0
	}
	// The wall clock may have been set since; that it was the same limit shows that
	// nobody in between has told us of another.
	if told, boot, both := strings.Cut(os.Getenv("FTSH_DEADLINE_BOOT"), "/"); both && told == text {
		if at, err := strconv.ParseInt(boot, 10, 64); err == nil && at >= 0 {
			return max(time.Duration(at)+courtesy, 1)
		}
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || seconds < 0 || seconds > 1<<40 {
		return 0
	}
	left := time.Until(time.UnixMicro(int64(seconds * 1e6)))
	return max(clock.Now()+left+courtesy, 1)
}

// courtesy is how much later than its parent a nested shell enforces the same
// deadline. The parent has asked it to end by then; what its finally groups had
// started before would be asked, too.
const courtesy = 100 * time.Millisecond

// hasTerminal tells whether a terminal is attached to this process.
func hasTerminal() bool {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	_ = unix.Close(fd)
	return true
}

func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	return err == nil
}
