package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"ftsh/cmd/ftshsim/herd/server"
)

// Server answers each request to /api with OK after the delay that the number
// of requests in flight demands. A client that hangs up does not end its
// request. All fields must be set before Serve.
type Server struct {
	Base     time.Duration // the delay with few requests
	Slowdown server.Slowdown
	Every    time.Duration // between lines of the report, more than 0
	Out      io.Writer     // where they go

	flight atomic.Int64
	last   atomic.Int64 // the last delay
}

// Listen opens a TCP port. backlog limits the connections that wait in the kernel
// while nobody accepts them: few ones, as in the days of the article, else
// a server that is stopped for long finds too many requests to ever recover.
func Listen(address string, backlog int) (net.Listener, error) {
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

// Serve serves until ctx is cancelled, and closes the listener. When it returns
// no request is being served any more.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	mux := http.NewServeMux()
	mux.HandleFunc("/api", func(w http.ResponseWriter, _ *http.Request) { s.answerRequest(ctx, w) })
	web := &http.Server{Handler: mux}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(listener) }()
	report := time.NewTicker(s.Every)
	defer report.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case <-report.C:
			fmt.Fprintf(s.Out, "concurrency: %d, last delay: %v\n", s.flight.Load(), time.Duration(s.last.Load()))
		case <-ctx.Done():
			s.closeGently(web)
			<-ended
			return nil
		}
	}
}

// closeGently lets requests end, which know that they are to, and then cuts off
// connections that send none.
func (s *Server) closeGently(web *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if web.Shutdown(ctx) != nil {
		web.Close()
	}
}

// answerRequest is one request.
func (s *Server) answerRequest(ctx context.Context, w http.ResponseWriter) {
	s.flight.Add(1)
	defer s.flight.Add(-1)
	start := time.Now()
	look := time.NewTicker(s.Slowdown.Every)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		case <-look.C:
		}
		delay := s.Slowdown.Delay(s.Base, int(s.flight.Load()))
		s.last.Store(int64(delay))
		if time.Since(start) > delay {
			_, _ = io.WriteString(w, "OK") // a client that has hung up does not want it
			return
		}
	}
}
