package main

import (
	"context"
	"encoding/json"
	"os/exec"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/handler"

	"ftsh/ast/check"
	"ftsh/interp"
)

// server is one session with an editor.
type server struct {
	rpc  *jrpc2.Server
	left chan struct{} // closed when the editor says exit
	once sync.Once     // that it does

	mu        sync.Mutex // of what follows; each request has it while it is answered
	documents map[string]*document
	begun     bool            // initialize was asked
	stale     bool            // a document has changed since they were examined
	last      time.Time       // when one changed last
	onPath    map[string]bool // programs that were looked for; once a session
}

// calm delays the examination of changes that no request asks about, until the editor has been silent so long.
const calm = 30 * time.Millisecond

func newServer() *server {
	return &server{left: make(chan struct{}), documents: map[string]*document{}, onPath: map[string]bool{}}
}

// allMethods are the requests that are answered. The library answers others with an error.
func (s *server) allMethods() handler.Map {
	return handler.Map{
		"initialize":                       answerWith(s, s.initialize),
		"initialized":                      answerWith(s, s.ignoreRequest),
		"shutdown":                         answerWith(s, s.ignoreRequest),
		"exit":                             s.exitServer,
		"$/cancelRequest":                  s.cancelRequest,
		"$/setTrace":                       answerWith(s, s.ignoreRequest),
		"workspace/didChangeConfiguration": answerWith(s, s.ignoreRequest),
		"textDocument/didOpen":             answerWith(s, s.didOpen),
		"textDocument/didChange":           answerFor(s, s.didChange),
		"textDocument/didSave":             answerWith(s, s.ignoreRequest),
		"textDocument/didClose":            answerWith(s, s.didClose),
		"textDocument/formatting":          answerFor(s, s.formatDocument),
		"textDocument/hover":               answerFor(s, s.hoverAt),
		"textDocument/completion":          answerFor(s, s.completeAt),
		"textDocument/definition":          answerFor(s, s.definition),
		"textDocument/references":          answerFor(s, s.references),
		"textDocument/documentHighlight":   answerFor(s, s.highlights),
		"textDocument/prepareRename":       answerFor(s, s.prepareRename),
		"textDocument/rename":              answerFor(s, s.renameAt),
		"textDocument/documentSymbol":      answerFor(s, s.symbolsOf),
		"textDocument/foldingRange":        answerFor(s, s.foldingRanges),
		"textDocument/codeAction":          answerFor(s, s.actionsIn),
	}
}

// The protocol's RequestCancelled, and its ServerNotInitialized: a request came before initialize.
const (
	codeCancelled      = jrpc2.Code(-32800)
	codeNotInitialized = jrpc2.Code(-32002)
)

// answerWith answers one method: one request at a time, none that was cancelled, and
// none that ends the session by a panic.
func answerWith[P, R any](s *server, answer func(P) (R, error)) jrpc2.Handler {
	return func(ctx context.Context, r *jrpc2.Request) (result any, err error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		defer func() {
			if fault := recover(); fault != nil {
				err = jrpc2.Errorf(jrpc2.InternalError, "%s: %v", r.Method(), fault)
			}
		}()
		if ctx.Err() != nil {
			return nil, jrpc2.Errorf(codeCancelled, "cancelled")
		}
		if !s.begun && r.Method() != "initialize" {
			return nil, jrpc2.Errorf(codeNotInitialized, "%s before initialize", r.Method())
		}
		if !r.IsNotification() {
			s.refreshAll() // what is asked is asked of the texts as they are
		}
		var params P
		if r.HasParams() {
			if err := r.UnmarshalParams(&params); err != nil {
				return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s: %v", r.Method(), err)
			}
		}
		return answer(params)
	}
}

// answerFor answers one method about an open document.
func answerFor[P interface{ uri() string }, R any](s *server, answer func(*document, P) (R, error)) jrpc2.Handler {
	return answerWith(s, func(p P) (result R, err error) {
		if d := s.documents[p.uri()]; d != nil {
			return answer(d, p)
		}
		return result, jrpc2.Errorf(jrpc2.InvalidParams, "%s is not open", p.uri())
	})
}

// cancelRequest cancels a request that has not been answered.
func (s *server) cancelRequest(_ context.Context, r *jrpc2.Request) (any, error) {
	var params struct{ ID json.RawMessage }
	if r.UnmarshalParams(&params) == nil {
		s.rpc.CancelRequest(string(params.ID))
	}
	return nil, nil
}

func (s *server) exitServer(context.Context, *jrpc2.Request) (any, error) {
	s.once.Do(func() { close(s.left) })
	return nil, nil
}

func (s *server) ignoreRequest(struct{}) (any, error) { return nil, nil }

// initialize answers with what the server can do.
func (s *server) initialize(struct{}) (any, error) {
	s.begun = true
	return object{
		"serverInfo": object{"name": "ftsh-lsp", "version": version},
		"capabilities": object{
			"positionEncoding":           "utf-16",
			"textDocumentSync":           object{"openClose": true, "change": 2},
			"documentFormattingProvider": true,
			"hoverProvider":              true,
			"completionProvider":         object{"triggerCharacters": []string{"$", "{", ".", "/"}},
			"definitionProvider":         true,
			"referencesProvider":         true,
			"documentSymbolProvider":     true,
			"documentHighlightProvider":  true,
			"renameProvider":             object{"prepareProvider": true},
			"foldingRangeProvider":       true,
			"codeActionProvider":         object{"codeActionKinds": []string{"quickfix"}},
		},
	}, nil
}

func (s *server) didOpen(p openParams) (any, error) {
	d := &document{uri: p.TextDocument.URI, path: pathOf(p.TextDocument.URI)}
	s.documents[d.uri] = d
	d.setText(p.TextDocument.Text)
	s.examineSoon()
	return nil, nil
}

// didChange applies changes in their order.
func (s *server) didChange(d *document, p changeParams) (any, error) {
	text := d.text
	for _, c := range p.ContentChanges {
		if c.Range == nil {
			text = c.Text
			continue
		}
		lines := newLines(text)
		begin, end := lines.offsetOf(c.Range.Start), lines.offsetOf(c.Range.End)
		if begin > end {
			return nil, jrpc2.Errorf(jrpc2.InvalidParams, "a change ends before it begins")
		}
		text = text[:begin] + c.Text + text[end:]
	}
	d.setText(text)
	s.examineSoon()
	return nil, nil
}

func (s *server) didClose(p documentParams) (any, error) {
	delete(s.documents, p.TextDocument.URI)
	s.publishFindings(p.TextDocument.URI, []diagnostic{})
	s.examineSoon()
	return nil, nil
}

// publishFindings sends the editor what is wrong in a document.
func (s *server) publishFindings(uri string, list []diagnostic) {
	if s.rpc != nil {
		_ = s.rpc.Notify(context.Background(), "textDocument/publishDiagnostics", publishParams{uri, list})
	}
}

// checkConfig returns what the rules need to know of this machine.
func (s *server) checkConfig() check.Config {
	return check.Config{IsBuiltin: interp.IsBuiltin, OnPath: func(name string) bool {
		found, known := s.onPath[name]
		if !known {
			_, err := exec.LookPath(name)
			found = err == nil
			s.onPath[name] = found
		}
		return found
	}}
}
