package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/creachadair/jrpc2/channel"
)

// mostBytes limits the length of a message of an editor: far more than any script.
const mostBytes = 64 << 20

// frames is the editor's side of a session: messages behind headers that give their length. It refuses what is too
// long before it is read, and knows what has not been answered: the editor may send shutdown and exit in one burst,
// which are handled at the same time, and close its end behind them.
type frames struct {
	channel.Channel // what is sent
	in              *bufio.Reader

	mu       sync.Mutex
	open     map[string]bool // requests that were not answered, by their ids as JSON
	shutdown bool            // was asked for
	answered *sync.Cond      // there is one less in open
}

func newFrames(in io.Reader, out io.WriteCloser) *frames {
	f := &frames{Channel: channel.LSP(in, out), in: bufio.NewReader(in), open: map[string]bool{}}
	f.answered = sync.NewCond(&f.mu)
	return f
}

// Recv reads a message. One that is too long is answered, and ends the session: where the next begins is not known.
func (f *frames) Recv() ([]byte, error) {
	header, err := textproto.NewReader(f.in).ReadMIMEHeader()
	if err != nil {
		f.awaitAnswers()
		return nil, io.EOF
	}
	text := strings.TrimSpace(header.Get("Content-Length"))
	size, err := strconv.ParseUint(text, 10, 64)
	if err != nil || size > mostBytes {
		return nil, f.refuseRequest(fmt.Sprintf("Content-Length %q: wanted a number of at most %d bytes", text, mostBytes))
	}
	message := make([]byte, size)
	if _, err := io.ReadFull(f.in, message); err != nil {
		f.awaitAnswers()
		return nil, io.EOF
	}
	f.noteRequest(message)
	return message, nil
}

// refuseRequest answers what no request can be read from.
func (f *frames) refuseRequest(why string) error {
	answer, err := json.Marshal(object{"jsonrpc": "2.0", "id": nil, "error": object{"code": -32600, "message": why}})
	if err == nil {
		err = f.Channel.Send(answer)
	}
	return errors.Join(errors.New(why), err)
}

// call holds the members of a message that distinguish requests from answers.
type call struct {
	ID     json.RawMessage
	Method string
}

// noteRequest remembers a request until it is answered.
func (f *frames) noteRequest(message []byte) {
	var c call
	if json.Unmarshal(message, &c) != nil || len(c.ID) == 0 || c.Method == "" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open[string(c.ID)] = true
	f.shutdown = f.shutdown || c.Method == "shutdown"
}

// Send sends a message.
func (f *frames) Send(message []byte) error {
	err := f.Channel.Send(message)
	var c call
	if json.Unmarshal(message, &c) == nil && c.Method == "" {
		f.mu.Lock()
		delete(f.open, string(c.ID))
		f.mu.Unlock()
		f.answered.Broadcast()
	}
	return err
}

// mostSettling limits the wait for answers when the editor leaves: one to what is no request may lack its id.
const mostSettling = 2 * time.Second

// awaitAnswers waits until all requests have been answered, and reports whether a shutdown was among them.
func (f *frames) awaitAnswers() (shutdown bool) {
	over := false
	defer time.AfterFunc(mostSettling, func() {
		f.mu.Lock()
		over = true
		f.mu.Unlock()
		f.answered.Broadcast()
	}).Stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.open) > 0 && !over {
		f.answered.Wait()
	}
	return f.shutdown
}
