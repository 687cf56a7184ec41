package trace

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ftsh/interp/event"
)

// collected holds what a stand-in collector has received: messages with no other
// fields than those of OTLP.
type collected struct {
	mu    sync.Mutex
	spans []*span
}

// take reads a message strictly.
func (c *collected) take(t *testing.T, text string) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	var m message
	if err := decoder.Decode(&m); err != nil {
		t.Errorf("%v in %s", err, text)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range m.Resources {
		for _, s := range r.Scopes {
			c.spans = append(c.spans, s.Spans...)
		}
	}
}

// tree is the spans as lines, nested by blanks, children in the order in which they began.
func (c *collected) tree() string {
	slices.SortStableFunc(c.spans, func(a, b *span) int { return strings.Compare(a.Start, b.Start) })
	var out strings.Builder
	var show func(parent, indent string)
	show = func(parent, indent string) {
		for _, s := range c.spans {
			if s.ParentSpanID != parent {
				continue
			}
			mark := ""
			if s.Status.Code == codeError {
				mark = " !"
			}
			out.WriteString(indent + s.Name + mark + "\n")
			show(s.SpanID, indent+"  ")
		}
	}
	show("", "")
	return out.String()
}

// script is a try with two attempts, and a forall with two branches.
var script = []event.Event{
	{Kind: event.ShellStart, Command: []string{"/x/nightly.ftsh"}},
	{Kind: event.TryStart, ID: 1},
	{Kind: event.TryAttempt, ID: 1, Attempt: 1},
	{Kind: event.CommandStart, ID: 2, Parent: 1, Command: []string{"curl", "-f"}},
	{Kind: event.CommandFailed, ID: 2, Parent: 1, Command: []string{"curl", "-f"}, Status: 22, Failure: "exit",
		Message: "ended with status 22"},
	{Kind: event.TryWait, ID: 1, Attempt: 1, Wait: time.Second, Failure: "exit"},
	{Kind: event.TryAttempt, ID: 1, Attempt: 2},
	{Kind: event.CommandStart, ID: 3, Parent: 1, Command: []string{"curl", "-f"}},
	{Kind: event.CommandEnd, ID: 3, Parent: 1, Command: []string{"curl", "-f"}},
	{Kind: event.TryEnd, ID: 1, Attempt: 2},
	{Kind: event.ForallStart, ID: 4, Name: "x"},
	{Kind: event.ForallBranch, ID: 4, Branch: 1, Name: "x", Value: "a"},
	{Kind: event.ForallBranch, ID: 4, Branch: 2, Name: "x", Value: "b"},
	{Kind: event.CommandStart, ID: 5, Parent: 4, Branch: 2, Command: []string{"two"}},
	{Kind: event.CommandStart, ID: 6, Parent: 4, Branch: 1, Command: []string{"one"}},
	{Kind: event.CommandEnd, ID: 6, Parent: 4, Branch: 1, Command: []string{"one"}},
	{Kind: event.BranchEnd, ID: 4, Branch: 1, Name: "x", Value: "a"},
	{Kind: event.CommandFailed, ID: 5, Parent: 4, Branch: 2, Command: []string{"two"}, Failure: "exit"},
	{Kind: event.BranchFailed, ID: 4, Branch: 2, Name: "x", Value: "b", Failure: "exit"},
	{Kind: event.ForallFailed, ID: 4, Name: "x", Failure: "exit"},
	{Kind: event.ShellEnd, Status: 1},
}

const scriptTree = `nightly.ftsh !
  try
    attempt 1 !
      curl !
    wait
    attempt 2
      curl
  forall x !
    x=a
      one
    x=b !
      two !
`

func observe(tracer *Tracer, events []event.Event) {
	for _, e := range events {
		tracer.Observe(e)
	}
}

func TestFile(t *testing.T) {
	path := t.TempDir() + "/trace.json"
	tracer, err := Open(Config{Target: path, Version: "8"})
	if err != nil {
		t.Fatal(err)
	}
	observe(tracer, script)
	if lost, err := tracer.Close(); lost != 0 || err != nil {
		t.Fatal(lost, err)
	}
	var c collected
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		c.take(t, line)
	}
	if got := c.tree(); got != scriptTree {
		t.Errorf("%s\nwant\n%s", got, scriptTree)
	}
}

// TestCollector sends to a server that wants what a collector wants.
func TestCollector(t *testing.T) {
	var c collected
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "POST" || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		var text json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&text); err != nil {
			t.Error(err)
		}
		c.take(t, string(text))
	}))
	defer server.Close()
	tracer, err := Open(Config{Target: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	observe(tracer, script)
	if lost, err := tracer.Close(); lost != 0 || err != nil {
		t.Fatal(lost, err)
	}
	if got := c.tree(); got != scriptTree {
		t.Errorf("%s\nwant\n%s", got, scriptTree)
	}
}

// TestFields checks the form of ids, times and attributes.
func TestFields(t *testing.T) {
	path := t.TempDir() + "/trace.json"
	tracer, err := Open(Config{Target: path})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("é", 1000) + "\xff"
	observe(tracer, []event.Event{
		{Kind: event.ShellStart, Command: []string{"x"}},
		{Kind: event.CommandStart, ID: 1, Command: []string{"a\"b", long}},
	})
	if _, err := tracer.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{
		`"traceId":"[0-9a-f]{32}"`, `"spanId":"[0-9a-f]{16}"`, `"parentSpanId":"[0-9a-f]{16}"`, `"kind":1,`,
		`"startTimeUnixNano":"\d{19}"`, `"endTimeUnixNano":"\d{19}"`, `"status":\{\}`,
		`\{"resourceSpans":\[\{"resource":\{"attributes":\[\{"key":"service.name","value":\{"stringValue":"ftsh"\}\}\]\},`,
		`"scopeSpans":\[\{"scope":`,
		`\{"key":"process.command_args","value":\{"arrayValue":\{"values":\[\{"stringValue":"a\\"b"\},` +
			`\{"stringValue":"é{512}…"\}\]\}\}\}`,
	} {
		if !regexp.MustCompile(pattern).Match(text) {
			t.Errorf("%s is not in %s", pattern, text)
		}
	}
}

// TestParent checks TRACEPARENT as it is read and as it is handed on.
func TestParent(t *testing.T) {
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for _, c := range []struct {
		name, given   string
		same, sampled bool
	}{
		{"recorded", "00-" + trace + "-" + parent + "-01", true, true},
		{"not recorded", "00-" + trace + "-" + parent + "-00", true, false},
		{"a later version", "cc-" + trace + "-" + parent + "-01-more", true, true},
		{"none", "", false, true},
		{"no version", "ff-" + trace + "-" + parent + "-01", false, true},
		{"no trace", "00-" + strings.Repeat("0", 32) + "-" + parent + "-01", false, true},
		{"too much for this version", "00-" + trace + "-" + parent + "-01-more", false, true},
		{"capitals", "00-" + strings.ToUpper(trace) + "-" + parent + "-01", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := t.TempDir() + "/trace"
			tracer, err := Open(Config{Target: path, Parent: c.given})
			if err != nil {
				t.Fatal(err)
			}
			observe(tracer, script[:4])
			told := tracer.Environ([]string{"A=b", "TRACEPARENT=old"}, 2)
			form := regexp.MustCompile(`^TRACEPARENT=00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$`)
			if len(told) != 2 || told[0] != "A=b" || !form.MatchString(told[1]) || strings.Contains(told[1], parent) ||
				strings.Contains(told[1], trace) != c.same || strings.HasSuffix(told[1], "-01") != c.sampled {
				t.Errorf("told %q", told)
			}
			if _, err := tracer.Close(); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			recorded, child := len(text) > 0, strings.Contains(string(text), `"parentSpanId":"`+parent+`"`)
			if recorded != c.sampled || recorded && child != c.same {
				t.Errorf("recorded: %s", text)
			}
		})
	}
}

// TestTargets checks what is refused before a script runs.
func TestTargets(t *testing.T) {
	for target, want := range map[string]string{
		"https://collector.example.org": "only http is spoken here",
		"ftp://x":                       "only http is spoken here",
		"http://":                       "wanted a URL",
		"http://user@host":              "wanted a URL",
		"/no/such/folder/trace":         "no such file",
	} {
		if _, err := Open(Config{Target: target}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", target, err, want)
		}
	}
}

// TestDeafCollector checks that a collector which takes connections but never answers
// costs a script nothing while it runs, and its end no more than two seconds.
func TestDeafCollector(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	tracer, err := Open(Config{Target: "http://" + listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	tracer.Observe(event.Event{Kind: event.ShellStart, Command: []string{"x"}})
	const many = 3 * mostQueued
	for id := range uint64(many) {
		tracer.Observe(event.Event{Kind: event.CommandStart, ID: id + 1, Command: []string{"true"}})
		tracer.Observe(event.Event{Kind: event.CommandEnd, ID: id + 1, Command: []string{"true"}})
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the script was delayed by %v", took)
	}
	began = time.Now()
	lost, err := tracer.Close()
	if lost != many+1 || err == nil {
		t.Errorf("%d lost, %v; want all %d", lost, err, many+1)
	}
	if took := time.Since(began); took > farewell+3*time.Second {
		t.Errorf("the end took %v", took)
	}
}

// TestRefusal checks that what a collector refuses counts as lost.
func TestRefusal(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	tracer, err := Open(Config{Target: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	observe(tracer, script)
	if lost, err := tracer.Close(); lost == 0 || err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("%d lost, %v", lost, err)
	}
}

func TestResource(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{Script: "nightly.ftsh", Host: "n1"}, "service.name=nightly.ftsh host.name=n1"},
		{Config{}, "service.name=ftsh"},
		{Config{Script: "a", ServiceName: "backup"}, "service.name=backup"},
		{Config{Script: "a", Attributes: "service.name=b, team=x%20y,host.name=h", Host: "n1"},
			"service.name=b team=x y host.name=h"},
		{Config{ServiceName: "backup", Attributes: "service.name=b"}, "service.name=backup"},
		{Config{Script: "a", Attributes: "team"}, "service.name=a"},
		{Config{Script: "a", Attributes: "team=%zz"}, "service.name=a"},
	} {
		var got []string
		for _, a := range resourceOf(c.config) {
			got = append(got, a.Key+"="+*a.Value.String)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%+v: %s, want %s", c.config, text, c.want)
		}
	}
}
