package progress

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ftsh/interp/event"
)

// jobs are those of a batch system.
type jobs struct {
	began        time.Time      // when there was one, after none
	live         map[string]job // by ticket
	done, failed int            // since then
}

// job is one that has not ended.
type job struct{ state, message string }

// note takes in where a job is. What has ended is counted anew when no job is left, unless what came of earlier ones is
// still shown.
func (j *jobs) note(e event.Event, now time.Time, shown bool) {
	if len(j.live) == 0 && !shown {
		*j = jobs{began: now, live: make(map[string]job)}
	}
	switch e.Value {
	case "done":
		j.done++
	case "failed":
		j.failed++
	case "left":
	default:
		j.live[e.Name] = job{e.Value, e.Message}
		return
	}
	delete(j.live, e.Name)
}

// line shows the jobs; "": there are none to be shown.
func (j *jobs) line(now time.Time, width int) string {
	if len(j.live) == 0 || now.Sub(j.began) < patience {
		return ""
	}
	all := len(j.live) + j.done + j.failed
	counts, reasons := map[string]int{}, map[string]int{}
	for _, one := range j.live {
		if all == 1 {
			return one.line()
		}
		counts[one.state]++
		if reason := one.reason(); reason != "" {
			reasons[reason]++
		}
	}
	if width < narrow {
		text := fmt.Sprintf("jobs %d+%d/%d, %s", j.done, counts["running"], all, ranked(reasons))
		return strings.TrimSuffix(text, ", ")
	}
	var parts []string
	for _, state := range []string{"waiting to submit", "queued", "running"} {
		if n := counts[state]; n > 0 {
			part := fmt.Sprintf("%d %s", n, state)
			if why := ranked(reasons); state == "queued" && why != "" {
				part += " (" + why + ")"
			}
			parts = append(parts, part)
		}
	}
	return fmt.Sprintf("jobs: %s, %d done, %d failed", strings.Join(parts, ", "), j.done, j.failed)
}

// line shows the only job.
func (j job) line() string {
	name, rest, more := strings.Cut(j.message, ", ")
	switch {
	case !strings.HasPrefix(name, "job "):
		return "job: " + strings.TrimSuffix(j.state+": "+j.message, ": ")
	case more && j.state == "running":
		return name + ": running on " + rest
	}
	return name + ": " + strings.TrimSuffix(j.state+", "+rest, ", ")
}

// reason is why the batch system lets it wait.
func (j job) reason() string {
	if j.state != "queued" {
		return ""
	}
	_, reason, _ := strings.Cut(j.message, ", ")
	return reason
}

// ranked lists reasons, the most frequent first.
func ranked(reasons map[string]int) string {
	names := slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(reasons[b]-reasons[a], strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", reasons[name], name)
	}
	return strings.Join(names, ", ")
}
