package main

import (
	"runtime"
	"testing"
)

// TestRoom holds how many runs there may be at once, and when one is too many.
func TestRoom(t *testing.T) {
	const gb = 1e9
	for _, c := range []struct {
		clients   int
		available float64
		workers   int
		want      string
	}{
		{500, 20 * gb, 4, ""},
		{100_000, 20 * gb, 4, ""},
		{100_000, 8 * gb, 3, ""},
		{100_000, 4 * gb, 1, ""},
		{100_000, 2 * gb, 0, "100000 clients would need up to 1.9 GB of memory, and 2.0 GB are available: wanted at most " +
			"82237 clients, or a machine with more"},
		{1_000_000, 20 * gb, 0, "1000000 clients would need up to 19.5 GB of memory, and 20.0 GB are available: wanted " +
			"at most 822368 clients, or a machine with more"},
		{1_000_000, 64 * gb, 2, ""},
	} {
		workers, err := workersInMemory(c.clients, c.available, 4)
		if workers != c.workers || (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%d clients in %v: %d workers, %v; want %d, %s", c.clients, c.available, workers, err, c.workers, c.want)
		}
	}
	if n := available(); n < 1e8 || n > 1e15 && runtime.GOOS == "linux" {
		t.Errorf("%v bytes are available", n)
	}
}
