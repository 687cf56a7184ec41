package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/interp/process/clock"
)

// presence holds the options that both commands have.
type presence struct {
	Lasts    time.Duration `long:"for" range:"0s 24h" help:"end after that time; 0: at a signal"`
	Every    time.Duration `range:"10ms 24h" help:"time between lines"`
	Anywhere bool          `help:"other machines are allowed, too"`
}

// start reads the options of a command, and checks its host. The context that it returns ends when the time is over.
func (p *presence) start(ctx context.Context, known *options, args []string, check func() error) (
	context.Context, context.CancelFunc, error) {
	err := known.readOptions(args, func(rest []string) error { return cmp.Or(known.checkNoArguments(rest), check()) })
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(p.Lasts, math.MaxInt64))
	return ctx, cancel, err
}

// checkHost refuses hosts other than this one, unless it was told not to.
func (p *presence) checkHost(option, host string) error {
	if ip := net.ParseIP(host); p.Anywhere || host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("invalid value for --%s: wanted this machine, such as 127.0.0.1, not %q; "+
		"--anywhere allows others", option, host)
}

// serveOptions are the options of `ftshsim serve`.
type serveOptions struct {
	Limit   int           `default:"30" range:"0 1000000" help:"requests from which on the delay grows"`
	Factor  float64       `default:"1.05" range:"1 1000" help:"by which it grows for each 15 requests more"`
	Base    time.Duration `long:"baseDelay" default:"100ms" range:"0s 24h" help:"delay with few requests"`
	Listen  string        `value-name:"HOST:PORT" default:"127.0.0.1:8070" help:"where"`
	Backlog int           `default:"128" range:"1 1000000" help:"connections that wait while the server is stopped"`
	presence
}

func runServe(ctx context.Context, args []string) error {
	o := serveOptions{presence: presence{Every: time.Second}}
	ctx, cancel, err := o.start(ctx, newOptions("serve", &o), args, o.checkAddress)
	defer cancel()
	if err != nil {
		return err
	}
	return o.serve(ctx)
}

func (o *serveOptions) checkAddress() error {
	host, _, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return fmt.Errorf("invalid value %q for --listen: wanted HOST:PORT, such as 127.0.0.1:8070", o.Listen)
	}
	return o.checkHost("listen", host)
}

// serve answers each request to /api with OK after the delay that the number of requests in flight demands, until ctx
// is cancelled. A client that hangs up does not end its request.
func (o *serveOptions) serve(ctx context.Context) error {
	listener, err := listen(o.Listen, o.Backlog)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "http://%s/api; process %d\n", listener.Addr(), os.Getpid())
	slowdown := server.Slowdown{Limit: o.Limit, Factor: o.Factor, Per: 15, Every: 50 * time.Millisecond}
	var flight, last atomic.Int64 // how many there are, and the last delay
	mux := http.NewServeMux()
	mux.HandleFunc("/api", func(w http.ResponseWriter, _ *http.Request) {
		flight.Add(1)
		defer flight.Add(-1)
		for start, look := time.Now(), time.Tick(slowdown.Every); ; {
			select {
			case <-ctx.Done():
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			case <-look:
			}
			delay := slowdown.Delay(o.Base, int(flight.Load()))
			last.Store(int64(delay))
			if time.Since(start) > delay {
				_, _ = io.WriteString(w, "OK") // a client that has hung up does not want it
				return
			}
		}
	})
	web, ended := &http.Server{Handler: mux}, make(chan error, 1)
	go func() { ended <- web.Serve(listener) }()
	for report := time.Tick(o.Every); ; {
		select {
		case err := <-ended:
			return err
		case <-report:
			fmt.Printf("concurrency: %d, last delay: %v\n", flight.Load(), time.Duration(last.Load()))
		case <-ctx.Done(): // requests end by themselves; connections that send none are cut off
			closing, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			if web.Shutdown(closing) != nil {
				web.Close()
			}
			return nil
		}
	}
}

// listen opens a TCP port. backlog limits the connections that wait in the kernel while nobody accepts them: few ones,
// as in the days of the article, else a server that is stopped for long finds too many requests to ever recover.
func listen(address string, backlog int) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	raw, err := listener.(*net.TCPListener).SyscallConn()
	if err == nil {
		err = errors.Join(raw.Control(func(fd uintptr) { err = syscall.Listen(int(fd), backlog) }), err)
	}
	if err != nil {
		listener.Close()
		return nil, fmt.Errorf("cannot set the backlog of %s to %d: %w", address, backlog, err)
	}
	return listener, nil
}

// loadOptions are the options of `ftshsim load`.
type loadOptions struct {
	Clients     int           `default:"1000" range:"1 100000" help:"number of clients"`
	Lambda      float64       `default:"10" range:"0 86400" help:"mean of the exponentially distributed pauses,"`
	_           struct{}      `help:"in seconds"`
	Timeout     time.Duration `default:"2s" range:"1ms 24h" help:"after which a client hangs up"`
	Exponential bool          `long:"exponential-backoff" help:"wait exponentially after a failure:"`
	_           struct{}      `help:"100ms, then e times as long, at most 5m"`
	Simple      time.Duration `long:"simple-backoff-delay" default:"100ms" range:"1ms 24h" help:"wait so long"`
	_           struct{}      `help:"after a failure otherwise"`
	URL         string        `value-name:"URL" default:"http://127.0.0.1:8070/api" help:"the server"`
	Seed        uint64        `range:"0 18446744073709551615" help:"of pauses and waits"`
	presence
}

func runLoad(ctx context.Context, args []string) error {
	o := loadOptions{presence: presence{Every: 5 * time.Second}}
	ctx, cancel, err := o.start(ctx, newOptions("load", &o), args, o.checkURL)
	defer cancel()
	if err == nil {
		o.load(ctx)
	}
	return err
}

func (o *loadOptions) checkURL() error {
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "http" || u.Host == "" {
		return fmt.Errorf("invalid value %q for --url: wanted a URL such as http://127.0.0.1:8070/api", o.URL)
	}
	return o.checkHost("url", u.Hostname())
}

// load lets the clients work until ctx is cancelled. Each thinks and asks, and asks again until there is an answer: by
// the shell's retry loop.
func (o *loadOptions) load(ctx context.Context) {
	plan := backoff.Plan{Deadline: backoff.Never, Attempts: backoff.Unlimited,
		Backoff: backoff.Backoff{Policy: backoff.Fixed, Initial: o.Simple}}
	if o.Exponential {
		plan.Backoff = backoff.Backoff{Policy: backoff.Normal,
			Initial: 100 * time.Millisecond, Max: 5 * time.Minute, Factor: math.E}
	}
	web, clock := &http.Client{Transport: &http.Transport{}, Timeout: o.Timeout}, clock.New()
	defer clock.Close()
	var count requestCount
	var clients sync.WaitGroup
	for n := range o.Clients {
		clients.Go(func() {
			dice := rand.New(rand.NewPCG(o.Seed, uint64(n)))
			think := func() time.Duration { return time.Duration(dice.ExpFloat64() * o.Lambda * float64(time.Second)) }
			for backoff.Sleep(ctx, clock, clock.Now()+think()) == nil {
				backoff.Retry(ctx, clock, plan, dice, backoff.Hooks{}, func(ctx context.Context, _ int) backoff.Outcome {
					return backoff.Outcome{Err: count.ask(ctx, web, o.URL)}
				})
			}
		})
	}
	for report, last := time.Tick(o.Every), time.Now(); ctx.Err() == nil; {
		select {
		case <-ctx.Done():
		case now := <-report:
			rate := func(n *atomic.Int64) float64 { return float64(n.Swap(0)) / now.Sub(last).Seconds() }
			fmt.Printf("OK: %.2f req/sec, errors: %.2f req/sec, timedout: %.2f req/sec\n",
				rate(&count.ok), rate(&count.failed), rate(&count.late))
			last = now
		}
	}
	clients.Wait()
}

// requestCount counts requests by what became of them.
type requestCount struct{ ok, failed, late atomic.Int64 }

// ask makes one request and counts it; any other status than 200 is an error.
func (c *requestCount) ask(ctx context.Context, web *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := web.Do(request)
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if err == nil && response.StatusCode != http.StatusOK {
			err = errors.New(response.Status)
		}
	}
	switch {
	case ctx.Err() != nil: // all are to go home
	case err == nil:
		c.ok.Add(1)
	case errors.Is(err, context.DeadlineExceeded):
		c.late.Add(1)
	default:
		c.failed.Add(1)
	}
	return err
}
