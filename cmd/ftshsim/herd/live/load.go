package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"ftsh/backoff"
)

// Load is many clients of one server.
type Load struct {
	URL     string          // that each request gets
	Clients int             // at the same time
	Think   time.Duration   // the mean of a client's pauses, which are exponentially distributed
	Timeout time.Duration   // after which a client hangs up, more than 0
	Backoff backoff.Backoff // of a client whose request failed
	Seed    uint64          // of the pauses and waits
	Every   time.Duration   // between lines of the report, more than 0
	Out     io.Writer       // where they go

	ok, failed, late atomic.Int64
}

// Run lets the clients work until ctx is cancelled. When it returns they are
// gone.
func (l *Load) Run(ctx context.Context) {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	web := &http.Client{Transport: transport}
	var clients sync.WaitGroup
	for n := range l.Clients {
		clients.Go(func() { l.runClient(ctx, web, rand.New(rand.NewPCG(l.Seed, uint64(n)))) })
	}
	report, last := time.NewTicker(l.Every), time.Now()
	defer report.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-report.C:
			now := time.Now()
			l.printSince(now.Sub(last))
			last = now
		}
	}
	clients.Wait()
}

// printSince prints what there was since the last line.
func (l *Load) printSince(since time.Duration) {
	rate := func(n *atomic.Int64) float64 { return float64(n.Swap(0)) / since.Seconds() }
	fmt.Fprintf(l.Out, "OK: %.2f req/sec, errors: %.2f req/sec, timedout: %.2f req/sec\n",
		rate(&l.ok), rate(&l.failed), rate(&l.late))
}

// runClient thinks and asks, and asks again until there is an answer: by the
// shell's retry loop.
func (l *Load) runClient(ctx context.Context, web *http.Client, dice *rand.Rand) {
	clock := clock{time.Now()}
	plan := backoff.Plan{Deadline: backoff.Never, Attempts: backoff.Unlimited, Backoff: l.Backoff}
	for ctx.Err() == nil {
		pause := time.Duration(dice.ExpFloat64() * float64(l.Think))
		if backoff.Sleep(ctx, clock, clock.Now()+pause) != nil {
			return
		}
		backoff.Retry(ctx, clock, plan, dice, backoff.Hooks{}, func(ctx context.Context, _ int) backoff.Outcome {
			return backoff.Outcome{Err: l.askOnce(ctx, web)}
		})
	}
}

// askOnce makes one request and counts it.
func (l *Load) askOnce(ctx context.Context, web *http.Client) error {
	limited, cancel := context.WithTimeout(ctx, l.Timeout)
	defer cancel()
	err := l.fetchURL(limited, web)
	switch {
	case ctx.Err() != nil: // all are to go home
	case err == nil:
		l.ok.Add(1)
	case errors.Is(err, context.DeadlineExceeded):
		l.late.Add(1)
	default:
		l.failed.Add(1)
	}
	return err
}

// fetchURL fetches the URL; any other status than 200 is an error.
func (l *Load) fetchURL(ctx context.Context, web *http.Client) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, l.URL, nil)
	if err != nil {
		return err
	}
	response, err := web.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}

// clock is a [backoff.Clock] of real time.
type clock struct{ start time.Time }

func (c clock) Now() time.Duration { return time.Since(c.start) }

func (c clock) AfterFunc(at time.Duration, f func()) backoff.Timer {
	return time.AfterFunc(at-c.Now(), f)
}
