// Package brief says in a few words how long something takes, and how large it is.
package brief

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Time returns a length of time: "0.4 ms", "250 ms", "4.1 s", "12 min 5 s", "3 h 20 min", "5 d 3 h".
func Time(d time.Duration) string {
	// A limit of 700 ms is looked at 0.1 ms after it was set.
	if d = max(d, 0); d >= 10*time.Millisecond {
		d = d.Round(time.Millisecond)
	}
	switch {
	case d < 10*time.Millisecond:
		return oneDecimal(d, time.Millisecond) + " ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 100*time.Second:
		return oneDecimal(d, time.Second) + " s"
	case d < time.Hour:
		return twoUnits(d, time.Minute, "min", time.Second, "s")
	case d < 48*time.Hour:
		return twoUnits(d, time.Hour, "h", time.Minute, "min")
	}
	return twoUnits(d, 24*time.Hour, "d", time.Hour, "h")
}

// oneDecimal returns a number of units, rounded down, with one decimal unless that is 0.
func oneDecimal(d, unit time.Duration) string {
	return strings.TrimSuffix(fmt.Sprintf("%d.%d", d/unit, d%unit/(unit/10)), ".0")
}

// twoUnits returns a length in a large and a small unit; the small one only if it counts.
func twoUnits(d, large time.Duration, largeName string, small time.Duration, smallName string) string {
	if rest := d % large / small; rest > 0 {
		return fmt.Sprintf("%d %s %d %s", d/large, largeName, rest, smallName)
	}
	return fmt.Sprintf("%d %s", d/large, largeName)
}

// Size returns a number of bytes as the options of batch systems count it: 1 GB is 1,024 MB.
func Size(n int64) string {
	size, units := float64(n), []string{"KB", "MB", "GB", "TB"}
	for i, unit := range units {
		size /= 1024
		if size < 999.5 || i == len(units)-1 {
			decimals := 0
			if size < 10 {
				decimals = 1
			}
			return strings.TrimSuffix(strconv.FormatFloat(size, 'f', decimals, 64), ".0") + " " + unit
		}
	}
	return ""
}
