package expand

import (
	"strings"
	"testing"
	"time"
)

// What a server answers is not ours: whatever it is, a field is found as a line
// says it, and a time is never negative.
func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{
		"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 120\r\n\r\n",
		"HTTP/1.1 302 Found\r\nRetry-After: 5\r\n\r\nHTTP/1.1 200 OK\r\nServer: x\r\n\r\n",
		"retry-after:Fri, 31 Dec 1999 23:59:59 GMT\n",
		"Retry-After: soon\nRetry-After : 7\n",
		"Retry-After:\r\n 7",
		": \x00\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, headers string) {
		value, found := RetryAfterField(headers)
		if !found && value != "" || strings.ContainsAny(value, "\n") || strings.TrimSpace(value) != value {
			t.Fatalf("%q, %v", value, found)
		}
		if found && !strings.Contains(headers, value) {
			t.Fatalf("%q does not stand in the headers", value)
		}
		if wait, err := ParseRetryAfter(value, time.Now()); err == nil && (wait < 0 || value == "") {
			t.Fatalf("%q means %v", value, wait)
		}
	})
}
