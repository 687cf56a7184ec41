package jobs

import (
	"strings"

	"golang.org/x/sys/unix"

	"ftsh/interp/jobs/batch"
)

// told reports whether the runner knows that somebody was ending the job: it received a signal, or its witness died
// of one.
func (s *status) told() bool { return s.Signal != 0 || s.Swept }

// outcome decides how a job ended: by its status, with whether it was marked to be ended and what it used; and by what
// the batch system says of it, as far as that is known. The first line that holds counts:
//
//	what is known                                        the job's kind
//	the kernel killed for memory, or the verdict is so   memory
//	it was marked                                        cancelled
//	the verdict is timeout or cancelled                  the verdict's
//	the runner was told, and nobody says by whom         lost
//	none of it                                           the program's own; none is success
//
// So a status 0 is a success only if nobody was ending the job.
func outcome(s status, v batch.Entry) Result {
	r := Result{Ending: s.Ending}
	switch {
	case s.Used.Kills > 0 || v.Kind == batch.Memory:
		r.become(batch.Memory, v.Message,
			"the job needed more memory than it had asked for, and the kernel killed a process of it")
	case s.Marked:
		r.become(batch.Cancelled, "", "it was cancelled while it ran")
	case v.Kind == batch.Timeout || v.Kind == batch.Cancelled:
		r.become(v.Kind, v.Message, "the batch system has ended the job")
	case s.told():
		r.become(batch.Lost, v.Message, "somebody was ending the job: "+s.cause())
	}
	return r
}

// become makes a result that of another kind: with the message of the batch system, if there is one.
func (r *Result) become(kind batch.Kind, said, otherwise string) {
	if said == "" || kind == batch.Lost && strings.Contains(said, "without a status") {
		said = otherwise
	}
	r.Kind, r.Status, r.Message, r.Early = kind, statusOf(kind), said, false
}

// cause says how the runner knows that somebody was ending the job.
func (s *status) cause() string {
	if s.Signal != 0 {
		return "its runner received signal " + strings.TrimPrefix(unix.SignalName(unix.Signal(s.Signal)), "SIG")
	}
	return "a process beside its program died of a signal"
}

// needsVerdict reports whether the batch system knows more of an end than the status says: who ended the job, and,
// without a memory group of its own, whether a process that was killed had used up its memory.
func (s *status) needsVerdict() bool {
	const killed = 128 + 9
	return s.told() && !s.Marked && s.Used.Kills == 0 || s.Status == killed && !s.Used.Grouped
}

// statusOf is the exit status of a kind of which no program is the cause.
func statusOf(k batch.Kind) int {
	switch k {
	case batch.Memory:
		return 137
	case batch.Timeout:
		return 124
	case signalled:
		return 128 + int(unix.SIGPIPE)
	}
	return 1
}
