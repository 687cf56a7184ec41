package crowd

import (
	"context"
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
)

// struggle is a crowd most of whose clients wait: a server that can serve one
// in ten of them.
func struggle(sim *herd.Sim, clients int) *Crowd {
	return New(sim, Config{
		Clients: clients, Start: time.Minute, Think: spread.Exponential(10 * time.Second), Timeout: 2 * time.Second,
		Layers: []Layer{{Limit: time.Hour, Backoff: backoff.Backoff{Max: time.Minute}}},
	}, server.Spec{Slots: clients / 100, Queue: clients / 100, Response: spread.Exponential(time.Second)})
}

// cpu is the processor time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// heap returns the bytes in use.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// costs runs a crowd and reports what an event costs and what a client
// takes.
func costs(b *testing.B, clients int, until time.Duration) {
	for b.Loop() {
		before, sim := heap(), herd.New(1)
		c := struggle(sim, clients)
		start := cpu()
		c.Run(context.Background(), until)
		took := cpu() - start
		b.ReportMetric(float64(took.Nanoseconds())/float64(sim.Events()), "ns/event")
		b.ReportMetric(float64(heap()-before)/float64(clients), "bytes/client")
		b.ReportMetric(float64(sim.Events()), "events")
		runtime.KeepAlive(c)
	}
}

func BenchmarkCrowd(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { costs(b, n, 5*time.Minute) })
	}
}
