package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// editor is the other side of a session, which speaks the protocol over pipes.
type editor struct {
	t      testing.TB
	in     io.WriteCloser
	out    chan message // what the server has sent; closed at its end
	id     int
	folder string
	told   map[string][]diagnostic // by document
	ended  chan int
}

// message is a response or a notification of the server.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// newEditor starts a session.
func newEditor(t testing.TB) *editor {
	t.Helper()
	theirs, in := io.Pipe()
	out, ours := io.Pipe()
	e := &editor{t: t, in: in, out: make(chan message, 1000), folder: t.TempDir(), told: map[string][]diagnostic{},
		ended: make(chan int, 1)}
	var under sync.WaitGroup
	under.Go(func() { e.ended <- serveEditor(theirs, ours) })
	under.Go(func() { e.listen(bufio.NewReader(out)) })
	t.Cleanup(func() {
		_ = in.Close()
		under.Wait()
	})
	e.ask("initialize", map[string]any{"processId": os.Getpid(),
		"capabilities": map[string]any{"general": map[string]any{}}}, nil)
	e.tell("initialized", map[string]any{})
	return e
}

// send writes a message, whatever it is.
func (e *editor) send(text string) {
	e.t.Helper()
	if _, err := fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n%s", len(text), text); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) tell(method string, params any) {
	e.t.Helper()
	e.send(encoded(map[string]any{"jsonrpc": "2.0", "method": method, "params": params}))
}

func encoded(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// listen takes what the server sends, as it comes.
func (e *editor) listen(out *bufio.Reader) {
	defer close(e.out)
	for {
		header, err := textproto.NewReader(out).ReadMIMEHeader()
		if err != nil {
			return
		}
		length, _ := strconv.Atoi(header.Get("Content-Length"))
		text := make([]byte, length)
		var m message
		if _, err := io.ReadFull(out, text); err != nil || json.Unmarshal(text, &m) != nil {
			e.t.Errorf("%v: %s", err, text)
			return
		}
		e.out <- m
	}
}

// receive waits for the next message.
func (e *editor) receive() message {
	e.t.Helper()
	m, more := <-e.out
	if !more {
		e.t.Fatal("the server has ended")
	}
	return m
}

// ask asks and waits for the answer; what is told meanwhile is kept.
func (e *editor) ask(method string, params, result any) {
	e.t.Helper()
	if m := e.call(method, params); m.Error != nil {
		e.t.Fatalf("%s: %v", method, m.Error)
	} else if result != nil {
		if err := json.Unmarshal(m.Result, result); err != nil {
			e.t.Fatalf("%s: %v: %s", method, err, m.Result)
		}
	}
}

// call is ask for questions that may fail.
func (e *editor) call(method string, params any) message {
	e.t.Helper()
	e.id++
	e.send(encoded(map[string]any{"jsonrpc": "2.0", "id": e.id, "method": method, "params": params}))
	return e.answer(strconv.Itoa(e.id))
}

// answer waits for the answer to a question.
func (e *editor) answer(id string) message {
	e.t.Helper()
	for {
		m := e.receive()
		if m.Method == "" && string(m.ID) == id {
			return m
		}
		e.note(m)
	}
}

// note keeps what was told of a document.
func (e *editor) note(m message) {
	var p publishParams
	if m.Method == "textDocument/publishDiagnostics" && json.Unmarshal(m.Params, &p) == nil {
		e.told[p.URI] = p.Diagnostics
	}
}

// open opens a document, and returns its URI. A ‸ in its text marks the cursor.
func (e *editor) open(name, text string) (uri string, cursor position) {
	e.t.Helper()
	uri = uriOf(filepath.Join(e.folder, name))
	before, after, _ := strings.Cut(text, "‸")
	cursor = newLines(before).positionOf(len(before))
	e.tell("textDocument/didOpen", map[string]any{
		"textDocument": map[string]any{"uri": uri, "languageId": "ftsh", "version": 1, "text": before + after}})
	return uri, cursor
}

// sync waits until all that was told before has been dealt with.
func (e *editor) sync() {
	e.t.Helper()
	e.call("textDocument/foldingRange", map[string]any{"textDocument": documentID{"file:///none"}})
}

func (e *editor) diagnostics(uri string) string {
	e.t.Helper()
	e.sync()
	var text strings.Builder
	for _, d := range e.told[uri] {
		fmt.Fprintf(&text, "%d:%d-%d:%d %d %s %s\n", d.Range.Start.Line, d.Range.Start.Character, d.Range.End.Line,
			d.Range.End.Character, d.Severity, d.Code, d.Message)
	}
	return text.String()
}

func at(uri string, p position) map[string]any {
	return map[string]any{"textDocument": documentID{uri}, "position": p}
}

// hover and highlight are answers as an editor reads them.
type hover struct {
	Contents struct{ Value string }
}

type highlight struct {
	Range textRange
	Kind  int
}
