package slurm

import (
	"slices"
	"strings"

	"ftsh/interp/jobs/batch"
	"ftsh/interp/jobs/programs"
)

// tooMany is what sbatch says of an array with too many tasks.
const tooMany = "Invalid job array"

// dialect is how sbatch talks: that the user, or the site, has as many jobs as are allowed; that a request will
// never be granted; and that it did not arrive, or was turned away for now. All else leaves it in doubt. Measured, but
// for what needs accounting.
var dialect = programs.Dialect{Name: "slurm", System: "Slurm", Separator: ";", Replies: []programs.Reply{
	{Receipt: batch.Full, Words: []string{
		"AssocMaxSubmitJobLimit", "AssocGrpSubmitJobsLimit", "QOSMaxSubmitJobPerUserLimit", "QOSGrpSubmitJobsLimit",
		"MaxSubmitJobs", "job submit limit", "Job violates accounting/QOS policy (job submit limit",
		"Resource temporarily unavailable"}},
	{Receipt: batch.Refused, Status: 255, Words: []string{ // the options are wrong
		"Invalid partition", "Invalid account", "Invalid qos", "Invalid feature", "Invalid generic", "Invalid GRES",
		"Invalid reservation", "reservation is invalid", "not permitted",
		"not in this partition", "configuration is not available",
		"Access denied", "Access/permission denied", "More processors", "specification invalid", "violates accounting",
		"time limit is invalid", "parameter too long", "Unable to process configuration",
		"does not look like", "script is empty",
		"Unable to open file", "Invalid --", "Invalid job", "unrecognized option",
		"invalid option", "Could not establish a configuration source"}},
	{Receipt: batch.Absent, Words: []string{
		"Unable to contact", "Munge encode failed", "Required partition not available"}},
}}

// ended are the states of jobs that have ended, and what they mean. (A map would be filled whenever a shell starts.)
var ended = []struct {
	state   string
	kind    batch.Kind
	message string
}{
	{"COMPLETED", batch.Succeeded, ""},
	{"FAILED", batch.Lost, ""},
	{"CANCELLED", batch.Cancelled, "the job was cancelled"},
	{"TIMEOUT", batch.Timeout, "the job reached its own time limit (--time)"},
	{"DEADLINE", batch.Timeout, "the job reached its deadline (--deadline)"},
	{"OUT_OF_MEMORY", batch.Memory, "the job needed more memory than it had asked for (--mem)"},
	{"NODE_FAIL", batch.Lost, "the node failed"},
	{"BOOT_FAIL", batch.Lost, "the node could not be booted"},
	{"PREEMPTED", batch.Lost, "the job was preempted by another"},
	{"REVOKED", batch.Lost, "the job was revoked"},
}

// hopeless are the reasons of jobs in the queue that will never start.
var hopeless = []string{
	"DependencyNeverSatisfied", "BadConstraints", "InvalidAccount", "InvalidQOS",
	"AccountNotAllowed", "QOSNotAllowed", "PartitionConfig",
}

// classify says what a state in the queue means.
func classify(state, reason string) (kind batch.Kind, message string) {
	switch {
	case (state == "PENDING" && slices.Contains(hopeless, reason)), state == "FAILED" && reason == "BadConstraints":
		return batch.Mistake, "the job can never start: " + reason
	case state == "PENDING" && strings.Contains(reason, "launch failed requeued held"),
		state == "PENDING" && reason == "launch_failed_requeued_held":
		return batch.Lost, "the node could not start the job"
	case slices.Contains([]string{"RUNNING", "COMPLETING", "STAGE_OUT", "SIGNALING", "STOPPED"}, state):
		return batch.Running, ""
	}
	for _, end := range ended {
		switch {
		case end.state != state:
		case end.kind == batch.Lost && end.message == "":
			why := strings.ToLower(state) + ", " + reason
			return batch.Lost, "the job ended before it had begun, or without a status: " + why
		default:
			return end.kind, end.message
		}
	}
	return batch.Queued, ""
}
