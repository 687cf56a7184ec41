package versus

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// How long a cell may take, and how long what the tool has left may take to end by itself.
const (
	longest = 8 * time.Minute
	grace   = 3 * time.Second
)

// facts are what is known of a cell: see lib.sh.
type facts struct {
	Status, Lost, Twice int
	Whole, Late, Told   string
	Took                time.Duration
	Left                []string // command lines of the processes that the tool has left
}

// judge is the rule of verdict, for all rows and tools.
func judge(f facts) string {
	switch {
	case f.Told == "yes":
		return "told"
	case f.Twice > 0:
		return "twice"
	case f.Status == 0 && (f.Whole == "no" || f.Lost > 0):
		return "false success"
	case len(f.Left) > 0:
		return "left behind"
	case f.Lost > 0:
		return "lost"
	case f.Late == "yes":
		return "late"
	case f.Status != 0 && f.Whole == "yes":
		return "false alarm"
	}
	return "right"
}

// playCell runs the disaster of a row in the working directory for one tool, in a process that gets back whatever the
// tool has left, however well it is hidden. It writes the facts to standard output.
func playCell() {
	if err := runCell(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func runCell(library, tool string) error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	file, err := filepath.Abs("facts")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	disaster := exec.CommandContext(ctx, "bash", "-c", `. "$0"; tool=$1; . ./disaster`, library, tool)
	disaster.Env = append(os.Environ(), "FACTS="+file)
	disaster.Stderr = os.Stderr
	err = disaster.Run()
	left := endRest()
	if err != nil {
		return fmt.Errorf("the disaster: %w", err)
	}
	f, err := readFacts(file)
	if err != nil {
		return err
	}
	f.Left = left
	return json.NewEncoder(os.Stdout).Encode(f)
}

// endRest returns what still runs below this process when it has had time to end, and ends it.
func endRest() (left []string) {
	end := time.Now().Add(grace)
	for {
		reap()
		rest := descendants(os.Getpid())
		if len(rest) == 0 {
			return left
		}
		if left == nil && time.Now().Before(end) {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		for _, pid := range rest {
			if left == nil || len(left) < len(rest) {
				line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
				left = append(left, strings.ReplaceAll(string(line), "\x00", " "))
			}
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// reap takes note of the children that have ended.
func reap() {
	for {
		if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != nil || pid == 0 {
			return
		}
	}
}

// descendants are the processes below one.
func descendants(pid int) (all []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(text)) {
			child, err := strconv.Atoi(field)
			if err == nil {
				all = append(append(all, child), descendants(child)...)
			}
		}
	}
	return all
}

// readFacts reads what the disaster has told. The last word counts; times are summed up.
func readFacts(file string) (f facts, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return f, err
	}
	numbers := map[string]*int{"status": &f.Status, "lost": &f.Lost, "twice": &f.Twice}
	words := map[string]*string{"whole": &f.Whole, "late": &f.Late, "told": &f.Told}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if word := words[name]; word != nil {
			*word = value
			continue
		}
		n, err := strconv.Atoi(value)
		switch number := numbers[name]; {
		case err != nil:
			return f, fmt.Errorf("the fact %q is no number", line)
		case number != nil:
			*number = n
		case name == "took":
			f.Took += time.Duration(n) * time.Millisecond
		default:
			return f, fmt.Errorf("there is no fact %q", name)
		}
	}
	return f, nil
}
