package jobs

import (
	"fmt"
	"time"

	"ftsh/interp/brief"
)

// usage holds what the programs of a job have used. The zero value: that is not known.
type usage struct {
	Elapsed time.Duration `json:"elapsed"`
	CPU     time.Duration `json:"cpu"`
	Memory  int64         `json:"memory"` // in bytes, of the process that had the most
	// Together tells that Memory is that of all processes together, at the moment when it was most.
	Together bool `json:"together,omitempty"`
	// Grouped tells that the job has a memory group of its own, so that Kills is known: how many of its processes the
	// kernel has killed for want of memory.
	Grouped bool  `json:"grouped,omitempty"`
	Kills   int64 `json:"kills,omitempty"`
}

// IsZero reports whether it is not known.
func (u usage) IsZero() bool { return u == usage{} }

// String is "12.3 s, CPU 40 s, memory 3.9 GB"; "": it is not known.
func (u usage) String() string {
	if u.IsZero() {
		return ""
	}
	return fmt.Sprintf("%s, CPU %s, memory %s", brief.Time(u.Elapsed), brief.Time(u.CPU), brief.Size(u.Memory))
}
