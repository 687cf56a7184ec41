// Package slurm submits, lists and cancels jobs of Slurm by its own programs, and knows what their
// states and messages mean. It keeps nothing: who may repeat what is decided by the room jobs.
//
// The environment of sbatch is cleaned instead of that of the job: with --export=NONE or a list
// of names slurmd starts a login shell for each job, which may take a minute. Names that begin
// with SLURM_ are those of a job that the shell itself runs in, and would leak into its jobs.
package slurm

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/jobs/batch"
	"ftsh/interp/jobs/programs"
)

// Slurm is a batch.System. Safe for concurrent use.
type Slurm struct{ programs *programs.Programs }

// New makes a Slurm.
func New(c programs.Config) *Slurm { return &Slurm{programs.New(c, isPassed)} }

// isPassed reports whether Slurm's programs see a variable, and so the job's first shell does.
func isPassed(name string) bool {
	switch name {
	case "SLURM_CONF":
		return true
	case "SBATCH_ARRAY_INX", "SBATCH_CLUSTERS", "SBATCH_EXPORT", "SBATCH_GET_USER_ENV", "SBATCH_JOB_NAME", "SBATCH_WAIT",
		"SBATCH_REQUEUE", "SBATCH_NO_REQUEUE", "SBATCH_WAIT_ALL_NODES", "SBATCH_IGNORE_PBS":
		return false
	}
	return strings.HasPrefix(name, "SBATCH_") || programs.IsBasic(name)
}

// Submit submits a job. What the shell needs stands last, where it wins over what was written; its
// defaults stand first.
func (s *Slurm) Submit(ctx context.Context, job batch.Submission) batch.Answer {
	args := []string{"sbatch", "--no-requeue", "--chdir=" + cmp.Or(job.Dir, "/")}
	if job.Comment != "" {
		args = append(args, "--comment="+job.Comment)
	}
	args = append(args, job.Options...)
	args = append(args, "--parsable", "--job-name="+job.Name, "--output="+logName(job.Log), "--open-mode=append")
	if job.Tasks > 1 {
		args = append(args, "--array=0-"+strconv.Itoa(job.Tasks-1))
	}
	answer := s.programs.Submit(ctx, &dialect, args, job.Script)
	if answer.Receipt == batch.Refused && strings.Contains(answer.Message, tooMany) {
		answer.Most = cmp.Or(s.mostTasks(ctx), job.Tasks/2)
	}
	return answer
}

// mostTasks returns the limit on the tasks of an array here; 0: nobody says.
func (s *Slurm) mostTasks(ctx context.Context) int {
	answer := s.programs.Ask(ctx, []string{"scontrol", "show", "config"}, "")
	n, _ := strconv.Atoi(setting(answer.Stdout, "maxarraysize"))
	return n
}

// logName is a file's name as --output takes it; names that Slurm would not take to the letter are not used.
func logName(path string) string {
	if strings.ContainsAny(path, "%\\") {
		return "/dev/null"
	}
	return path
}

// separator stands between the fields of the list; the last, the reason, may hold it.
const separator = "|"

// List implements [batch.System].
func (s *Slurm) List(ctx context.Context) (entries []batch.Entry, err error) {
	lines, err := s.queue(ctx)
	for _, l := range lines {
		entries = append(entries, l.Entry)
	}
	return entries, err
}

// line is a line of the queue.
type line struct {
	batch.Entry
	state string
}

// queue lists the user's jobs. --me has the controller choose them, which costs it a quarter of
// what a list of all takes.
func (s *Slurm) queue(ctx context.Context) (lines []line, err error) {
	list := []string{"squeue", "--me", "--noheader", "--array", "--states=all", "--format=%i|%j|%T|%N|%r"}
	answer := s.programs.List(ctx, list)
	if !answer.Success() {
		return nil, answer.Failure()
	}
	for text := range strings.Lines(answer.Stdout) {
		if f := strings.SplitN(strings.TrimRight(text, "\n"), separator, 5); len(f) == 5 {
			l := line{batch.Entry{Number: f[0], Name: f[1], Node: f[3], Reason: f[4]}, f[2]}
			if _, task, found := strings.Cut(l.Number, "_"); found {
				n, _ := strconv.Atoi(task)
				l.Name = s.Array().Name(l.Name, n)
			}
			l.Kind, l.Message = classify(l.state, l.Reason)
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// Cancel cancels jobs by their names, as a number may have been given to another job since. Where there
// are many, or tasks of arrays, their numbers are looked up just before, so that two requests do.
func (s *Slurm) Cancel(ctx context.Context, names []string) error { return s.scancelNamed(ctx, names) }

// Signals implements [batch.System].
func (s *Slurm) Signals() bool { return true }

// Signal sends a signal to the batch scripts of jobs alone, which are their runners.
func (s *Slurm) Signal(ctx context.Context, names []string, signal syscall.Signal) error {
	name := strings.TrimPrefix(unix.SignalName(signal), "SIG")
	return s.scancelNamed(ctx, names, "--batch", "--signal="+name)
}

// scancelNamed runs scancel for jobs with these names.
func (s *Slurm) scancelNamed(ctx context.Context, names []string, options ...string) error {
	const few = 2
	args := append([]string{"scancel"}, options...)
	isTask := func(name string) bool { return strings.Contains(name, "/") }
	if len(names) > few || slices.ContainsFunc(names, isTask) {
		lines, err := s.queue(ctx)
		if err != nil {
			return err
		}
		args = append(args, together(slices.DeleteFunc(lines, func(l line) bool {
			return !slices.Contains(names, l.Name) || !l.IsLive() && l.state != "PENDING"
		}))...)
		if len(args) == 1+len(options) {
			return nil
		}
		return s.scancel(ctx, args)
	}
	for _, name := range names {
		if err := s.scancel(ctx, append(slices.Clip(args),
			"--user="+strconv.Itoa(unix.Geteuid()), "--name="+name)); err != nil {
			return err
		}
	}
	return nil
}

// together are the numbers of jobs, those of an array as one: scancel makes a request for each.
func together(lines []line) (numbers []string) {
	tasks := map[string][]string{}
	for _, l := range lines {
		if array, task, found := strings.Cut(l.Number, "_"); found {
			tasks[array] = append(tasks[array], task)
		} else {
			numbers = append(numbers, l.Number)
		}
	}
	for array, list := range tasks {
		numbers = append(numbers, array+"_["+strings.Join(list, ",")+"]")
	}
	return numbers
}

func (s *Slurm) scancel(ctx context.Context, args []string) error {
	return s.programs.Ask(ctx, args, "").Failure()
}

// Address names the cluster and where its controller is, for a folder's name. It fails if jobs cannot run there.
func (s *Slurm) Address(ctx context.Context) (string, error) {
	conf := cmp.Or(s.programs.Lookup("SLURM_CONF"), "/etc/slurm/slurm.conf")
	text, _ := os.ReadFile(conf)
	settings := string(text)
	if address := addressIn(settings); address != "" {
		return address, s.refuseFederation(ctx, settings)
	}
	answer := s.programs.Ask(ctx, []string{"scontrol", "show", "config"}, "")
	if !answer.Success() {
		return "", dialect.Untold(answer)
	}
	address := addressIn(answer.Stdout)
	if strings.TrimSpace(answer.Stdout) == "" {
		return "", &batch.Unanswered{Said: "scontrol: it said nothing"}
	}
	if address == "" {
		return "", errors.New("cannot find out which cluster this is: scontrol show config does not say; set SLURM_CONF")
	}
	return address, s.refuseFederation(ctx, answer.Stdout)
}

// addressIn finds it in slurm.conf, or in what scontrol shows, whose lines are alike.
func addressIn(text string) string {
	name, port := setting(text, "clustername"), setting(text, "slurmctldport")
	host := cmp.Or(setting(text, "slurmctldhost"), setting(text, "slurmctldhost[0]"), setting(text, "controlmachine"))
	if name == "" || host == "" {
		return ""
	}
	if port != "" {
		port = "." + port
	}
	return name + "." + strings.TrimRight(strings.ReplaceAll(host, "(", "."), ")") + port
}

// refuseFederation is an error if the cluster is in a federation: a job that moves has another number there, and
// is in no list here. Only clusters with an accounting database can be, so that no others are asked, but for those
// whose settings include another file, which may say so. Where Slurm cannot tell, jobs are submitted.
func (s *Slurm) refuseFederation(ctx context.Context, settings string) error {
	settings = strings.ToLower(settings)
	may := strings.HasSuffix(setting(settings, "accountingstoragetype"), "slurmdbd")
	for line := range strings.Lines(settings) {
		may = may || strings.HasPrefix(strings.TrimSpace(line), "include ")
	}
	if !may {
		return nil
	}
	answer := s.programs.Ask(ctx, []string{"scontrol", "show", "federation"}, "")
	if err, later := errors.AsType[*batch.Unanswered](dialect.Untold(answer)); later &&
		(answer.Err != nil || dialect.Receipt(0, err.Said) == batch.Absent) {
		return err
	}
	if answer.Success() && strings.Contains(answer.Stdout, "Federation:") {
		return errors.New("this cluster is in a federation, where jobs move to other clusters: " +
			"that is not supported; submit to a cluster that is not, chosen by SLURM_CONF")
	}
	return nil
}

// setting is the first value of a key, in small letters.
func setting(text, key string) string {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if strings.ToLower(strings.TrimSpace(name)) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
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

// GaveUp implements [batch.System]. If the launch of a job fails Slurm puts it back into the queue once, though it is
// not to be requeued, and then cancels it (measured with 22.05): it is the restart that tells. A job that somebody
// has cancelled while it waited keeps its reason for that, so that nothing is asked of most of them.
func (s *Slurm) GaveUp(ctx context.Context, e batch.Entry) bool {
	if e.Reason != "None" {
		return false
	}
	answer := s.programs.Ask(ctx, []string{"scontrol", "--oneliner", "show", "job", e.Number}, "")
	for field := range strings.FieldsSeq(answer.Stdout) {
		if restarts, found := strings.CutPrefix(field, "Restarts="); found {
			return restarts != "0"
		}
	}
	return false
}

// Array says how arrays are done; 1001 is the usual MaxArraySize.
func (s *Slurm) Array() batch.Array {
	return batch.Array{Most: 1001, Variable: "SLURM_ARRAY_TASK_ID", Number: func(array string, task int) string {
		return array + "_" + strconv.Itoa(task)
	}}
}

// Left tells a job how long it may still run.
func (s *Slurm) Left(ctx context.Context, number string) (left time.Duration, known bool) {
	answer := s.programs.Ask(ctx, []string{"squeue", "--noheader", "--jobs=" + number, "--format=%L"}, "")
	return timeLeft(strings.TrimSpace(answer.Stdout))
}

// timeLeft reads what squeue says: [days-][hours:]minutes:seconds, or a word where there is no limit.
func timeLeft(text string) (left time.Duration, known bool) {
	days, rest, found := strings.Cut(text, "-")
	if !found {
		days, rest = "0", text
	}
	n, err := strconv.Atoi(days)
	if err != nil || !strings.Contains(rest, ":") {
		return 0, false
	}
	seconds := 0
	for part := range strings.SplitSeq(rest, ":") {
		unit, err := strconv.Atoi(part)
		if err != nil {
			return 0, false
		}
		seconds = seconds*60 + unit
	}
	return time.Duration(n)*24*time.Hour + time.Duration(seconds)*time.Second, true
}

// Owns implements [batch.System]. What Slurm sets for another job must not be seen by this one.
func (s *Slurm) Owns(name string) (owned, reserved bool) {
	switch name {
	case "SLURM_CONF":
		return false, false
	case "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK", "ENVIRONMENT":
		return true, false
	}
	own := strings.HasPrefix(name, "SLURM_") || strings.HasPrefix(name, "SBATCH_") || strings.HasPrefix(name, "SLURMD_")
	return own, own
}

// Here tells a job of itself: its number (with that of the task, in an array), its node and its control group.
func (s *Slurm) Here(lookup func(string) string) (number, node, group string) {
	if number = lookup("SLURM_JOB_ID"); number != "" {
		group = "job_" + number
	}
	if array := lookup("SLURM_ARRAY_JOB_ID"); array != "" {
		number = array + "_" + lookup("SLURM_ARRAY_TASK_ID")
	}
	return number, lookup("SLURMD_NODENAME"), group
}

// Exit is the exit status of a job.
func (s *Slurm) Exit(status int) int { return status }
