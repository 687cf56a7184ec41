package interp_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestFactorsOfBackoff holds what the numbers of a backoff clause come to as values of variables: when attempts are
// made, or why the try makes none.
func TestFactorsOfBackoff(t *testing.T) {
	const tries = "try 4 times backoff exact from 1 s "
	for _, c := range []struct{ n, try, want string }{
		{"2", tries + "by $n", "0s 1s 3s 7s attempts"},
		{"1", tries + "by $n", "0s 1s 2s 3s attempts"},
		{"1.5", tries + "by $n", "0s 1s 2.5s 4.75s attempts"},
		{"0.5", tries + "by $n", "by 0.5: wanted a number of at least 1"},
		{"x", tries + "by $n", `"x" is not a decimal number such as 2 or 1.5`},
		{"-1", tries + "jitter $n", "jitter -1: wanted a number of at least 0"},
		{"x", tries + "jitter $n", `"x" is not a decimal number such as 2 or 1.5`},
		{"0", tries + "jitter $n", "0s 1s 3s 7s attempts"},
		{"x", "try 4 times backoff exact from $n s", `"x" is not a number of seconds`},
		{"x", "try 4 times backoff exact from 1 s to $n s", `"x" is not a number of seconds`},
		{"2", "try 4 times backoff exact from 1 s to $n s", "0s 1s 3s 5s attempts"},
		{"2", "try 3 times every $n s", "0s 2s 4s attempts"},
		{"x", "try 3 times every $n s", `"x" is not a number of seconds`},
	} {
		t.Run(c.try+" "+c.n, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bubble{start: time.Now()}
				script := "n=" + c.n + "\nwhy=\n" + c.try + "\nsay\nfailure\ncatch\nwhy=${error.message}\n" +
					"if ${error.reason} .eq. attempts\nwhy=attempts\nend\nend\nsay $why"
				err := b.run(t, 0, script)
				at, why, _ := strings.Cut(b.said[len(b.said)-1], " ")
				got := strings.TrimSpace(strings.Join(b.said[:len(b.said)-1], "") + why)
				if got != c.want || err != nil {
					t.Errorf("at %s: %s (%v)\nwant %s", at, got, err, c.want)
				}
			})
		})
	}
}
