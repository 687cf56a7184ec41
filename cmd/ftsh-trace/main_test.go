package main

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// around is the span around that of the script.
const around = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"

// events are those of a try with two attempts and a forall with two branches, and of a shell that was killed in a
// command.
const events = `{"event":"shell.start","command":["/x/nightly.ftsh"]}
{"event":"try.start","id":1}
{"event":"try.attempt","id":1,"attempt":1}
{"event":"command.start","id":2,"parent":1,"command":["/bin/curl","-f"],"script":"x","line":3}
{"event":"command.failed","id":2,"parent":1,"command":["/bin/curl"],"status":22,"failure":"exit","message":"status 22"}
{"event":"try.wait","id":1,"attempt":1,"wait":1,"failure":"exit"}
{"event":"try.attempt","id":1,"attempt":2}
{"event":"command.start","id":3,"parent":1,"command":["curl","-f"]}
{"event":"command.end","id":3,"parent":1,"command":["curl","-f"],"status":0}
{"event":"try.end","id":1,"attempt":2}
{"event":"forall.start","id":4,"name":"x"}
{"event":"forall.branch","id":4,"branch":1,"name":"x","value":"a"}
{"event":"forall.branch","id":4,"branch":2,"name":"x","value":"b"}
{"event":"command.start","id":5,"parent":4,"branch":2,"command":["two"]}
{"event":"command.start","id":6,"parent":4,"branch":1,"command":["one"]}
{"event":"command.end","id":6,"parent":4,"branch":1,"command":["one"],"status":0}
{"event":"branch.end","id":4,"branch":1,"name":"x","value":"a"}
{"event":"command.failed","id":5,"parent":4,"branch":2,"command":["two"],"failure":"exit"}
{"event":"branch.failed","id":4,"branch":2,"name":"x","value":"b","failure":"exit"}
{"event":"forall.failed","id":4,"name":"x","failure":"exit"}
no event
{"event":"command.start","id":7,"command":["last"]}
`

const wantedTree = `nightly.ftsh
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
  last
`

// build builds the program once for all tests.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "ftsh-trace")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// start runs the program to its end.
func start(t *testing.T, program, target, input string) (answer string) {
	t.Helper()
	cmd := exec.Command(program, target, "8", "night")
	cmd.Env = append(os.Environ(), "TRACEPARENT="+around)
	cmd.Stdin = strings.NewReader(input)
	out, _ := cmd.Output() // what it says tells of its status, too
	return string(out)
}

// dated returns events with a time each, one after the other.
func dated(lines string) string {
	var out strings.Builder
	at := time.Now()
	for line := range strings.Lines(lines) {
		at = at.Add(time.Millisecond)
		out.WriteString(strings.Replace(line, "{", `{"time":"`+at.Format(time.RFC3339Nano)+`",`, 1))
	}
	return out.String()
}

func TestProgram(t *testing.T) {
	program := build(t)
	t.Run("file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "trace.json")
		answer := start(t, program, path, dated(events))
		if !strings.HasPrefix(answer, "ready "+around[:len("00-")+32]) ||
			!strings.HasSuffix(answer, "-01\n") {
			t.Errorf("it says %q", answer)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := readTree(t, string(text)); got != wantedTree {
			t.Errorf("%s\nwant\n%s", got, wantedTree)
		}
		for _, want := range []string{
			`"traceId":"0af7651916cd43dd8448eb211c80319c"`,
			`{"key":"service.name","value":{"stringValue":"night"}}`,
			`{"key":"code.line.number","value":{"intValue":"3"}}`, `{"key":"process.exit.code","value":{"intValue":"22"}}`,
		} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s is not in %s", want, text)
			}
		}
	})
	t.Run("refused", func(t *testing.T) {
		server := httptest.NewServer(http.NotFoundHandler())
		defer server.Close()
		if answer := start(t, program, server.URL, dated(events)); !strings.Contains(answer, `"lost":13,`) ||
			!strings.Contains(answer, "404") {
			t.Errorf("it says %q", answer)
		}
	})
	t.Run("deaf", func(t *testing.T) { // a collector that never answers holds nobody up, and the end for two seconds
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = listener.Close() }()
		if answer := start(t, program, "http://"+listener.Addr().String(), dated(events)); !strings.Contains(answer,
			`"lost":13,`) {
			t.Errorf("it says %q", answer)
		}
	})
	for target, want := range map[string]string{
		"ftp://x": "wanted a URL", "http://": "wanted a URL", "http://user@host": "wanted a URL",
		"/no/such/folder/trace": "no such file",
	} {
		if answer := start(t, program, target, ""); !strings.Contains(answer, want) {
			t.Errorf("%s: it says %q, wanted %q", target, answer, want)
		}
	}
}

// readTree returns the spans in messages as lines, nested by blanks, children in the order in which they began.
func readTree(t *testing.T, messages string) string {
	t.Helper()
	type span struct {
		SpanID, ParentSpanID, Name, StartTimeUnixNano string
		Status                                        struct{ Code int }
	}
	var spans []span
	for line := range strings.Lines(messages) {
		var m struct {
			ResourceSpans []struct{ ScopeSpans []struct{ Spans []span } }
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		for _, r := range m.ResourceSpans {
			for _, s := range r.ScopeSpans {
				spans = append(spans, s.Spans...)
			}
		}
	}
	slices.SortStableFunc(spans, func(a, b span) int { return strings.Compare(a.StartTimeUnixNano, b.StartTimeUnixNano) })
	var out strings.Builder
	var show func(parent, indent string)
	show = func(parent, indent string) {
		for _, s := range spans {
			if s.ParentSpanID == parent {
				out.WriteString(indent + s.Name + map[int]string{2: " !"}[s.Status.Code] + "\n")
				show(s.SpanID, indent+"  ")
			}
		}
	}
	show("00f067aa0ba902b7", "")
	return out.String()
}
