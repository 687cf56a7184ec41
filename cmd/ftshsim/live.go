package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net"
	"net/url"
	"os"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd/live"
	"ftsh/cmd/ftshsim/herd/server"
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
)

// presence holds what both commands can be told.
type presence struct {
	Lasts    time.Duration `long:"for" range:"0s 24h" help:"end after that time; 0: at a signal"`
	Every    time.Duration `range:"10ms 24h" help:"time between lines"`
	Anywhere bool          `help:"other machines are allowed, too"`
}

// withTimeLimit ends the context when the time is over.
func (p *presence) withTimeLimit(ctx context.Context) (context.Context, context.CancelFunc) {
	if p.Lasts == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, p.Lasts)
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

// runServe is the server.
func runServe(ctx context.Context, args []string) int {
	o := serveOptions{presence: presence{Every: time.Second}}
	known := newOptions("ftshsim serve", &o)
	_, status, goOn := known.readCommandLine(args, serveUsage, func(rest []string) error {
		return cmp.Or(known.checkNoArguments(rest), o.allowsAddress(o.Listen))
	})
	if !goOn {
		return status
	}
	return runServer(ctx, &o)
}

// allowsAddress checks what serve is to listen on.
func (p *presence) allowsAddress(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("invalid value %q for --listen: wanted HOST:PORT, such as 127.0.0.1:8070", address)
	}
	return p.checkHost("listen", host)
}

// runServer runs a server until it is to end.
func runServer(ctx context.Context, o *serveOptions) int {
	s := &live.Server{
		Base: o.Base, Slowdown: server.Slowdown{Limit: o.Limit, Factor: o.Factor, Per: 15, Every: 50 * time.Millisecond},
		Every: o.Every, Out: os.Stdout,
	}
	listener, err := live.Listen(o.Listen, o.Backlog)
	if err == nil {
		fmt.Fprintf(os.Stderr, "http://%s/api; process %d\n", listener.Addr(), os.Getpid())
		ctx, cancel := o.withTimeLimit(ctx)
		defer cancel()
		err = s.Serve(ctx, listener)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ftshsim:", err)
		return statusFailed
	}
	return statusSuccess
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

// runLoad is the clients.
func runLoad(ctx context.Context, args []string) int {
	o := loadOptions{presence: presence{Every: 5 * time.Second}}
	known := newOptions("ftshsim load", &o)
	_, status, goOn := known.readCommandLine(args, loadUsage, func(rest []string) error {
		return cmp.Or(known.checkNoArguments(rest), o.allowsURL(o.URL))
	})
	if !goOn {
		return status
	}
	l := &live.Load{
		URL: o.URL, Clients: o.Clients, Think: time.Duration(o.Lambda * float64(time.Second)), Timeout: o.Timeout,
		Backoff: backoff.Backoff{Policy: backoff.Fixed, Initial: o.Simple}, Seed: o.Seed, Every: o.Every, Out: os.Stdout,
	}
	if o.Exponential {
		l.Backoff = backoff.Backoff{Policy: backoff.Normal,
			Initial: 100 * time.Millisecond, Max: 5 * time.Minute, Factor: math.E}
	}
	ctx, cancel := o.withTimeLimit(ctx)
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
	return p.checkHost("url", u.Hostname())
}
