// Package fit makes a SPEC for ftshsim of what really happened: of the JSON logs of shells,
// or of a server's access log in the common format.
//
//	logs → Read → Log: shells, and calls of servers → Spec → the text of a SPEC
//
// Calls go to the server whose host their words name; where none does, all programs call
// one server. What a server can do is found by asking models (servers with slots, with a delay
// that grows, without a limit) for the answers to the same calls, and by taking the one whose
// answers come nearest to the times of the real ones.
//
// # Invariants
//
//   - The same logs give the same SPEC.
//   - A line that is not understood is an error with its place; nothing is passed over.
//   - Times count from the first beginning in any of the logs.
package fit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ftsh/interp"
)

// Log holds the calls that were read.
type Log struct {
	shells []*shell
	calls  []call // by the time at which they began, once everything is read
	access bool   // it is a server's
	began  time.Time
	from   []string // the files
}

// shell is one that ran a script, or a host that asked a server.
type shell struct {
	began, ended time.Time
	over         bool // its end was seen
	failed       bool
}

// call is a program that was run, or a request.
type call struct {
	words   []string
	began   time.Time
	at      time.Duration // the same, from the beginning of the log
	took    time.Duration
	timed   bool // took is known
	outcome outcome
	status  int  // of what failed
	down    bool // it failed in an outage
	refused bool // it failed sooner than others succeed
}

type outcome uint8

const (
	good outcome = iota
	bad
	cut // its client gave it up
)

func (c *call) end() time.Duration { return c.at + c.took }

// Read adds a file. The error has its name and the line that is wrong.
func (l *Log) Read(name string, in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, math.MaxInt)
	var read func(line string, shells map[string]*shell) error
	shells := map[string]*shell{} // by process id, or by host
	for number := 1; lines.Scan(); number++ {
		text := strings.TrimSpace(lines.Text())
		switch {
		case text == "":
			continue
		case read != nil:
		case text[0] == '{':
			read = l.readEvent
		default:
			read = l.readRequest
		}
		if err := read(text, shells); err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if read == nil {
		return fmt.Errorf("%s: it is empty: "+
			"wanted a log that was written with --log-format json -l 30, or a server's access log", name)
	}
	l.from = append(l.from, name)
	return nil
}

// shellOf returns a shell of those that were seen, or a new one.
func (l *Log) shellOf(seen map[string]*shell, name string, began time.Time) *shell {
	if seen[name] == nil {
		seen[name] = &shell{began: began}
		l.shells = append(l.shells, seen[name])
	}
	return seen[name]
}

func (l *Log) readEvent(line string, shells map[string]*shell) error {
	var r struct {
		Time    time.Time
		Event   string
		Shell   int
		Command []string
		Status  int
		Failure string
		Elapsed float64
	}
	err := json.Unmarshal([]byte(line), &r)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return fmt.Errorf("this line is torn, or no JSON: %w", err)
	}
	if err != nil {
		return err
	}
	if r.Event == "" || r.Time.IsZero() {
		return errors.New("this is no event of a shell: wanted a line that was written with --log-format json")
	}
	took := asDuration(r.Elapsed)
	id := strconv.Itoa(r.Shell)
	if s := shells[id]; s != nil && (s.over || r.Event == "shell.start") {
		delete(shells, id)
	}
	s := l.shellOf(shells, id, r.Time.Add(-took))
	s.ended = r.Time
	switch r.Event {
	case "shell.end":
		s.over = true
		s.failed = s.failed || r.Status != 0
	case "script.failed":
		s.failed = true
	case "command.end", "command.failed":
		if len(r.Command) > 0 && !interp.IsBuiltin(r.Command[0]) && !slices.Contains(evaluated, path.Base(r.Command[0])) {
			c := call{words: r.Command, began: r.Time.Add(-took), took: took, timed: true, outcome: bad, status: r.Status}
			switch r.Failure {
			case "":
				c.outcome = good
			case "timeout", "cancelled":
				c.outcome = cut
			}
			l.calls = append(l.calls, c)
		}
	}
	return nil
}

// evaluated are programs that the simulator evaluates for itself.
var evaluated = []string{"test", "[", "expr", "true", "false"}

func asDuration(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// request is a line of an access log: the host, the time, the status, and the rest.
var request = regexp.MustCompile(`^(\S+) \S+ .*?\[([^\]]+)\] "(?:[^"\\]|\\.)*" (\d{3}) (?:\d+|-)(.*)$`)

// readRequest reads a line of a server's log in the common format, or the combined one, with the time that
// the request took at the end of its line, if it stands there.
func (l *Log) readRequest(line string, hosts map[string]*shell) error {
	match := request.FindStringSubmatch(line)
	if match == nil {
		return errors.New("this is neither an event of a shell (--log-format json) " +
			"nor a line of an access log in the common format, " +
			`such as 10.0.0.1 - - [21/Nov/2026:01:30:36 +0100] "GET /data HTTP/1.1" 200 512`)
	}
	when, err := time.Parse("02/Jan/2006:15:04:05 -0700", match[2])
	if err != nil {
		return fmt.Errorf("found the time [%s], wanted one such as [21/Nov/2026:01:30:36 +0100]", match[2])
	}
	c := call{words: []string{"request"}, began: when}
	switch status := match[3]; {
	case status >= "500" || status == "429":
		c.outcome, c.status = bad, 22 // as curl --fail ends
	case status == "499": // nginx: the client has hung up
		c.outcome = cut
	}
	c.readTime(match[4])
	s := l.shellOf(hosts, match[1], c.began)
	if ended := c.began.Add(c.took); ended.After(s.ended) {
		s.ended = ended
	}
	l.access = true
	l.calls = append(l.calls, c)
	return nil
}

// readTime reads the time at the end of a line: whole microseconds, as Apache writes them (%D),
// or seconds with a point, as nginx does ($request_time). Apache dates a line when the request came,
// nginx when it had ended.
func (c *call) readTime(rest string) {
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return
	}
	last := fields[len(fields)-1]
	if n, err := strconv.ParseUint(last, 10, 32); err == nil {
		c.took, c.timed = time.Duration(n)*time.Microsecond, true
	} else if s, err := strconv.ParseFloat(last, 64); err == nil && s >= 0 && s <= 1e6 {
		c.took, c.timed = asDuration(s), true
		c.began = c.began.Add(-c.took)
	}
}

// sortCalls brings the calls into the order in which they began, and counts their times from the first beginning.
func (l *Log) sortCalls() {
	if l.access {
		spreadSeconds(l.calls)
	}
	slices.SortStableFunc(l.calls, func(a, b call) int { return a.began.Compare(b.began) })
	l.began = slices.MinFunc(l.shells, func(a, b *shell) int { return a.began.Compare(b.began) }).began
	for i := range l.calls {
		l.calls[i].at = l.calls[i].began.Sub(l.began)
	}
}

// spreadSeconds gives requests of the same second each a part of it: the times of an access log
// have no fractions.
func spreadSeconds(calls []call) {
	all, before := map[int64]time.Duration{}, map[int64]time.Duration{}
	for _, c := range calls {
		all[c.began.Unix()]++
	}
	for i := range calls {
		second := calls[i].began.Unix()
		calls[i].began = calls[i].began.Add(before[second] * time.Second / all[second])
		before[second]++
	}
}
