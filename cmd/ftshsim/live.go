package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/url"
	"os"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/herd/experiment"
	"ftsh/backoff/herd/live"
	"ftsh/backoff/herd/server"
)

const (
	serveUsage = `ftshsim serve: smira's HTTP server, for real

It answers requests to /api, the later the more of them it has, and says each
second how many these are. Stop it for half a minute while ftshsim load runs:

  ftshsim serve &
  ftshsim load --exponential-backoff    # and without
  kill -STOP %1; sleep 30; kill -CONT %1

Ctrl-C ends it.

`
	loadUsage = `ftshsim load: smira's HTTP clients, for real

Each thinks, asks, hangs up when there is no answer in time, and asks again:
after a fixed time, or with exponential backoff. Every 5 s a line tells how that
goes. Ctrl-C ends it.

`
	longest = 24 * time.Hour
)

// presence is what both commands can be told.
type presence struct {
	anywhere   bool
	lasts      time.Duration
	reportEach time.Duration
}

func (p *presence) add(to *options) {
	to.add("", "for", "end after that time; 0: at a signal", experiment.Time(&p.lasts, 0, longest))
	to.add("", "every", "time between lines", experiment.Time(&p.reportEach, 10*time.Millisecond, longest))
	to.add("", "anywhere", "other machines are allowed, too", experiment.Yes(&p.anywhere))
}

// limited ends the context when the time is over.
func (p *presence) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if p.lasts == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, p.lasts)
}

// allows refuses hosts other than this one, unless it was told not to.
func (p *presence) allows(option, host string) error {
	if ip := net.ParseIP(host); p.anywhere || host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("invalid value for --%s: wanted this machine, such as 127.0.0.1, not %q; --anywhere allows others", option, host)
}

// runServe is the server.
func runServe(ctx context.Context, args []string) int {
	s := &live.Server{Base: 100 * time.Millisecond, Slowdown: server.Slowdown{Limit: 30, Factor: 1.05, Per: 15, Every: 50 * time.Millisecond}, Out: os.Stdout}
	p := presence{reportEach: time.Second}
	address, backlog := "127.0.0.1:8070", 128
	known := newOptions("ftshsim serve")
	known.add("", "limit", "requests from which on the delay grows", experiment.Whole(&s.Slowdown.Limit, 0, 1_000_000))
	known.add("", "factor", "by which it grows for each 15 requests more", experiment.Real(&s.Slowdown.Factor, 1, 1000))
	known.add("", "baseDelay", "delay with few requests", experiment.Time(&s.Base, 0, longest))
	known.add("", "listen", "where", experiment.Text(&address, "HOST:PORT"))
	known.add("", "backlog", "connections that wait while the server is stopped", experiment.Whole(&backlog, 1, 1_000_000))
	p.add(known)
	rest, err := known.parse(args)
	switch {
	case errors.Is(err, errHelp):
		fmt.Print(serveUsage + known.help())
		return statusSuccess
	case err == nil && len(rest) > 0:
		err = fmt.Errorf("serve takes no arguments, but got %q", rest)
	}
	if err == nil {
		err = p.allowsAddress(address)
	}
	if err != nil {
		return known.complain(err)
	}
	s.Every = p.reportEach
	return serve(ctx, s, &p, address, backlog)
}

// allowsAddress checks what serve is to listen on.
func (p *presence) allowsAddress(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("invalid value %q for --listen: wanted HOST:PORT, such as 127.0.0.1:8070", address)
	}
	return p.allows("listen", host)
}

// serve runs a server until it is to end.
func serve(ctx context.Context, s *live.Server, p *presence, address string, backlog int) int {
	listener, err := live.Listen(address, backlog)
	if err == nil {
		fmt.Fprintf(os.Stderr, "http://%s/api; process %d\n", listener.Addr(), os.Getpid())
		ctx, cancel := p.limited(ctx)
		defer cancel()
		err = s.Serve(ctx, listener)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ftshsim:", err)
		return statusFailed
	}
	return statusSuccess
}

// runLoad is the clients.
func runLoad(ctx context.Context, args []string) int {
	l := &live.Load{URL: "http://127.0.0.1:8070/api", Clients: 1000, Timeout: 2 * time.Second, Out: os.Stdout}
	p := presence{reportEach: 5 * time.Second}
	lambda, exponential, simple := 10.0, false, 100*time.Millisecond
	known := newOptions("ftshsim load")
	known.add("", "clients", "number of clients", experiment.Whole(&l.Clients, 1, 100_000))
	known.add("", "lambda", "mean of the exponentially distributed pauses, in seconds", experiment.Real(&lambda, 0, 86400))
	known.add("", "timeout", "after which a client hangs up", experiment.Time(&l.Timeout, time.Millisecond, longest))
	known.add("", "exponential-backoff", "wait exponentially after a failure: 100ms, then e times as long, at most 5m", experiment.Yes(&exponential))
	known.add("", "simple-backoff-delay", "wait so long after a failure otherwise", experiment.Time(&simple, time.Millisecond, longest))
	known.add("", "url", "the server", experiment.Text(&l.URL, "URL"))
	known.add("", "seed", "of pauses and waits", experiment.Seed(&l.Seed))
	p.add(known)
	rest, err := known.parse(args)
	switch {
	case errors.Is(err, errHelp):
		fmt.Print(loadUsage + known.help())
		return statusSuccess
	case err == nil && len(rest) > 0:
		err = fmt.Errorf("load takes no arguments, but got %q", rest)
	}
	if err == nil {
		err = p.allowsURL(l.URL)
	}
	if err != nil {
		return known.complain(err)
	}
	l.Every, l.Think = p.reportEach, time.Duration(lambda*float64(time.Second))
	l.Backoff = backoff.Backoff{Policy: backoff.Fixed, Initial: simple}
	if exponential {
		l.Backoff = backoff.Backoff{Policy: backoff.Normal, Initial: 100 * time.Millisecond, Max: 5 * time.Minute, Factor: math.E}
	}
	ctx, cancel := p.limited(ctx)
	defer cancel()
	l.Run(ctx)
	return statusSuccess
}

// allowsURL checks where load is to send requests.
func (p *presence) allowsURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" || u.Host == "" {
		return fmt.Errorf("invalid value %q for --url: wanted a URL such as http://127.0.0.1:8070/api", text)
	}
	return p.allows("url", u.Hostname())
}
