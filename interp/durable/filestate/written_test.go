package filestate

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestSinceTimes holds what the times of a file tell, and where they tell nothing.
func TestSinceTimes(t *testing.T) {
	began := time.Unix(1e9, 123456789)
	at := func(d time.Duration) time.Time { return began.Add(d) }
	whole := func(d time.Duration) time.Time { return at(d).Truncate(time.Second) }
	for _, test := range []struct {
		name  string
		times times
		apart time.Duration
		want  Written
	}{
		{"long before", times{written: at(-time.Hour), changed: at(-time.Hour)}, 0, NotWritten},
		{"shortly before", times{written: at(-30 * time.Millisecond), changed: at(-30 * time.Millisecond)}, 0, NotWritten},
		{"in the tick in which it began", times{written: at(-3 * time.Millisecond), changed: at(-3 * time.Millisecond)}, 0,
			TooClose},
		{"at that moment", times{written: began, changed: began}, 0, WasWritten},
		{"after it", times{written: at(time.Minute), changed: at(time.Minute)}, 0, WasWritten},
		{"written after it, its mode changed later", times{written: at(time.Second), changed: at(time.Minute)}, 0,
			WasWritten},
		{"changed since, but with an old time of its text", times{written: at(-time.Hour), changed: at(time.Second)}, 0,
			TooClose},
		{"seconds only, the one before", times{written: whole(-time.Second), changed: whole(-time.Second)}, 0, TooClose},
		{"seconds only, the same", times{written: whole(0), changed: whole(0)}, 0, TooClose},
		{"seconds only, long before", times{written: whole(-time.Minute), changed: whole(-time.Minute)}, 0, NotWritten},
		{"seconds only, after it", times{written: whole(time.Minute), changed: whole(time.Minute)}, 0, WasWritten},
		{"the clock was set, within that", times{written: at(time.Minute), changed: at(time.Minute)}, time.Hour, TooClose},
		{"the clock was set back, within that", times{written: at(-time.Minute), changed: at(-time.Minute)}, -time.Hour,
			TooClose},
		{"the clock was set, long before", times{written: at(-3 * time.Hour), changed: at(-3 * time.Hour)}, time.Hour,
			NotWritten},
		{"the clock was set, long after", times{written: at(90 * time.Minute), changed: at(90 * time.Minute)}, time.Hour,
			WasWritten},
		{"another machine tells", times{at(-time.Hour), at(-time.Hour), true}, 0, Remote},
		{"later than now", times{written: at(48 * time.Hour), changed: at(time.Minute)}, 0, Future},
	} {
		if got := test.times.since(Moment{began, test.apart}, at(2*time.Hour)); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

// TestSince never takes a file for unwritten that was written right after the beginning, however coarse its times are.
func TestSince(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if got, _, err := Since(name, Moment{At: time.Now()}); got != Missing || err != nil {
		t.Errorf("a file that is not there: %d, %v", got, err)
	}
	for n := range 200 {
		began := time.Now()
		must(t, os.WriteFile(name, []byte("text"), 0o600))
		if got, at, err := Since(name, Moment{At: began}); got != WasWritten && got != TooClose || err != nil {
			t.Fatalf("after %d times: %d, %v: it began at %s, the file is of %s", n, got, err, began, at)
		}
	}
	if got, _, _ := Since(name, Moment{At: time.Now().Add(time.Hour)}); got != NotWritten {
		t.Errorf("an hour later: %d", got)
	}
}
