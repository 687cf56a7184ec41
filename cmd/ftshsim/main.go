// Command ftshsim shows what a retry policy does to a server, before it does:
// it simulates many clients that run the shell's own backoff code in virtual
// time, and repeats the experiments that the policies come from.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"ftsh/ast/diag"
	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/simulate"
)

// The exit statuses.
const (
	statusSuccess     = 0
	statusFailed      = 1 // it could not be done
	statusUsage       = 2 // the command line is wrong
	statusInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends it at once
	os.Exit(statusOf(runCommandLine(ctx, os.Args[1:])))
}

var commands = map[string]func(ctx context.Context, args []string) error{
	"compare": runCompare, "serve": runServe, "load": runLoad, "run": runScripts, "choose": runChoose, "fit": runFit,
	"spec": printSpec,
}

// runCommandLine does what the command line asks for.
func runCommandLine(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		fmt.Print(welcomeText())
		return nil
	}
	if run, is := commands[args[0]]; is {
		return run(ctx, args[1:])
	}
	for _, preset := range experiment.Presets() {
		if preset.Name == args[0] {
			return runPreset(ctx, preset, args[1:])
		}
	}
	return &misuse{fmt.Errorf("there is no experiment %q", args[0]), "ftshsim alone lists them"}
}

var (
	errHelp        = errors.New("help was asked for, and printed")
	errInterrupted = errors.New("interrupted")
)

// misuse says what is wrong with the command line, and the hint how to go on.
type misuse struct {
	error
	hint string
}

// Unwrap returns what is wrong.
func (m *misuse) Unwrap() error { return m.error }

// statusOf prints what is wrong, if anything is, and returns the exit status. An error with a place in a file is shown
// there.
func statusOf(err error) int {
	var list diag.List
	var runaway *simulate.Runaway
	var unseen *simulate.Unseen
	var wrong *misuse
	switch {
	case err == nil, errors.Is(err, errHelp):
		return statusSuccess
	case errors.Is(err, errInterrupted):
		return statusInterrupted
	case errors.As(err, &list):
		fmt.Fprintln(os.Stderr, list.Text())
		return statusUsage
	case errors.As(err, &runaway):
		fmt.Fprintln(os.Stderr, runaway.Text())
	case errors.As(err, &unseen), !errors.As(err, &wrong):
		fmt.Fprintln(os.Stderr, "ftshsim:", err)
	default:
		fmt.Fprintf(os.Stderr, "ftshsim: %v\n%s\n", err, wrong.hint)
		return statusUsage
	}
	return statusFailed
}

func welcomeText() string {
	var text strings.Builder
	text.WriteString(`ftshsim: what does my retry policy do to my server?

What happens to my server when 500 of my scripts fail together?

  ftshsim spec > my.spec                a description of a server, to be changed
  ftshsim run --clients 500 --server my.spec script.ftsh
  ftshsim run --help                    compare policies, scripts, numbers of clients
  ftshsim choose --server my.spec --deadline 1h script.ftsh   which policy to take
  ftshsim fit LOG… > my.spec            the description out of logs of the real thing

Or try this:

  ftshsim overload                      does a server recover from half a minute of nothing?
  ftshsim contention                    how policies share a thing that only one can write
  ftshsim contention --plot c.svg       the same as a picture
  ftshsim submit --help                 what can be changed about an experiment

The experiments:

`)
	for _, p := range experiment.Presets() {
		fmt.Fprintf(&text, "  %-12s%s\n", p.Name, p.Title)
	}
	text.WriteString(`
For real, on this machine, and beside the sources:

  serve       an HTTP server that gets slower the more is asked of it (smira 2013)
  load        its 1,000 clients; stop the server for 30 s and see who recovers
  compare     a page with all numbers that were published, and ours

Every experiment knows --help, --seeds, --seed, --plot FILE.svg|.png, --csv FILE,
--json FILE, and --html FILE for a page with all of it.
`)
	return text.String()
}

// exampleSpec is a SPEC to begin with.
//
//go:embed example.spec
var exampleSpec string

const specUsage = `ftshsim spec: a SPEC to begin with, for ftshsim run --server

  ftshsim spec > my.spec
`

func printSpec(_ context.Context, args []string) error {
	switch {
	case slices.Equal(args, []string{"--help"}):
		fmt.Print(specUsage)
	case len(args) > 0:
		return &misuse{fmt.Errorf("spec takes no arguments, but got %q", args), "ftshsim spec > my.spec makes a file of it"}
	default:
		fmt.Print(exampleSpec)
	}
	return nil
}
