package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// perClient says how much memory a client that waits takes at most, in bytes: 16 KB of stack and 8 KB besides, and
// what is garbage until it is collected. It is measured with scripts without a forall, whose branches have stacks of
// their own.
const perClient = 32 << 10

// share says how much of the memory that is available a simulation may take.
const share = 0.8

// workersInMemory returns how many runs with so many clients fit into memory at the same time. The error says that
// there is not enough memory for one.
func workersInMemory(clients int, available float64, processors int) (workers int, err error) {
	need := float64(clients) * perClient
	if need > share*available {
		return 0, fmt.Errorf("%d clients would need about %s of memory, and %s are available: wanted at most %.0f clients, "+
			"or a machine with more", clients, gigabytes(need), gigabytes(available), share*available/perClient)
	}
	return max(min(processors, int(share*available/need)), 1), nil
}

func gigabytes(n float64) string { return strconv.FormatFloat(n/1e9, 'f', 1, 64) + " GB" }

// crowded is from how many clients on the garbage collector is to save memory, and not time.
const crowded = 20_000

// makeRoom tells how many runs with so many clients there may be at the same time, and sets the garbage collector to
// that. Little is alive but the stacks of the clients, which are looked through each time.
func makeRoom(clients int) (workers int, err error) {
	debug.SetGCPercent(400)
	if clients < crowded/runtime.GOMAXPROCS(0) {
		return 0, nil
	}
	workers, err = workersInMemory(clients, available(), runtime.GOMAXPROCS(0))
	if clients*workers >= crowded {
		debug.SetGCPercent(100) // at 40 it takes half as long again, for a tenth less
	}
	return workers, err
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
