package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
)

// perClient says how much memory a client needs at most, in bytes, with the least garbage, and perWaiting how much
// while it waits for the next attempt of an outermost try: its stack is smaller then. It is measured with scripts
// without a forall, whose branches have stacks of their own. A try within a try adds up to 11 KB.
const (
	perClient  = 27 << 10
	perWaiting = 18 << 10
)

// share says how much of the memory that is available a simulation may take.
const share = 0.8

// workersInMemory returns how many runs with so many clients fit into memory at the same time; one, if that fits only
// while most of them wait. The error says that there is not enough memory for that.
func workersInMemory(clients int, available float64, processors int) (workers int, err error) {
	least, most := float64(clients)*perWaiting, float64(clients)*perClient
	if least > share*available {
		return 0, fmt.Errorf("%d clients would need %s of memory, up to %s while they are in an attempt, and %s are "+
			"available: wanted at most %.0f clients, or a machine with more", clients, gigabytes(least), gigabytes(most),
			gigabytes(available), share*available/perWaiting)
	}
	return max(min(processors, int(share*available/most)), 1), nil
}

func gigabytes(n float64) string { return strconv.FormatFloat(n/1e9, 'f', 1, 64) + " GB" }

// crowded is from how many clients on the garbage collector is to save memory, and not time.
const crowded = 20_000

// room is the memory that the clients of all runs have which there are at the same time.
type room struct {
	workers int     // the runs
	clients int     // of all of them; 0: so few that nobody needs to look
	memory  float64 // that they may take, in bytes
	stop    context.CancelCauseFunc
}

// makeRoom returns how many of the runs with so many clients there may be at the same time, and sets the garbage
// collector to that. The context that it returns is cancelled if they turn out not to fit; tighten is to be called now
// and then while they run.
func makeRoom(ctx context.Context, clients, runs int) (context.Context, *room, error) {
	debug.SetGCPercent(400)
	if clients < crowded/runtime.GOMAXPROCS(0) {
		return ctx, &room{}, nil
	}
	memory := available()
	workers, err := workersInMemory(clients, memory, min(runs, runtime.GOMAXPROCS(0)))
	if clients*workers < crowded {
		return ctx, &room{workers: workers}, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	r := &room{workers, clients * workers, share * memory, stop}
	r.tighten()
	return ctx, r, err
}

// tighten lets garbage and gaps be a fifth of what is alive; from 14 KB a client on only, if there is so much. A
// percentage of the collector's own costs more than such a limit, since it holds while the crowd still grows.
func (r *room) tighten() {
	if r.clients == 0 {
		return
	}
	seen := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(seen)
	alive := float64(seen[0].Value.Uint64() + seen[1].Value.Uint64())
	if alive > r.memory {
		r.stop(&overflow{fmt.Errorf("so many clients are in an attempt at the same time that they have taken %s of memory, "+
			"and may take %s: wanted fewer clients, or a machine with more", gigabytes(alive), gigabytes(r.memory))})
	}
	limit := int64(max(1.2*alive, min(float64(r.clients)*(14<<10), r.memory)))
	if before := debug.SetMemoryLimit(-1); limit > before || before == math.MaxInt64 { // it never has to shrink
		debug.SetMemoryLimit(limit)
	}
}

// overflow says that clients have taken more memory than they may: too many are in an attempt at the same time.
type overflow struct{ error }

// overflowOr returns the overflow that has cancelled a context; if there was none, err.
func overflowOr(ctx context.Context, err error) error {
	var full *overflow
	if errors.As(context.Cause(ctx), &full) {
		return full
	}
	return err
}

// available returns how much memory there is for this process, in bytes.
func available() float64 {
	most := 1e18 // nobody says
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		kilobytes := 0.0
		if n, _ := fmt.Sscanf(line, "MemAvailable: %f kB", &kilobytes); n == 1 {
			most = kilobytes * 1024
		}
	}
	limit, err := os.ReadFile("/sys/fs/cgroup/memory.max") // of a container
	if n, wrong := strconv.ParseFloat(strings.TrimSpace(string(limit)), 64); err == nil && wrong == nil {
		most = min(most, n)
	}
	return most
}
