// Package gridengine is Grid Engine as a batch system: it asks its programs, and knows what their
// states and messages mean. It keeps nothing: who may repeat what is decided by the room jobs.
//
// A job that has ended is in no list. How it ended stands in the cell's accounting file, whose
// end is read with each list where the shell may read it; elsewhere the status in the job's folder
// alone tells, and a job without one has vanished: kind lost.
package gridengine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ftsh/interp/jobs/batch"
	"ftsh/interp/jobs/programs"
)

// GridEngine is a batch.System. Safe for concurrent use.
type GridEngine struct{ programs *programs.Programs }

// New makes a GridEngine. A job is told where the programs are, and need not have them on its PATH.
func New(c programs.Config) *GridEngine {
	g := &GridEngine{programs.New(c, isPassed)}
	if folder := g.programs.Lookup("SGE_BINARY_PATH"); folder != "" {
		g.programs.Also(folder)
	}
	return g
}

// IsJob reports whether a process is of a job of Grid Engine, by its variables.
func IsJob(lookup func(string) string) bool {
	return lookup("SGE_TASK_ID") != "" && lookup("JOB_ID") != ""
}

// isOfCell reports whether a variable chooses the cluster, or how it is reached.
func isOfCell(name string) bool {
	switch name {
	case "SGE_ROOT", "SGE_CELL", "SGE_QMASTER_PORT", "SGE_EXECD_PORT", "SGE_CLUSTER_NAME", "SGE_ARCH":
		return true
	}
	return false
}

// isPassed reports whether Grid Engine's programs see a variable. The job sees none of these, as -V is refused.
func isPassed(name string) bool {
	return isOfCell(name) || name == "SGE_BINARY_PATH" || name == "LD_LIBRARY_PATH" || programs.IsBasic(name)
}

// Submit submits a job. What the shell needs stands last, where it wins over what was written; its
// defaults stand first.
func (g *GridEngine) Submit(ctx context.Context, job batch.Submission) batch.Answer {
	args := append([]string{"qsub", "-r", "n"}, job.Options...)
	args = append(args, "-terse", "-sync", "n", "-b", "n", "-C", "", "-wd", "/", "-S", "/bin/sh", "-j", "y",
		"-N", jobName(job.Name), "-o", logName(job.Log))
	if job.Tasks > 1 {
		args = append(args, "-t", "1-"+strconv.Itoa(job.Tasks))
	}
	answer := g.programs.Submit(ctx, &dialect, args, job.Script)
	if _, most, found := strings.Cut(answer.Message, tooMany); found && answer.Receipt == batch.Refused {
		n, _ := strconv.Atoi(strings.Fields(most + " 0")[0])
		answer.Most = cmp.Or(n, job.Tasks/2)
	}
	return answer
}

// jobName is a name as -N takes it: it begins with a letter or with _. nameOf takes it back.
func jobName(name string) string {
	if c := name[0] | 0x20; c >= 'a' && c <= 'z' {
		return name
	}
	return "_" + name
}

func nameOf(jobName string) string { return strings.TrimPrefix(jobName, "_") }

// logName is a file's name as -o takes it; names that Grid Engine would not take to the letter are not used.
func logName(path string) string {
	if strings.ContainsAny(path, ":$,\\") {
		return "/dev/null"
	}
	return path
}

// List lists the user's jobs, each task of an array by itself, and those that the accounting file has of late.
func (g *GridEngine) List(ctx context.Context) ([]batch.Entry, error) {
	answer := g.programs.List(ctx, []string{"qstat", "-g", "d", "-xml"})
	if !answer.Success() {
		return nil, answer.Failure()
	}
	if !strings.Contains(answer.Stdout, "</job_info>") {
		return nil, &batch.Unanswered{Said: "qstat: its answer was cut off"}
	}
	entries := entriesIn(answer.Stdout, func(number string) string { return g.whyNever(ctx, number) })
	owner := cmp.Or(g.programs.Lookup("LOGNAME"), g.programs.Lookup("USER"))
	return append(entries, endedIn(g.accounts(), owner)...), nil
}

// accounts is the end of the accounting file.
func (g *GridEngine) accounts() string {
	file, err := os.Open(filepath.Join(g.cell(), "common/accounting"))
	if err != nil {
		return ""
	}
	defer file.Close()
	_, _ = file.Seek(-accounted, io.SeekEnd) // a file that is shorter is read from its beginning
	text, _ := io.ReadAll(io.LimitReader(file, 2*accounted))
	return string(text)
}

// entriesIn reads what qstat -xml prints: an element in a line.
func entriesIn(text string, whyNever func(number string) string) (entries []batch.Entry) {
	var e batch.Entry
	state := ""
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "<"), ">")
		value, _, _ = strings.Cut(value, "<")
		switch name {
		case "JB_job_number":
			e = batch.Entry{Number: value}
		case "JB_name":
			e.Name = nameOf(value)
		case "state":
			state = value
		case "queue_name":
			_, e.Node, _ = strings.Cut(value, "@")
		case "tasks":
			e.Name, e.Number = taskName(e.Name, e.Number, value)
		case "/job_list":
			if strings.Contains(state, stateError) {
				e.Reason = whyNever(e.Number)
			}
			e.Kind, e.Message = classify(state, e.Reason)
			entries = append(entries, e)
		}
	}
	return entries
}

// taskName names a task, whose number counts from 1.
func taskName(name, number, task string) (taskName, taskNumber string) {
	n, err := strconv.Atoi(task)
	if err != nil {
		return name, number
	}
	return batch.Array{}.Name(name, n-1), number + "." + task
}

// whyNever is why Grid Engine has put a job aside.
func (g *GridEngine) whyNever(ctx context.Context, number string) string {
	number, _, _ = strings.Cut(number, ".")
	answer := g.programs.Ask(ctx, []string{"qstat", "-j", number}, "")
	return detail(answer.Stdout, "error reason")
}

// detail is a value of what qstat -j prints.
func detail(text, key string) string {
	for line := range strings.Lines(text) {
		if rest, found := strings.CutPrefix(line, key); found {
			_, value, _ := strings.Cut(rest, ":")
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// Cancel cancels jobs by their names; of tasks of arrays the numbers are looked up just before.
func (g *GridEngine) Cancel(ctx context.Context, names []string) error {
	args := []string{"qdel"}
	var tasks []string
	for _, name := range names {
		if strings.Contains(name, "/") {
			tasks = append(tasks, name)
		} else {
			args = append(args, jobName(name))
		}
	}
	if len(tasks) > 0 {
		entries, err := g.List(ctx)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if slices.Contains(tasks, e.Name) && (e.IsLive() || e.Kind == batch.Mistake) {
				args = append(args, e.Number)
			}
		}
	}
	if len(args) == 1 {
		return nil
	}
	answer := g.programs.Ask(ctx, args, "")
	if answer.Err != nil || answer.Success() {
		return answer.Failure()
	}
	for line := range strings.Lines(answer.Stdout + answer.Stderr) {
		if !isSettled(line) {
			return fmt.Errorf("qdel: %s", strings.TrimSpace(line))
		}
	}
	return nil
}

// Signals reports that this Grid Engine sends a runner no signal that others of its job do not get.
func (g *GridEngine) Signals() bool { return false }

// Signal implements [batch.System].
func (g *GridEngine) Signal(context.Context, []string, syscall.Signal) error {
	return errors.ErrUnsupported
}

// GaveUp implements [batch.System]: what cannot be started is put aside.
func (g *GridEngine) GaveUp(context.Context, batch.Entry) bool { return false }

// isSettled reports whether a line of qdel says that a job is gone, or going.
func isSettled(line string) bool {
	return slices.ContainsFunc([]string{"does not exist", "registered", "deleted", "already in deletion"},
		func(words string) bool { return strings.Contains(line, words) }) || strings.TrimSpace(line) == ""
}

// cell is the folder of the cell's files.
func (g *GridEngine) cell() string {
	root := cmp.Or(g.programs.Lookup("SGE_ROOT"), "/var/lib/gridengine") // Debian's
	return filepath.Join(root, cmp.Or(g.programs.Lookup("SGE_CELL"), "default"))
}

// Address names the cluster and where its master is, for a folder's name.
func (g *GridEngine) Address(context.Context) (string, error) {
	text, err := os.ReadFile(filepath.Join(g.cell(), "common/act_qmaster"))
	host := strings.TrimSpace(string(text))
	if err != nil || host == "" {
		return "", fmt.Errorf("cannot find out where Grid Engine's master is: no %s/common/act_qmaster; "+
			"source Grid Engine's settings.sh before, or set SGE_ROOT", g.cell())
	}
	port := cmp.Or(g.programs.Lookup("SGE_QMASTER_PORT"), "6444")
	return Prefix + filepath.Base(g.cell()) + "." + host + "." + port, nil
}

// Prefix begins the address of every Grid Engine.
const Prefix = "gridengine."

// Requeues reports whether options let a job begin again that Grid Engine has restarted: the last one decides.
func (g *GridEngine) Requeues(options []string) (requeue bool) {
	for i, option := range options {
		if option == "-r" && i+1 < len(options) {
			requeue = strings.HasPrefix(options[i+1], "y")
		}
	}
	return requeue
}

// Array says how arrays are done. Sites take 75000 tasks (max_aj_tasks), but each list has some 300 bytes for each.
func (g *GridEngine) Array() batch.Array {
	return batch.Array{Most: 1000, Variable: "SGE_TASK_ID", First: 1, AsOne: true,
		Number: func(array string, task int) string {
			return array + "." + strconv.Itoa(task+1)
		}}
}

// Left tells a job that has just begun how long it may run: as long as it has asked for. A limit of its queue is not
// seen.
func (g *GridEngine) Left(ctx context.Context, number string) (left time.Duration, known bool) {
	number, _, _ = strings.Cut(number, ".")
	answer := g.programs.Ask(ctx, []string{"qstat", "-j", number}, "")
	for request := range strings.SplitSeq(detail(answer.Stdout, "hard resource_list"), ",") {
		if value, found := strings.CutPrefix(request, "h_rt="); found {
			return duration(value)
		}
	}
	return 0, false
}

// duration reads a time: seconds, or [hours:]minutes:seconds.
func duration(text string) (d time.Duration, ok bool) {
	for part := range strings.SplitSeq(text, ":") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return 0, false
		}
		d = d*60 + time.Duration(n)*time.Second
	}
	return d, true
}

// Owns implements [batch.System]. What Grid Engine sets for another job must not be seen by this one.
func (g *GridEngine) Owns(name string) (owned, reserved bool) {
	switch name {
	case "NHOSTS", "NQUEUES", "PE", "QUEUE", "REQUEST", "TMPDIR", "TMP", "ARC", "ENVIRONMENT", "HOSTNAME":
		return true, false
	case "JOB_ID", "JOB_NAME", "JOB_SCRIPT", "NSLOTS", "PE_HOSTFILE", "REQNAME", "RESTARTED":
		return true, true
	}
	own := strings.HasPrefix(name, "SGE_") && !isOfCell(name)
	return own, own
}

// Here tells a job of itself: its number (with that of the task, in an array) and its node. It has no control group.
func (g *GridEngine) Here(lookup func(string) string) (number, node, group string) {
	number, node = lookup("JOB_ID"), lookup("HOSTNAME")
	if task := lookup("SGE_TASK_ID"); task != "" && task != "undefined" {
		number += "." + task
	}
	return number, node, ""
}

// Exit is the exit status of a job: of 99 Grid Engine would start it again, and of 100 put it aside.
func (g *GridEngine) Exit(status int) int {
	const again, aside = 99, 100
	if status == again || status == aside {
		return 1
	}
	return status
}
