package trace

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"time"
)

// openSink opens what a target names.
func openSink(target string) (sink, error) {
	if !strings.Contains(target, "://") {
		return openFile(target)
	}
	return newCollector(target)
}

// file is a file to whose end each message is written as a line.
type file struct{ *os.File }

func openFile(name string) (sink, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("cannot open trace %s: %w", name, path.Err)
	}
	return file{f}, err
}

func (f file) send(message []byte, until time.Time) error {
	_ = f.SetWriteDeadline(until) // a pipe may have one
	_, err := f.Write(message)
	return err
}

func (f file) close() error { return f.Close() }

// collector takes messages over HTTP/1.1, each on a connection of its own.
type collector struct {
	address, host, path string
}

// newCollector reads a URL, of which only a host and a path make sense here.
func newCollector(target string) (sink, error) {
	scheme, rest, _ := strings.Cut(target, "://")
	host, path, found := strings.Cut(rest, "/")
	switch {
	case scheme != "http":
		return nil, fmt.Errorf("trace %q: only http is spoken here: send to a collector on this machine, which speaks %s",
			target, scheme)
	case host == "" || strings.ContainsAny(rest, " @?#\r\n"):
		return nil, fmt.Errorf("trace %q: wanted a URL such as http://localhost:4318, or a file", target)
	case !found || path == "":
		path = "v1/traces"
	}
	c := &collector{address: host, host: host, path: "/" + path}
	if _, _, err := net.SplitHostPort(host); err != nil {
		c.address = net.JoinHostPort(strings.Trim(host, "[]"), "80")
	}
	return c, nil
}

func (c *collector) send(message []byte, until time.Time) error {
	ctx, cancel := context.WithDeadline(context.Background(), until)
	defer cancel()
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", c.address)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close() }()
	if err := connection.SetDeadline(until); err != nil {
		return err
	}
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: ftsh\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\nConnection: close\r\n\r\n",
		c.path, c.host, len(message))
	if _, err := connection.Write(append([]byte(head), message...)); err != nil {
		return err
	}
	return readAnswer(bufio.NewReader(connection))
}

// readAnswer reads the first line of an answer. What follows does not matter.
func readAnswer(r *bufio.Reader) error {
	line, err := r.ReadString('\n')
	if err != nil {
		return fmt.Errorf("the collector did not answer: %w", err)
	}
	version, code, _ := strings.Cut(strings.TrimSpace(line), " ")
	if !strings.HasPrefix(version, "HTTP/") || !strings.HasPrefix(code, "2") {
		return fmt.Errorf("the collector said %q", strings.TrimSpace(line))
	}
	return nil
}

func (c *collector) close() error { return nil }
