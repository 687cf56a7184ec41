package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
)

// perClient says how much memory a client needs at most, in bytes, with the least garbage: 19 KB while it is in an
// attempt, 6 KB while it waits for the next one. It is measured with scripts without a forall, whose branches have
// stacks of their own. A try within a try adds up to 11 KB.
const perClient = 19 << 10

// share says how much of the memory that is available a simulation may take.
const share = 0.8

// workersInMemory returns how many runs with so many clients fit into memory at the same time. The error says that
// there is not enough memory for one.
func workersInMemory(clients int, available float64, processors int) (workers int, err error) {
	need := float64(clients) * perClient
	if need > share*available {
		return 0, fmt.Errorf("%d clients would need up to %s of memory, and %s are available: wanted at most %.0f clients, "+
			"or a machine with more", clients, gigabytes(need), gigabytes(available), share*available/perClient)
	}
	return max(min(processors, int(share*available/need)), 1), nil
}

func gigabytes(n float64) string { return strconv.FormatFloat(n/1e9, 'f', 1, 64) + " GB" }

// crowded is from how many clients on the garbage collector is to save memory, and not time.
const crowded = 20_000

// makeRoom tells how many of the runs with so many clients there may be at the same time, and sets the garbage
// collector to that. Little is alive but the stacks of the clients, which are looked through each time. tighten is to
// be called now and then while they run.
func makeRoom(clients, runs int) (workers int, tighten func(), err error) {
	debug.SetGCPercent(400)
	if clients < crowded/runtime.GOMAXPROCS(0) {
		return 0, func() {}, nil
	}
	memory := available()
	workers, err = workersInMemory(clients, memory, min(runs, runtime.GOMAXPROCS(0)))
	if clients*workers < crowded {
		return workers, func() {}, err
	}
	debug.SetGCPercent(100)
	return workers, func() { allowGarbage(clients*workers, share*memory) }, err
}

// allowGarbage lets garbage and gaps be half of what is alive, and where that would be more memory than there is a
// quarter; from 8 KB a client on only. Measured with 30,000 clients, as the mean of three runs by turns: half takes
// 5.8 s of processor time and 410 MB, 30 % takes 7.8 s and 370 MB, as much as is alive takes 4.8 s and 510 MB. A
// percentage of the collector's own costs more than such a limit, since it holds while the crowd still grows.
func allowGarbage(clients int, memory float64) {
	seen := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(seen)
	alive := float64(seen[0].Value.Uint64() + seen[1].Value.Uint64())
	limit := max(int64(min(1.5*alive, max(1.25*alive, memory))), int64(clients)*(8<<10))
	if before := debug.SetMemoryLimit(-1); limit > before || before == math.MaxInt64 { // it never has to shrink
		debug.SetMemoryLimit(limit)
	}
}

// available returns how much memory there is for this process, in bytes.
func available() float64 {
	most := 1e18 // nobody says
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		if rest, is := strings.CutPrefix(line, "MemAvailable:"); is {
			kilobytes, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
			if err == nil {
				most = kilobytes * 1024
			}
		}
	}
	limit, err := os.ReadFile("/sys/fs/cgroup/memory.max") // of a container
	if n, wrong := strconv.ParseFloat(strings.TrimSpace(string(limit)), 64); err == nil && wrong == nil {
		most = min(most, n)
	}
	return most
}
