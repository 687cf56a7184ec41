package shelltest

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// shellEnded is written by a leader when its shell has ended.
const shellEnded = 0

// lead is a session leader as a login shell is one: it runs the shell in the
// foreground of its terminal, and ends as that has ended, but only once descriptor 3
// is closed. When a session leader ends, Linux drops what was written to the
// terminal and not yet read, so that the last lines of a shell that is the
// leader itself are seen or not.
func lead() {
	shell := exec.Command(os.Args[1], os.Args[2:]...)
	shell.Stdin, shell.Stdout, shell.Stderr = os.Stdin, os.Stdout, os.Stderr
	shell.SysProcAttr = &syscall.SysProcAttr{Foreground: true}
	hangUps := make(chan os.Signal, 1)
	signal.Notify(hangUps, syscall.SIGHUP)
	if err := shell.Start(); err != nil {
		panic(err)
	}
	go func() {
		_ = shell.Process.Signal(<-hangUps)
	}()
	err := shell.Wait()
	_, _ = os.Stdout.Write([]byte{shellEnded})
	_, _ = io.Copy(io.Discard, os.NewFile(3, "held"))
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		signal.Reset(status.Signal())
		_ = syscall.Kill(os.Getpid(), status.Signal())
		select {}
	}
	os.Exit(exit.ExitCode())
}
