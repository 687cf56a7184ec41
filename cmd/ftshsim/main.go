// Command ftshsim shows what a retry policy does to a server, before it does:
// it simulates many clients that run the shell's own backoff code in virtual
// time, and repeats the experiments that the policies come from.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"ftsh/cmd/ftshsim/herd/experiment"
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
	os.Exit(runCommandLine(ctx, os.Args[1:]))
}

// runCommandLine does what the command line asks for and returns the exit status.
func runCommandLine(ctx context.Context, args []string) int {
	if len(args) == 0 {
		fmt.Print(welcomeText())
		return statusSuccess
	}
	switch name := args[0]; name {
	case "help", "-h", "--help":
		fmt.Print(welcomeText())
		return statusSuccess
	case "compare":
		return runCompare(ctx, args[1:])
	case "serve":
		return runServe(ctx, args[1:])
	case "load":
		return runLoad(ctx, args[1:])
	case "run":
		return runScripts(ctx, args[1:])
	case "choose":
		return runChoose(ctx, args[1:])
	case "fit":
		return runFit(args[1:])
	case "spec":
		return printSpec(args[1:])
	default:
		for _, preset := range experiment.Presets() {
			if preset.Name == name {
				return runPreset(ctx, preset, args[1:])
			}
		}
		return refuseToRun(fmt.Errorf("there is no experiment %q", name), "ftshsim alone lists them")
	}
}

// refuseToRun prints what is wrong with the command line.
func refuseToRun(err error, hint string) int {
	fmt.Fprintf(os.Stderr, "ftshsim: %v\n%s\n", err, hint)
	return statusUsage
}
