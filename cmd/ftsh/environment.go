package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
)

// environment returns the environment of the script and its programs: what
// this shell found, less what concerned it alone, plus the options that nested shells shall
// have, too. nested says that the shell that told us of its limits still runs this one, directly
// or not: batch systems copy the environment into jobs that run much later.
func environment(o *options, nested bool) []string {
	var environ []string
	for _, entry := range os.Environ() {
		switch name, _, _ := strings.Cut(entry, "="); name {
		case "FTSH_DEADLINE", "FTSH_DEADLINE_BOOT", "FTSH_PARENT", "FTSH_ATTEMPT", "FTSH_KEY":
			if nested {
				environ = append(environ, entry)
			}
		case "FTSH_COMMAND", "FTSH_KILL_TIMEOUT", "FTSH_KILL_MODE",
			"FTSH_LOG_FILE", "FTSH_LOG_LEVEL", "FTSH_LOG_DECIMAL", "FTSH_LOG_FORMAT", "FTSH_PROGRESS":
		default:
			environ = append(environ, entry)
		}
	}
	// A nested shell gives up before this one loses patience.
	patience := max(o.killTimeout-5*time.Second, o.killTimeout/2)
	seconds := strconv.FormatInt(int64(patience/time.Second), 10)
	if patience%time.Second != 0 { // the tables that such numbers are printed with take 2 % of a start (measured)
		seconds = strconv.FormatFloat(patience.Seconds(), 'f', -1, 64)
	}
	environ = append(environ, "FTSH_KILL_TIMEOUT="+seconds, "FTSH_LOG_LEVEL="+strconv.Itoa(o.logLevel))
	if o.logFile != "" {
		environ = append(environ, "FTSH_LOG_FILE="+absolutePath(o.logFile)) // a nested shell may stand in another directory
	}
	for _, option := range []struct {
		set   bool
		entry string
	}{
		{o.logDecimal, "FTSH_LOG_DECIMAL=1"},
		{o.logJSON, "FTSH_LOG_FORMAT=json"},
		{o.weak, "FTSH_KILL_MODE=weak"},
		{o.progress != "auto", "FTSH_PROGRESS=" + o.progress},
	} {
		if option.set {
			environ = append(environ, option.entry)
		}
	}
	return environ
}

// absolutePath is the full path of a file, or the name as it is if the working directory is unknown.
func absolutePath(name string) string {
	if path, err := filepath.Abs(name); err == nil {
		return path
	}
	return name
}

// inheritedFiles are descriptors 0 to 9 as the shell was given them. Ours are
// close-on-exec, those that were handed to us are not.
func inheritedFiles() []int {
	files := []int{0, 1, 2}
	if stdoutClosed() {
		files[1] = -1
	}
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

// inheritedDeadline is the time limit that the shell above has told of; 0: none.
func inheritedDeadline(clock backoff.Clock) time.Duration {
	text := os.Getenv("FTSH_DEADLINE")
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

// courtesy delays a nested shell behind its parent where both enforce the same
// deadline. The parent has asked it to end by then, also on a very busy machine; what its
// finally groups had started before would be asked, too.
const courtesy = 2 * time.Second
