package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// request holds one question to a server.
type request struct {
	at     time.Time
	header http.Header
}

// answer says how a server treats one request.
type answer func(w http.ResponseWriter, r *http.Request)

// server fails on purpose: each path has a list of answers, given in turn. The last one stays.
type server struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string][]answer
	asked   map[string][]request
}

// serve starts a server on loopback.
func serve(t *testing.T, answers map[string][]answer) *server {
	s := &server{answers: answers, asked: map[string][]request{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	list, n := s.answers[r.URL.Path], len(s.asked[r.URL.Path])
	s.asked[r.URL.Path] = append(s.asked[r.URL.Path], request{time.Now(), r.Header})
	s.mu.Unlock()
	if len(list) == 0 {
		http.NotFound(w, r)
		return
	}
	list[min(n, len(list)-1)](w, r)
}

// requests are those for a path so far.
func (s *server) requests(path string) []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
}

// count wants a path to have been asked for so many times.
func (s *server) count(t *testing.T, path string, want int) {
	t.Helper()
	if got := len(s.requests(path)); got != want {
		t.Errorf("%s was asked for %d times, want %d", path, got, want)
	}
}

// text answers with a body, or with the part of it that was asked for.
func text(body string) answer {
	return func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(body))
	}
}

// refuse answers with a status, and with fields such as "Retry-After: 1".
func refuse(status int, fields ...string) answer {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, field := range fields {
			name, value, _ := strings.Cut(field, ": ")
			w.Header().Set(name, value)
		}
		http.Error(w, http.StatusText(status), status)
	}
}

// truncated promises a whole body, sends a part, and hangs up.
func truncated(body string, part int) answer {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		fmt.Fprint(w, body[:part])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// reset resets the connection.
func reset(w http.ResponseWriter, _ *http.Request) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_ = connection.(*net.TCPConn).SetLinger(0) // closing sends RST then
	_ = connection.Close()
}

// silent never answers, until the client goes away.
func silent(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// signpost is a named pipe through which a script tells the test how far it is.
type signpost struct {
	path string
	file *os.File
}

// signpost makes a named pipe in the directory of stand-ins.
func (s *scene) signpost(name string) *signpost {
	s.Helper()
	path := s.away + "/" + name
	s.must(syscall.Mkfifo(path, 0o600))
	file, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	s.must(err)
	s.Cleanup(func() { _ = file.Close() })
	return &signpost{path, file}
}

// reached waits until somebody has written to the pipe.
func (p *signpost) reached(s *scene) {
	s.Helper()
	s.must(p.file.SetReadDeadline(time.Now().Add(patience)))
	_, err := p.file.Read(make([]byte, 1))
	s.must(err)
}
