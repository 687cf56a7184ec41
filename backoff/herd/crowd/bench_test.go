package crowd

import (
	"context"
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/herd"
	"ftsh/backoff/herd/server"
)

// struggle is a crowd most of whose clients wait: a server that can serve one
// in ten of them.
func struggle(sim *herd.Sim, clients int) *Crowd {
	return New(sim, Config{
		Clients: clients, Start: time.Minute, Think: server.Exponential(10 * time.Second), Timeout: 2 * time.Second,
		Layers: []Layer{{Limit: time.Hour, Backoff: backoff.Backoff{Max: time.Minute}}},
	}, server.Spec{Slots: clients / 100, Queue: clients / 100, Response: server.Exponential(time.Second)})
}

// cpu is the processor time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCrowd reports what an event costs and what a client takes.
func BenchmarkCrowd(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				sim := herd.New(1)
				c := struggle(sim, n)
				start := cpu()
				c.Run(context.Background(), 5*time.Minute)
				took := cpu() - start
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(took.Nanoseconds())/float64(sim.Events()), "ns/event")
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(n), "bytes/client")
				b.ReportMetric(float64(sim.Events()), "events")
				runtime.KeepAlive(c)
			}
		})
	}
}
