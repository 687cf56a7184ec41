package jobs

import (
	"testing"
	"time"
)

// TestUsage: what a job has used is told in few digits, sizes as the options of batch systems count them.
func TestUsage(t *testing.T) {
	for want, u := range map[string]usage{
		"":                                     {},
		"3 ms, CPU 0 ms, memory 2 KB":          {Elapsed: 3 * time.Millisecond, Memory: 2048},
		"12.3 s, CPU 1 min 40 s, memory 64 MB": {Elapsed: 12340 * time.Millisecond, CPU: 100 * time.Second, Memory: 64 << 20},
		"26 h 5 min, CPU 1.5 s, memory 3.9 GB": {Elapsed: 26*time.Hour + 5*time.Minute, CPU: 1500 * time.Millisecond,
			Memory: 4187593113},
		"1 s, CPU 0 ms, memory 1 GB":    {Elapsed: time.Second, Memory: 1<<30 - 1<<10},
		"1 s, CPU 0 ms, memory 2000 TB": {Elapsed: time.Second, Memory: 2000 << 40},
	} {
		if got := u.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
