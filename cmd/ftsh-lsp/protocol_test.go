package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestBeforeInitialize holds that nothing is answered before.
func TestBeforeInitialize(t *testing.T) {
	out := spoken(t, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"textDocument/hover\",\"params\":{}}")
	if !strings.Contains(out, "-32002") {
		t.Errorf("answered %s", out)
	}
}

// TestTooLong holds that a frame of an impossible length is answered.
func TestTooLong(t *testing.T) {
	var out bytes.Buffer
	status := serveEditor(strings.NewReader("Content-Length: 99999999999\r\n\r\n"), closer{&out})
	if status != 1 || !strings.Contains(out.String(), "99999999999") || !strings.Contains(out.String(), "-32600") {
		t.Errorf("status %d, answered %s", status, out.String())
	}
}

// TestBurst holds that shutdown and exit in one burst end with 0, and that many changes are examined once.
func TestBurst(t *testing.T) {
	for range 50 {
		var out bytes.Buffer
		var in strings.Builder
		for _, text := range []string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`,
			`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`, `{"jsonrpc":"2.0","method":"exit"}`} {
			fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n%s", len(text), text)
		}
		if status := serveEditor(strings.NewReader(in.String()), closer{&out}); status != 0 ||
			!strings.Contains(out.String(), `"id":2`) {
			t.Fatalf("status %d, answered %s", status, out.String())
		}
	}
	e := newEditor(t)
	uri, _ := e.open("a.ftsh", "echo x\n")
	e.sync()
	for range 300 {
		e.tell("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri}, "contentChanges": []any{
			map[string]any{"range": textRange{position{0, 5}, position{0, 5}}, "text": "y"}}})
	}
	e.id++
	e.send(encoded(map[string]any{"jsonrpc": "2.0", "id": e.id, "method": "textDocument/foldingRange",
		"params": map[string]any{"textDocument": documentID{uri}}}))
	published := 0
	for m := e.receive(); m.Method != ""; m = e.receive() {
		published++
	}
	if published > 30 { // once, unless this machine made a pause of it
		t.Errorf("%d times examined for one burst", published)
	}
}

// spoken returns the answer to one message.
func spoken(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	serveEditor(strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text)), closer{&out})
	return out.String()
}

type closer struct{ io.Writer }

func (closer) Close() error { return nil }

// TestSurvives holds that a session goes on after what no editor should send.
func TestSurvives(t *testing.T) {
	e := newEditor(t)
	e.send("{ this is no JSON")
	e.send(`[]`)
	e.send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":7}}`)
	e.send(`{"jsonrpc":"2.0","method":"no/suchNotification","params":{}}`)
	e.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":4711}}`)
	if m := e.call("no/suchMethod", map[string]any{}); m.Error == nil || m.Error.Code != -32601 {
		t.Errorf("an unknown method: %+v", m)
	}
	if m := e.call("textDocument/hover", map[string]any{"textDocument": 3}); m.Error == nil || m.Error.Code != -32602 {
		t.Errorf("wrong parameters: %+v", m)
	}
	if m := e.call("textDocument/hover", at("file:///not/open", position{})); m.Error == nil {
		t.Error("a document that is not open")
	}
	uri, _ := e.open("a.ftsh", "echo \xff\x00 $x 'open\n")
	for _, p := range []position{{-1, -1}, {0, 1 << 30}, {1 << 30, 0}, {0, 7}} {
		for _, method := range []string{"hover", "completion", "definition"} {
			if m := e.call("textDocument/"+method, at(uri, p)); m.Error != nil {
				t.Errorf("%s at %v: %v", method, p, m.Error)
			}
		}
	}
	e.tell("textDocument/didChange", map[string]any{"textDocument": documentID{uri}, "contentChanges": []any{
		map[string]any{"range": textRange{position{5, 0}, position{0, 0}}, "text": "x"}}})
	if got := e.diagnostics(uri); got == "" {
		t.Error("the document is gone")
	}
}

// TestEnds holds with what status a session ends.
func TestEnds(t *testing.T) {
	e := newEditor(t)
	e.ask("shutdown", nil, nil)
	e.tell("exit", nil)
	if status := <-e.ended; status != 0 {
		t.Errorf("status %d after shutdown", status)
	}
	e = newEditor(t)
	_ = e.in.Close()
	if status := <-e.ended; status != 1 {
		t.Errorf("status %d without shutdown", status)
	}
}

// FuzzPositions holds that a position is found again, whatever the text.
func FuzzPositions(f *testing.F) {
	f.Add("a𝄞b\r\nä\n", 3)
	f.Add("\xff\n\xf0", 1)
	f.Add("a\rb\r\r\n", 5) // each of the three line ends
	f.Fuzz(func(t *testing.T, text string, offset int) {
		l := newLines(text)
		offset = max(0, min(offset, len(text)))
		p := l.positionOf(offset)
		if back := l.offsetOf(p); l.positionOf(back) != p {
			t.Errorf("%q: %d is %v is %d is %v", text, offset, p, back, l.positionOf(back))
		}
	})
}

// script is a text of about so many lines.
func script(lines int) string {
	var text bytes.Buffer
	for i := 0; i < lines; i += 10 {
		fmt.Fprintf(&text, "function f%d\n    local x=$1\n    try for 1 hour or %d times each 5 minutes\n"+
			"        curl --fail https://example.org/$x => out.$x\n"+
			"    catch\n        echo \"${error.message} in $x\"\n        failure\n    end\nend\nf%d a%d\n", i, i+2, i, i)
	}
	return text.String()
}

// BenchmarkChange is the time from a change of 2,000 lines to what is wrong in them. Wanted are 100 ms.
func BenchmarkChange(b *testing.B) {
	e := newEditor(b)
	uri, _ := e.open("a.ftsh", script(2000))
	e.sync()
	for b.Loop() {
		e.tell("textDocument/didChange", map[string]any{"textDocument": documentID{uri}, "contentChanges": []any{
			map[string]any{"range": textRange{position{1000, 0}, position{1000, 0}}, "text": "#\n"}}})
		for m := e.receive(); m.Method != "textDocument/publishDiagnostics"; m = e.receive() {
		}
	}
}
