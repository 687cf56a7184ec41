package simulate

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/interp/files"
	"ftsh/interp/value"
	"ftsh/interp/world"
)

// streams are the files, pipes and captured output of a client: texts. What a
// script writes to a file or to its own standard output goes nowhere. It implements [world.Streams].
type streams struct {
	world.Nothing
	texts []text // few at a time
	last  int
	heard response // the servers' last one
}

type text struct {
	stream int
	ends   int // that are not closed
	holds  string
}

// nowhere is a stream that holds nothing and keeps nothing: 0, 1 and 2 of the
// script, and files.
const nowhere = 9

// Open opens a file. Reading any gives the headers of the last answer, for `retryafter -f`.
func (s *streams) Open(_ context.Context, _ files.Directory, name string, flags int) (int, error) {
	if flags&(os.O_WRONLY|os.O_RDWR) != 0 || name == os.DevNull {
		return nowhere, nil
	}
	return s.open(1, s.heard.headers()), nil
}

// open makes a stream with so many ends that holds a text.
func (s *streams) open(ends int, holds string) int {
	s.last = max(s.last, nowhere) + 1
	s.texts = append(s.texts, text{s.last, ends, holds})
	return s.last
}

// find returns a stream that holds a text; one that nobody sees, if it holds none.
func (s *streams) find(stream int) *text {
	for i := range s.texts {
		if s.texts[i].stream == stream {
			return &s.texts[i]
		}
	}
	return &text{}
}

func (s *streams) Named(files.Directory, string) (int, bool) { return 0, false }

func (s *streams) Pipe() ([2]int, error) {
	between := s.open(2, "")
	return [2]int{between, between}, nil
}

func (s *streams) Text(v value.Value, _ string, _ bool) (int, error) {
	text, err := v.Exact()
	return s.open(1, text), err
}

func (s *streams) Write(_ context.Context, stream int, text string) error {
	s.find(stream).holds += text
	return nil
}

func (s *streams) ReadLine(_ context.Context, stream int) (line string, err error) {
	t := s.find(stream)
	if t.holds == "" {
		return "", io.EOF
	}
	line, t.holds, _ = strings.Cut(t.holds, "\n")
	return line, nil
}

func (s *streams) Read(_ context.Context, stream int, _ int64) (string, error) {
	return s.find(stream).holds, nil
}

func (s *streams) Close(list []int) {
	for _, stream := range list {
		s.find(stream).ends--
	}
	s.texts = slices.DeleteFunc(s.texts, func(t text) bool { return t.ends == 0 })
}

// draft is output to a file, which goes nowhere.
type draft struct{ world.Nothing }

func (draft) Stream() int { return nowhere }

func (s *streams) Replace(files.Directory, string) (world.Draft, error) { return draft{}, nil }

func (s *streams) Apart(string, files.Directory, string, int) (world.Apart, error) {
	return draft{}, nil
}

// held is a stream whose text somebody takes in the end: a [world.Capture], or a [world.Followed].
type held struct {
	*streams
	stream int
	to     int // of standard error that is followed: where else it goes
}

func (s *streams) Capture(_, text string) (world.Capture, error) {
	return held{s, s.open(1, text), nowhere}, nil
}

func (s *streams) Follow(_ context.Context, to int, _ func(string) bool) (world.Followed, error) {
	return held{s, s.open(1, ""), to}, nil
}

func (h held) Stream() int            { return h.stream }
func (h held) Drop()                  { h.Close([]int{h.stream}) }
func (h held) SoFar() (string, error) { return h.find(h.stream).holds, nil }
func (h held) Size() int64            { return int64(len(h.find(h.stream).holds)) }
func (h held) Value() (value.Value, error) {
	defer h.Drop()
	return value.Captured(h.find(h.stream).holds), nil
}

func (h held) CutTo(size int64) error {
	t := h.find(h.stream)
	t.holds = t.holds[:min(size, int64(len(t.holds)))]
	return nil
}

func (h held) Stop() (end string, torn bool) {
	end = h.find(h.stream).holds
	h.Drop()
	h.find(h.to).holds += end
	return end, false
}

// grouped is a [world.Grouped]: it hands on what branches write, in the order in which they were opened.
type grouped struct {
	*streams
	to    int
	queue []*branch
}

// branch is a [world.Branch].
type branch struct {
	*grouped
	stream int
	ended  bool
	whole  func()
}

// Group keeps the output of branches apart. Standard error goes nowhere, as ever.
func (s *streams) Group(c world.GroupConfig) (world.Grouped, error) {
	return &grouped{streams: s, to: c.Stdout}, nil
}

func (g *grouped) Open(_ context.Context, _ func(error), whole func()) (world.Branch, error) {
	b := &branch{grouped: g, stream: g.open(1, ""), whole: whole}
	g.queue = append(g.queue, b)
	return b, nil
}

func (g *grouped) Again([]string, func(error), func()) {} // there is no earlier run
func (g *grouped) Finish()                             {}

func (b *branch) Descriptor(stream int) (fd int, apart bool) { return b.stream, stream == 1 }
func (b *branch) Waiting() ([]string, error)                 { return nil, nil }

func (b *branch) Finish(bool) {
	b.ended = true
	for len(b.queue) > 0 && b.queue[0].ended {
		first := b.queue[0]
		b.grouped.queue = b.queue[1:]
		b.find(b.to).holds += b.find(first.stream).holds
		b.Close([]int{first.stream})
		first.whole()
	}
}

// response holds what headers tell of an answer.
type response struct {
	status uint16 // of HTTP; 0: there was no answer yet
	after  int32  // seconds, rounded up, as Retry-After has them; 0: nothing is said of it
}

// responseOf returns what remains of an answer.
func responseOf(a server.Answer) response {
	r := response{http.StatusInternalServerError, int32((a.After + time.Second - 1) / time.Second)}
	switch {
	case a.OK:
		r.status = http.StatusOK
	case a.Limited:
		r.status = http.StatusTooManyRequests
	case a.Turned, a.After > 0:
		r.status = http.StatusServiceUnavailable
	}
	return r
}

// headers returns the text that `curl -D` would write.
func (r response) headers() string {
	if r.status == 0 {
		return ""
	}
	text := fmt.Sprintf("HTTP/1.1 %d %s\n", r.status, http.StatusText(int(r.status)))
	if r.after > 0 {
		text += fmt.Sprintf("Retry-After: %d\n", r.after)
	}
	return text
}
