package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
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
		{100_000, 8 * gb, 2, ""},
		{100_000, 2.5 * gb, 1, ""},
		{100_000, 0.7 * gb, 0, "100000 clients would need 1.8 GB of memory, up to 2.8 GB while they are in an attempt, and " +
			"0.7 GB are available: wanted at most 30382 clients, or a machine with more"},
		{1_000_000, 20 * gb, 0, "1000000 clients would need 18.4 GB of memory, up to 27.6 GB while they are in an attempt, " +
			"and 20.0 GB are available: wanted at most 868056 clients, or a machine with more"},
		{1_000_000, 64 * gb, 1, ""},
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

// TestOverflow stops a crowd that takes more memory than it may.
func TestOverflow(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for _, c := range []struct {
		memory float64
		want   string
	}{
		{1e12, "<nil>"},
		{0, "so many clients are in an attempt at the same time that they have taken 0.0 GB of memory, " +
			"and may take 0.0 GB: wanted fewer clients, or a machine with more"},
	} {
		ctx, stop := context.WithCancelCause(t.Context())
		runtime.GC() // until then nobody knows how much is alive
		(&room{clients: crowded, memory: c.memory, stop: stop}).tighten()
		if err := overflowOr(ctx, nil); fmt.Sprint(err) != c.want || (ctx.Err() == nil) != (err == nil) {
			t.Errorf("with %v bytes it is %v; want %s", c.memory, err, c.want)
		}
	}
}
