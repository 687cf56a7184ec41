// Command ftshsim shows what a retry policy does to a server, before it does:
// it simulates many clients that run the shell's own backoff code in virtual
// time, and repeats the experiments that the policies come from.
package main

import (
	"context"
	"embed"
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

// usages holds what stands above the options in the help of each command, and in that of all.
//
//go:embed usage/*.txt
var usages embed.FS

func usageOf(command string) string {
	text, _ := usages.ReadFile("usage/" + command + ".txt") // it is embedded
	return string(text)
}

func welcomeText() string {
	list := ""
	for _, p := range experiment.Presets() {
		list += fmt.Sprintf("  %-12s%s\n", p.Name, p.Title)
	}
	return strings.Replace(usageOf("ftshsim"), "EXPERIMENTS\n", list, 1)
}

// exampleSpec is a SPEC to begin with.
//
//go:embed example.spec
var exampleSpec string

func printSpec(_ context.Context, args []string) error {
	switch {
	case slices.Equal(args, []string{"--help"}):
		fmt.Print(usageOf("spec"))
	case len(args) > 0:
		return &misuse{fmt.Errorf("spec takes no arguments, but got %q", args), "ftshsim spec > my.spec makes a file of it"}
	default:
		fmt.Print(exampleSpec)
	}
	return nil
}
