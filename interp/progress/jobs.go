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

// noteJob takes in where a job is. What has ended is counted anew when no job is left, unless what came of earlier
// ones is still shown.
func (j *jobs) noteJob(e event.Event, now time.Time, shown bool) {
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

// shownLine shows the jobs; "": there are none to be shown.
func (j *jobs) shownLine(now time.Time, width int) string {
	if len(j.live) == 0 || now.Sub(j.began) < patience {
		return ""
	}
	all := len(j.live) + j.done + j.failed
	counts, reasons := map[string]int{}, map[string]int{}
	for _, one := range j.live {
		if all == 1 {
			return one.shownLine()
		}
		counts[one.state]++
		if reason := one.waitReason(); reason != "" {
			reasons[reason]++
		}
	}
	if width < narrow {
		text := fmt.Sprintf("jobs %d+%d/%d, %s", j.done, counts["running"], all, rankReasons(reasons))
		return strings.TrimSuffix(text, ", ")
	}
	var parts []string
	for _, state := range []string{"waiting to submit", "queued", "running"} {
		if n := counts[state]; n > 0 {
			part := fmt.Sprintf("%d %s", n, state)
			if why := rankReasons(reasons); state == "queued" && why != "" {
				part += " (" + why + ")"
			}
			parts = append(parts, part)
		}
	}
	return fmt.Sprintf("jobs: %s, %d done, %d failed", strings.Join(parts, ", "), j.done, j.failed)
}

// shownLine shows the only job.
func (j job) shownLine() string {
	name, rest, more := strings.Cut(j.message, ", ")
	switch {
	case !strings.HasPrefix(name, "job "):
		return "job: " + strings.TrimSuffix(j.state+": "+j.message, ": ")
	case more && j.state == "running":
		return name + ": running on " + rest
	}
	return name + ": " + strings.TrimSuffix(j.state+", "+rest, ", ")
}

// waitReason is why the batch system lets it wait.
func (j job) waitReason() string {
	if j.state != "queued" {
		return ""
	}
	_, reason, _ := strings.Cut(j.message, ", ")
	return reason
}

// rankReasons lists reasons, the most frequent first.
func rankReasons(reasons map[string]int) string {
	names := slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(reasons[b]-reasons[a], strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", reasons[name], name)
	}
	return strings.Join(names, ", ")
}
