package jobs

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Usage holds what the programs of a job have used. The zero value: that is not known.
type Usage struct {
	Elapsed time.Duration `json:"elapsed"`
	CPU     time.Duration `json:"cpu"`
	Memory  int64         `json:"memory"` // in bytes, of the process that had the most
	// Grouped tells that the job has a memory group of its own, so that Kills is known: how many of its processes the
	// kernel has killed for want of memory.
	Grouped bool  `json:"grouped,omitempty"`
	Kills   int64 `json:"kills,omitempty"`
}

// String is "12.3 s, CPU 40 s, memory 3.9 GB"; "": it is not known.
func (u Usage) String() string {
	if u == (Usage{}) {
		return ""
	}
	return fmt.Sprintf("%s, CPU %s, memory %s", seconds(u.Elapsed), seconds(u.CPU), Bytes(u.Memory))
}

// seconds is a length of time for people.
func seconds(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.Itoa(int(d.Milliseconds())) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// Bytes is a size as the options of batch systems count it: 1 GB is 1,024 MB.
func Bytes(n int64) string {
	size, units := float64(n), []string{"KB", "MB", "GB", "TB"}
	for i, unit := range units {
		size /= 1024
		if size < 999.5 || i == len(units)-1 {
			return strings.TrimSuffix(strconv.FormatFloat(size, 'f', digits(size), 64), ".0") + " " + unit
		}
	}
	return ""
}

// digits returns the number of decimals to show: one, if the number is small.
func digits(n float64) int {
	if n < 10 {
		return 1
	}
	return 0
}
