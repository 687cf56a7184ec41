package main

import (
	"bufio"
	"fmt"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// program is one that runs, and the lines that it prints.
type program struct {
	*exec.Cmd
	out, err *bufio.Scanner
}

// started starts ftshsim; it is gone when the test ends.
func started(t *testing.T, args ...string) *program {
	t.Helper()
	p := &program{Cmd: exec.Command("ftshsim", args...)}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	complaints, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	p.out, p.err = bufio.NewScanner(out), bufio.NewScanner(complaints)
	return p
}

// await reads lines until one is as wanted. A test that waits in vain ends by
// its time limit.
func await(t *testing.T, lines *bufio.Scanner, what string, wanted func(line string) bool) string {
	t.Helper()
	for lines.Scan() {
		if wanted(lines.Text()) {
			return lines.Text()
		}
	}
	t.Fatalf("never printed: %s", what)
	return ""
}

// end tells a program to end, and checks that it does so in peace.
func (p *program) end(t *testing.T, signal syscall.Signal) {
	t.Helper()
	if err := p.Process.Signal(signal); err != nil {
		t.Error(err)
	}
	for p.out.Scan() {
	}
	for p.err.Scan() {
		t.Errorf("standard error: %s", p.err.Text())
	}
	if err := p.Wait(); err != nil {
		t.Errorf("%v: %v", p.Args, err)
	}
}

// TestServeAndLoad is the article's experiment: the server is stopped, and goes
// on.
func TestServeAndLoad(t *testing.T) {
	serve := started(t, "serve", "--listen", "127.0.0.1:0", "--every", "20ms")
	url, _, _ := strings.Cut(await(t, serve.err, "where it listens", func(string) bool { return true }), ";")
	load := started(t, "load", "--url", url, "--clients", "20", "--lambda", "0.2", "--timeout", "500ms", "--every",
		"100ms", "--exponential-backoff")
	works := func(line string) bool { return strings.HasPrefix(line, "OK: ") && !strings.HasPrefix(line, "OK: 0.00") }
	await(t, load.out, "OK", works)
	await(t, serve.out, "requests", func(line string) bool {
		return strings.HasPrefix(line, "concurrency: ") && !strings.HasPrefix(line, "concurrency: 0,") &&
			strings.Contains(line, ", last delay: ")
	})
	if err := serve.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	await(t, load.out, "nothing but timeouts", func(line string) bool {
		return strings.HasPrefix(line, "OK: 0.00 ") && !strings.HasSuffix(line, "timedout: 0.00 req/sec")
	})
	if err := serve.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	await(t, load.out, "OK again", works)
	load.end(t, syscall.SIGTERM)
	serve.end(t, syscall.SIGINT)
}

// TestServeAndLoadEnd holds that both end by themselves, and that there is
// nobody at the port then.
func TestServeAndLoadEnd(t *testing.T) {
	serve := started(t, "serve", "--listen", "127.0.0.1:0", "--for", "300ms")
	url, _, _ := strings.Cut(await(t, serve.err, "where it listens", func(string) bool { return true }), ";")
	if err := serve.Wait(); err != nil {
		t.Error(err)
	}
	out, err := exec.Command("ftshsim", "load", "--url", url, "--clients", "2", "--lambda", "0", "--for", "300ms",
		"--every", "100ms").Output()
	reached, refused := regexp.MustCompile(`OK: [^,]*[1-9]`), regexp.MustCompile(`errors: [^,]*[1-9]`)
	if err != nil || reached.Match(out) || !refused.Match(out) {
		t.Errorf("%v, %s; want errors and nothing else", err, out)
	}
	taken := started(t, "serve", "--listen", "127.0.0.1:0")
	address, _, _ := strings.Cut(await(t, taken.err, "where it listens", func(string) bool { return true }), "/api;")
	second := exec.Command("ftshsim", "serve", "--listen", strings.TrimPrefix(address, "http://"))
	if out, err := second.CombinedOutput(); err == nil || !strings.Contains(string(out), "address already in use") {
		t.Errorf("%v, %s; want a complaint that the port is taken", err, out)
	}
	taken.end(t, syscall.SIGTERM)
}

// TestHungUpRequestsStay holds that a request of which nobody waits any more goes on making all others slower, and
// that a server that is to end answers those that would wait for long.
func TestHungUpRequestsStay(t *testing.T) {
	serve := started(t, "serve", "--listen", "127.0.0.1:0", "--every", "20ms", "--limit", "0", "--baseDelay", "1h")
	url, _, _ := strings.Cut(await(t, serve.err, "where it listens", func(string) bool { return true }), ";")
	load := started(t, "load", "--url", url, "--clients", "5", "--lambda", "0", "--timeout", "50ms", "--every", "20ms",
		"--simple-backoff-delay", "1ms")
	concurrency := func(line string) (n int) {
		_, _ = fmt.Sscanf(line, "concurrency: %d,", &n) // 0: it tells of something else
		return n
	}
	await(t, serve.out, "more requests than clients", func(line string) bool { return concurrency(line) > 10 })
	load.end(t, syscall.SIGTERM)
	stay := 0
	await(t, serve.out, "the last of them", func(line string) bool {
		before := stay
		stay = concurrency(line)
		return stay > 0 && stay == before
	})
	answer := make(chan string, 1)
	go func() {
		response, err := http.Get(url)
		if err != nil {
			answer <- err.Error()
			return
		}
		response.Body.Close()
		answer <- response.Status
	}()
	await(t, serve.out, "a request more", func(line string) bool { return concurrency(line) > stay })
	serve.end(t, syscall.SIGINT)
	if status := <-answer; status != "503 Service Unavailable" {
		t.Errorf("got %s, want 503", status)
	}
}
