package fit

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// access reads a server's log in the common format, or the combined one, with the time that
// each request took at the end of its line, if it stands there.
type access struct {
	log     *Log
	clients map[string]*shell
}

// request is a line of the log: the host, the time, the request, the status, and the rest.
var request = regexp.MustCompile(`^(\S+) \S+ .*?\[([^\]]+)\] "((?:[^"\\]|\\.)*)" (\d{3}) (?:\d+|-)(.*)$`)

// readLine takes one line.
func (a *access) readLine(text string) error {
	match := request.FindStringSubmatch(text)
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
	if c.status, _ = strconv.Atoi(match[4]); c.status >= 500 || c.status == 429 {
		c.outcome = bad
	}
	if c.status == 499 { // nginx: the client has hung up
		c.outcome = cut
	}
	c.took, c.timed = c.readDuration(match[5])
	a.addRequest(match[1], c)
	return nil
}

// addRequest adds a request of a host.
func (a *access) addRequest(host string, c call) {
	s := a.clients[host]
	if s == nil {
		s = &shell{began: c.began}
		a.clients[host] = s
		a.log.shells = append(a.log.shells, s)
	}
	if ended := c.began.Add(c.took); ended.After(s.ended) {
		s.ended = ended
	}
	a.log.access = true
	a.log.calls = append(a.log.calls, c)
}

// readDuration is the time at the end of a line: whole microseconds, as Apache writes them (%D),
// or seconds with a point, as nginx does ($request_time). The time at which Apache dates a line
// is when the request came, that of nginx when it had ended.
func (c *call) readDuration(rest string) (d time.Duration, known bool) {
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0, false
	}
	last := fields[len(fields)-1]
	if n, err := strconv.ParseUint(last, 10, 32); err == nil {
		return time.Duration(n) * time.Microsecond, true
	}
	s, err := strconv.ParseFloat(last, 64)
	if err != nil || s < 0 || s > 1e6 {
		return 0, false
	}
	c.began = c.began.Add(-asDuration(s))
	return asDuration(s), true
}
