package simulate_test

import (
	"os"
	"testing"
	"time"

	"ftsh/cmd/ftshsim/simulate"
)

// BenchmarkRun measures the work of one request: a statement, an answer, a wait.
func BenchmarkRun(b *testing.B) {
	for name, text := range map[string]string{
		"try":  "try for 1 hour backoff fixed\nget\nend",
		"each": "while true\ntry for 1 hour each 5 s backoff fixed\nget\nend\nsleep 1\nend",
	} {
		b.Run(name, func(b *testing.B) {
			crowd := simulate.Crowd{Who: simulate.All(load(b, text)),
				World:   parseWorld(b, "server\nslots 8\ntakes exponential 200 ms\nfailure 50%\nend"),
				Clients: 500, Environ: os.Environ(), Until: 3 * time.Minute}
			requests := 0
			for b.Loop() {
				requests += run(b, crowd, 1).Requests
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(requests), "ns/request")
		})
	}
}
