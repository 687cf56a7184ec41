package live

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/testdata/write"
)

// notes holds what was printed; the tests pass time by waiting for a line.
type notes struct{ write.Text }

// await waits for a line that is as wanted, among those not read before.
func (n *notes) await(t *testing.T, what string, wanted func(line string) bool) {
	t.Helper()
	for limit := time.Now().Add(2 * time.Minute); time.Now().Before(limit); time.Sleep(time.Millisecond) {
		if line, whole := n.Line(); whole && wanted(line) {
			return
		}
	}
	t.Fatalf("never printed: %s", what)
}

// serving starts a server that is quick, and returns where; it ends with the
// test, and must leave no goroutine.
func serving(t *testing.T, out *notes) (url string, listener net.Listener) {
	t.Helper()
	before := runtime.NumGoroutine()
	listener, err := Listen("127.0.0.1:0", 128)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Base: 5 * time.Millisecond, Every: 10 * time.Millisecond, Out: out,
		Slowdown: server.Slowdown{Limit: 3, Factor: 2, Per: 1, Every: 2 * time.Millisecond}}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if n := s.flight.Load(); n != 0 {
			t.Errorf("%d requests outlive the server", n)
		}
		for limit := time.Now().Add(2 * time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Now().After(limit) {
				t.Fatalf("%d goroutines are left, there were %d", runtime.NumGoroutine(), before)
			}
		}
	})
	return fmt.Sprintf("http://%s/api", listener.Addr()), listener
}

// TestServerAndLoad lets both work against each other.
func TestServerAndLoad(t *testing.T) {
	var server, clients notes
	url, _ := serving(t, &server)
	load := &Load{URL: url, Clients: 3, Think: time.Millisecond, Timeout: 10 * time.Second, Every: 10 * time.Millisecond,
		Out: &clients}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { load.Run(ctx); close(done) }()
	clients.await(t, "some OK, and nothing else", func(line string) bool {
		return !strings.HasPrefix(line, "OK: 0.00 ") &&
			strings.HasSuffix(line, "req/sec, errors: 0.00 req/sec, timedout: 0.00 req/sec\n")
	})
	server.await(t, "concurrency: 0 to 3, last delay: 5ms", func(line string) bool {
		return strings.HasPrefix(line, "concurrency: ") && strings.HasSuffix(line, ", last delay: 5ms\n")
	})
	cancel()
	<-done
}

// TestHungUpRequestsStay holds that a request of which nobody waits any more
// goes on making all others slower.
func TestHungUpRequestsStay(t *testing.T) {
	var server, clients notes
	url, _ := serving(t, &server)
	load := &Load{URL: url, Clients: 40, Think: time.Millisecond, Timeout: 50 * time.Millisecond,
		Every: 10 * time.Millisecond, Out: &clients,
		Backoff: backoff.Backoff{Policy: backoff.Fixed, Initial: time.Millisecond}}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { load.Run(ctx); close(done) }()
	clients.await(t, "no OK, but some that timed out", func(line string) bool {
		return strings.HasPrefix(line, "OK: 0.00 ") && !strings.Contains(line, "timedout: 0.00")
	})
	server.await(t, "more requests than clients", func(line string) bool {
		var n int
		_, err := fmt.Sscanf(line, "concurrency: %d,", &n)
		return err == nil && n > load.Clients
	})
	cancel()
	<-done
}

// TestLoadCountsErrors holds that refused connections and other answers than
// 200 are errors, and are tried again.
func TestLoadCountsErrors(t *testing.T) {
	var out, clients notes
	url, _ := serving(t, &out)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := fmt.Sprintf("http://%s/api", free.Addr())
	free.Close()
	for _, url := range []string{nobody, strings.TrimSuffix(url, "api")} {
		load := &Load{URL: url, Clients: 2, Think: time.Millisecond, Timeout: 10 * time.Second,
			Every: 10 * time.Millisecond, Out: &clients,
			Backoff: backoff.Backoff{Policy: backoff.Fixed, Initial: time.Millisecond}}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { load.Run(ctx); close(done) }()
		clients.await(t, "errors", func(line string) bool {
			return strings.HasPrefix(line, "OK: 0.00 ") && !strings.Contains(line, "errors: 0.00")
		})
		cancel()
		<-done
	}
}

// TestServerEndsRequests holds that a server that is to end answers those that
// would wait for long.
func TestServerEndsRequests(t *testing.T) {
	listener, err := Listen("127.0.0.1:0", 128)
	if err != nil {
		t.Fatal(err)
	}
	var out notes
	s := &Server{Base: time.Hour, Every: time.Millisecond, Out: &out,
		Slowdown: server.Slowdown{Limit: 10, Factor: 2, Per: 1, Every: time.Millisecond}}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	answer := make(chan string, 1)
	go func() {
		web := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		response, err := web.Get(fmt.Sprintf("http://%s/api", listener.Addr()))
		if err != nil {
			answer <- err.Error()
			return
		}
		response.Body.Close()
		answer <- response.Status
	}()
	out.await(t, "a request", func(line string) bool { return strings.HasPrefix(line, "concurrency: 1, ") })
	cancel()
	if status := <-answer; status != "503 Service Unavailable" {
		t.Errorf("got %s, want 503", status)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
