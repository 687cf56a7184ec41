// Package slurm submits, lists and cancels jobs of Slurm by its own programs, and knows what their
// states and messages mean. It keeps nothing: who may repeat what is decided by the room engine.
//
// The environment of sbatch is cleaned instead of that of the job: with --export=NONE or a list
// of names slurmd starts a login shell for each job, which may take a minute. Names that begin
// with SLURM_ are those of a job that the shell itself runs in, and would leak into its jobs.
package slurm

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ftsh/interp/engine/batch"
	"ftsh/interp/process"
)

// Config says how the programs of Slurm are run.
type Config struct {
	Run     func(context.Context, *process.Command) (process.Status, error)
	Environ []string // of the shell; what concerns it alone is left out
}

// Slurm is a batch.System. Safe for concurrent use.
type Slurm struct {
	run     func(context.Context, *process.Command) (process.Status, error)
	environ []string
	path    string
}

// New makes a Slurm.
func New(c Config) *Slurm {
	s := &Slurm{run: c.Run, path: "/usr/local/bin:/usr/bin:/bin"}
	for _, entry := range c.Environ {
		name, value, _ := strings.Cut(entry, "=")
		if name == "PATH" {
			s.path = value
		}
		if isPassed(name) {
			s.environ = append(s.environ, entry)
		}
	}
	return s
}

// isPassed reports whether Slurm's programs see a variable, and so the job's first shell does.
func isPassed(name string) bool {
	switch name {
	case "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "SLURM_CONF":
		return true
	case "SBATCH_ARRAY_INX", "SBATCH_CLUSTERS", "SBATCH_EXPORT", "SBATCH_GET_USER_ENV", "SBATCH_JOB_NAME", "SBATCH_WAIT",
		"SBATCH_REQUEUE", "SBATCH_NO_REQUEUE", "SBATCH_WAIT_ALL_NODES", "SBATCH_IGNORE_PBS":
		return false
	}
	return strings.HasPrefix(name, "SBATCH_") || strings.HasPrefix(name, "LC_")
}

// Submit submits a job. What the shell needs stands last, where it wins over what was written; its
// defaults stand first.
func (s *Slurm) Submit(ctx context.Context, job batch.Submission) batch.Answer {
	args := append([]string{"sbatch", "--no-requeue", "--chdir=/"}, job.Options...)
	args = append(args, "--parsable", "--job-name="+job.Name, "--output="+logName(job.Log), "--open-mode=append")
	answer := s.ask(ctx, args, job.Script)
	number := numberIn(answer.stdout)
	if answer.err == nil && answer.status.Success() && number != "" {
		return batch.Answer{Number: number}
	}
	text := answer.text()
	if isMissing(answer.err) {
		return batch.Answer{Receipt: batch.Refused, Message: text + "; on slurm needs Slurm's programs on PATH"}
	}
	return batch.Answer{Receipt: receipt(answer.status, text), Message: text}
}

// logName is a file's name as --output takes it; names that Slurm would not take to the letter are not used.
func logName(path string) string {
	if strings.ContainsAny(path, "%\\") {
		return "/dev/null"
	}
	return path
}

// numberIn is the number that --parsable prints: "12", or "12;cluster". A plugin of the site may
// print lines before.
func numberIn(stdout string) string {
	lines := strings.Fields(stdout)
	if len(lines) == 0 {
		return ""
	}
	number, _, _ := strings.Cut(lines[len(lines)-1], ";")
	if _, err := strconv.ParseUint(number, 10, 64); err != nil {
		return ""
	}
	return number
}

// separator stands between the fields of the list; the last, the reason, may hold it.
const separator = "|"

// List lists the user's jobs. --me has the controller choose them, which costs it a quarter of
// what a list of all takes.
func (s *Slurm) List(ctx context.Context) ([]batch.Entry, error) {
	list := []string{"squeue", "--me", "--noheader", "--array", "--states=all", "--format=%i|%j|%T|%N|%r"}
	answer := s.ask(ctx, list, "")
	if answer.err != nil {
		return nil, answer.err
	}
	if !answer.status.Success() {
		return nil, fmt.Errorf("squeue: %s", answer.text())
	}
	var entries []batch.Entry
	for line := range strings.Lines(answer.stdout) {
		if f := strings.SplitN(strings.TrimRight(line, "\n"), separator, 5); len(f) == 5 {
			entries = append(entries, batch.Entry{Number: f[0], Name: f[1], State: f[2], Node: f[3], Reason: f[4]})
		}
	}
	return entries, nil
}

// Cancel cancels jobs by their names, as a number may have been given to another job since. Where there
// are many, their numbers are looked up just before, so that two requests do.
func (s *Slurm) Cancel(ctx context.Context, names []string) error {
	const few = 2
	args := []string{"scancel"}
	if len(names) > few {
		entries, err := s.List(ctx)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if slices.Contains(names, e.Name) && s.Classify(e).Stage < batch.Ended {
				args = append(args, e.Number)
			}
		}
		if len(args) == 1 {
			return nil
		}
		return s.scancel(ctx, args)
	}
	for _, name := range names {
		if err := s.scancel(ctx, append(args, "--user="+strconv.Itoa(unix.Geteuid()), "--name="+name)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Slurm) scancel(ctx context.Context, args []string) error {
	answer := s.ask(ctx, args, "")
	if answer.err == nil && !answer.status.Success() {
		return fmt.Errorf("scancel: %s", answer.text())
	}
	return answer.err
}

// Address names the cluster and where its controller is, for a folder's name.
func (s *Slurm) Address(ctx context.Context) (string, error) {
	conf := "/etc/slurm/slurm.conf"
	for _, entry := range s.environ {
		if value, ok := strings.CutPrefix(entry, "SLURM_CONF="); ok && value != "" {
			conf = value
		}
	}
	if address := addressIn(readFile(conf)); address != "" {
		return address, nil
	}
	answer := s.ask(ctx, []string{"scontrol", "show", "config"}, "")
	if address := addressIn(answer.stdout); answer.err == nil && address != "" {
		return address, nil
	}
	if answer.err != nil {
		return "", answer.err
	}
	return "", fmt.Errorf("cannot find out which cluster this is: %s", answer.text())
}

// addressIn finds it in slurm.conf, or in what scontrol shows, whose lines are alike.
func addressIn(text string) string {
	var name, host, port string
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "clustername":
			name = value
		case "slurmctldhost", "slurmctldhost[0]", "controlmachine":
			if host == "" {
				host = value
			}
		case "slurmctldport":
			port = value
		}
	}
	if name == "" || host == "" {
		return ""
	}
	if port != "" {
		port = "." + port
	}
	return name + "." + strings.TrimRight(strings.ReplaceAll(host, "(", "."), ")") + port
}

// Requeues reports whether options let a job begin again that Slurm has requeued: the last one decides.
func (s *Slurm) Requeues(options []string) (requeue bool) {
	for _, option := range options {
		switch {
		case len(option) > len("--re") && strings.HasPrefix("--requeue", option) && option != "--reb":
			requeue = true
		case len(option) > len("--no-r") && strings.HasPrefix("--no-requeue", option):
			requeue = false
		}
	}
	return requeue
}

// Owns reports whether a variable is one that Slurm sets for a job. That it is of another job must
// not be seen by this one.
func (s *Slurm) Owns(name string) bool {
	switch name {
	case "SLURM_CONF":
		return false
	case "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK", "ENVIRONMENT":
		return true
	}
	return strings.HasPrefix(name, "SLURM_") || strings.HasPrefix(name, "SBATCH_") || strings.HasPrefix(name, "SLURMD_")
}

// Here tells a job of itself: its number (with that of the task, in an array) and its node.
func (s *Slurm) Here(lookup func(string) string) (number, node string) {
	number, node = lookup("SLURM_JOB_ID"), lookup("SLURMD_NODENAME")
	if array := lookup("SLURM_ARRAY_JOB_ID"); array != "" {
		number = array + "_" + lookup("SLURM_ARRAY_TASK_ID")
	}
	return number, node
}
