package interp_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/interp/journal/memory"
)

// rebootCases are scripts that die with their machine 10 hours after its boot, and go on an hour later, 3 s after the
// next: what they began is long before that boot.
var rebootCases = []struct {
	name, text string
	want       []string      // what programs ran after the reboot, and when since the beginning
	back       time.Duration // the wall clock of the second boot shows so much less than it should
}{
	{name: "a limit that has passed", text: `
try
  try for 30 minutes every 1 minute
    die
  end
catch
  when ${error.reason}
end`, want: []string{"deadline 1h0m0s"}},
	{name: "a limit that passed a day ago leaves its verify the kill timeout", text: `
try
  try for 30 minutes every 1 minute
    die
  verify
    sleep 29
    when verified
    absent
  end
catch
  when ${error.reason}
end`, want: []string{"verified 1h0m29s", "deadline 1h0m29s"}},
	{name: "a limit that passes soon", text: `
try
  try for 61 minutes every 31 seconds
    if ${try.attempt} .eq. 1
      die
    end
    when ${try.remaining}
    failure again
  end
catch
  when ${error.reason}
end`, want: []string{"60 1h0m0s", "29 1h0m31s", "deadline 1h0m31s"}},
	{name: "a limit that passes in a sleep", text: `
try
  try for 61 minutes
    if ${try.attempt} .eq. 1
      die
    end
    sleep 3 hours
  end
catch
  when ${error.reason}
end`, want: []string{"deadline 1h1m0s"}},
	{name: "each", text: `
try 2 times each 61 minutes every 0 s
  if ${try.attempt} .eq. 2
    when outer
    exit
  end
  try 2 times every 0 s
    if ${try.attempt} .eq. 2
      sleep 3 hours
    end
    die
  end
end`, want: []string{"outer 1h1m0s"}},
	{name: "each, over two deaths", text: `
try 2 times each 121 minutes every 0 s
  if ${try.attempt} .eq. 2
    when outer
    exit
  end
  try 3 times every 0 s
    if ${try.attempt} .eq. 3
      sleep 5 hours
    end
    die
  end
end`, want: []string{"outer 2h1m0s"}},
	{name: "alternatives from one at random on", text: `
try
  forany x in 1 .to. 8
    if $x .eq. 5
      die
    end
    when $x
    failure no
  end
catch
end`, want: []string{"6 1h0m0s", "7 1h0m0s", "8 1h0m0s", "1 1h0m0s", "2 1h0m0s", "3 1h0m0s"}},
	{name: "every", text: `
try 3 times every 2 hours
  if ${try.attempt} .eq. 1
    die
  end
  when attempt${try.attempt}
  failure again
catch
  when ${error.reason}
end`, want: []string{"attempt2 2h0m0s", "attempt3 4h0m0s", "attempts 4h0m0s"}},
	{name: "waits", text: `
forall x in sleep try passed die .keepgoing.
  if $x .eq. sleep
    sleep 90 minutes
    when slept
  else if $x .eq. passed
    sleep 30 minutes
    when passed
  else if $x .eq. try
    try 2 times every 75 minutes
      if ${try.attempt} .eq. 1
        failure first
      end
      when tried
    end
  else
    sleep 1
    try 2 times every 0 s
      if ${try.attempt} .eq. 1
        die
      end
    end
  end
end`, want: []string{"passed 1h0m1s", "tried 1h15m0s", "slept 1h30m0s"}},
	{name: "a clock that stands before the last record", back: 3 * time.Hour, text: `
try for 30 minutes every 1 minute
  if ${try.attempt} .eq. 1
    die
  end
  when ${try.remaining}
end`, want: []string{"1740 1h1m0s"}},
}

// TestReboot has limits and waits count from where they began, in an earlier boot, too.
func TestReboot(t *testing.T) {
	for _, test := range rebootCases {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &life{t: t, fs: memory.New(rand.New(rand.NewPCG(1, 1))), dir: scratchDir(t), boot: "one"}
				w.began = time.Now()
				file := parse(t, test.text)
				if ended, err := w.live(file, virtual{time.Now().Add(-10 * time.Hour)}); ended {
					t.Fatalf("the script ended in its first life: %v", err)
				}
				w.fs.Kill()
				w.crashAt = 0
				first := len(w.ledger)
				time.Sleep(time.Hour - time.Since(w.began).Truncate(time.Hour))
				w.boot, w.wall = "two", func() time.Time { return time.Now().Add(-test.back) }
				ended, err := w.live(file, virtual{time.Now().Add(-3 * time.Second)})
				for boots := 3; !ended && boots < 6; boots++ {
					w.fs.Kill()
					w.crashAt, w.boot = 0, fmt.Sprint("boot ", boots)
					time.Sleep(time.Hour - time.Since(w.began)%time.Hour)
					ended, err = w.live(file, virtual{time.Now().Add(-3 * time.Second)})
				}
				if !ended || w.again > 0 {
					t.Errorf("ended %v with %v, a person decided %d times", ended, err, w.again)
				}
				if got := w.ledger[first:]; !slices.Equal(got, test.want) {
					t.Errorf("%s\ndid %q, want %q (%v)", test.text, got, test.want, err)
				}
			})
		})
	}
}

// when notes what a program is called with, and how much time has passed since the beginning.
func (w *life) when(name string) string {
	return fmt.Sprint(name, " ", time.Since(w.began).Truncate(time.Second))
}
