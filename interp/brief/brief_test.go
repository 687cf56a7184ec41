package brief

import (
	"testing"
	"time"
)

func TestTime(t *testing.T) {
	for _, test := range []struct {
		d    time.Duration
		want string
	}{
		{-time.Second, "0 ms"},
		{0, "0 ms"},
		{350 * time.Microsecond, "0.3 ms"},
		{3 * time.Millisecond, "3 ms"},
		{250 * time.Millisecond, "250 ms"},
		{time.Second, "1 s"},
		{4199 * time.Millisecond, "4.1 s"},
		{99999 * time.Millisecond, "99.9 s"},
		{100 * time.Second, "1 min 40 s"},
		{30 * time.Minute, "30 min"},
		{time.Hour, "1 h"},
		{100 * time.Minute, "1 h 40 min"},
		{47*time.Hour + 59*time.Minute, "47 h 59 min"},
		{75 * time.Hour, "3 d 3 h"},
	} {
		if got := Time(test.d); got != test.want {
			t.Errorf("%v: %q, want %q", test.d, got, test.want)
		}
	}
}
