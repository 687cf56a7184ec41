package gridengine

import (
	"strconv"
	"strings"

	"ftsh/interp/jobs/batch"
	"ftsh/interp/jobs/programs"
)

// tooMany is what qsub says of an array with too many tasks: before how many there may be.
const tooMany = "submit a job with more than "

// dialect is how qsub talks: that nobody knows what became of a request; that the user, or the site, has as many
// jobs as are allowed; that it did not arrive; and that it will never be granted. Measured with 8.1.9.
var dialect = programs.Dialect{Name: "gridengine", System: "Grid Engine", Separator: ".", Replies: []programs.Reply{
	{Receipt: batch.Doubtful, Words: []string{"failed receiving", "timeout", "got read error",
		"got sync receive timeout"}},
	{Receipt: batch.Full, Status: 25, Words: []string{"jobs are allowed", "max_u_jobs", "max_jobs"}},
	{Receipt: batch.Absent, Words: []string{"unable to send message", "Connection refused", "unable to contact qmaster"}},
	{Receipt: batch.Refused, Status: 2, Words: []string{tooMany, "Unable to run job", "invalid option", "denied",
		"unknown", "Unknown", "not allowed", "rejected", "ERROR!"}},
}}

// stateError stands in the state of a job that Grid Engine has put aside.
const stateError = "E"

// classify says what a state in the queue means.
func classify(state, reason string) (kind batch.Kind, message string) {
	switch {
	case strings.Contains(state, stateError):
		return batch.Mistake, "the job can never start: " + state + " " + reason
	case strings.Contains(state, "d"): // it is being deleted
		return batch.Running, ""
	case strings.ContainsAny(state, "rtR") && !strings.ContainsAny(state, "sSTPqh"):
		return batch.Running, ""
	}
	return batch.Queued, ""
}

// accounted limits what is read of the accounting file, in bytes: some hundred jobs.
const accounted = 256 << 10

// The fields of a line of the accounting file.
const (
	fieldNode     = 1
	fieldOwner    = 3
	fieldName     = 4
	fieldNumber   = 5
	fieldFailed   = 11
	fieldStatus   = 12
	fieldWall     = 13
	fieldTask     = 35
	fieldCategory = 39
	fieldMemory   = 42
	fields        = 43
)

// endedIn reads lines of the accounting file, those of all users if it is not known whose are wanted; the first
// and the last may be cut off.
func endedIn(text, owner string) (entries []batch.Entry) {
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimRight(line, "\n"), ":")
		if len(f) < fields || !strings.HasSuffix(line, "\n") || owner != "" && f[fieldOwner] != owner ||
			strings.HasPrefix(line, "#") {
			continue
		}
		e := batch.Entry{Number: f[fieldNumber], Name: nameOf(f[fieldName]), Node: f[fieldNode]}
		if f[fieldTask] != "0" {
			e.Name, e.Number = taskName(e.Name, e.Number, f[fieldTask])
		}
		e.Kind, e.Message = ending(f)
		entries = append(entries, e)
	}
	return entries
}

// What Grid Engine writes in the field failed.
const (
	failedNot    = "0"
	failedLimit  = "37" // a limit was enforced
	failedKilled = "100"
)

// ending says how a job ended, by its line of the accounting file.
func ending(f []string) (kind batch.Kind, message string) {
	const timeout = "the job reached its own time limit (-l h_rt)"
	switch f[fieldFailed] {
	case failedLimit, failedKilled:
		wall, _ := strconv.ParseFloat(f[fieldWall], 64)
		used, _ := strconv.ParseFloat(f[fieldMemory], 64)
		if limit, asked := requested(f[fieldCategory], "h_vmem"); asked && used >= memory(limit) {
			return batch.Memory, "the job needed more memory than it had asked for (-l h_vmem)"
		}
		if limit, asked := requested(f[fieldCategory], "h_rt"); asked {
			if most, ok := duration(limit); ok && wall >= most.Seconds() {
				return batch.Timeout, timeout
			}
		}
		if f[fieldFailed] == failedLimit { // of the queue, which may also be one of memory
			return batch.Timeout, timeout
		}
		return batch.Cancelled, "the job was killed by Grid Engine (qdel)"
	case failedNot:
		if f[fieldStatus] == "0" {
			return batch.Succeeded, ""
		}
	}
	return batch.Lost, "the job ended before it had begun, or without a status: failed " + f[fieldFailed] +
		", exit status " + f[fieldStatus]
}

// requested is the value of a resource in a job's requests: "-l h_rt=60,h_vmem=1G -pe smp 2".
func requested(category, resource string) (value string, found bool) {
	for word := range strings.FieldsSeq(category) {
		for request := range strings.SplitSeq(word, ",") {
			if value, found = strings.CutPrefix(request, resource+"="); found {
				return value, true
			}
		}
	}
	return "", false
}

// memory reads a size: a number, and K, M or G of 1024, or k, m or g of 1000.
func memory(text string) float64 {
	const units = "KMGT"
	number := strings.TrimRight(text, "KMGTkmgt")
	size, _ := strconv.ParseFloat(number, 64)
	if number == text {
		return size
	}
	unit, factor := text[len(number)], 1024.0
	if unit >= 'a' {
		unit, factor = unit-('a'-'A'), 1000
	}
	for range strings.IndexByte(units, unit) + 1 {
		size *= factor
	}
	return size
}
