package trace

import (
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"
)

const (
	mostQueued = 2048                   // spans that wait to be sent
	mostSent   = 256                    // spans in one message
	gather     = 500 * time.Millisecond // how long a span waits for others to go with
	farewell   = 2 * time.Second        // how long the shell's end waits for what is left
)

// sink takes messages: a file or a collector.
type sink interface {
	// send gives up at that time.
	send(message []byte, until time.Time) error
	close() error
}

// exporter sends spans from a goroutine of its own.
type exporter struct {
	sink     sink
	version  string
	resource []attribute
	queue    chan *span
	lost     atomic.Int64
	why      error // of the first message that was lost; the goroutine's until done
	until    atomic.Pointer[time.Time]
	done     chan struct{}
}

func newExporter(s sink, c Config) *exporter {
	x := &exporter{
		sink: s, version: c.Version, resource: resourceOf(c), queue: make(chan *span, mostQueued), done: make(chan struct{}),
	}
	go x.sendQueue()
	return x
}

// errFull is why spans are lost that were made faster than they could be sent.
var errFull = errors.New("spans were made faster than they could be sent")

// queueSpan queues a span, or loses it if the queue is full. It never waits.
func (x *exporter) queueSpan(s *span) {
	select {
	case x.queue <- s:
	default:
		x.lost.Add(1)
	}
}

// closeQueue sends what is left, and says what was lost. Nothing may be added any more.
func (x *exporter) closeQueue() (lost int, err error) {
	until := time.Now().Add(farewell)
	x.until.Store(&until)
	close(x.queue)
	<-x.done
	if lost = int(x.lost.Load()); lost == 0 {
		return 0, nil
	}
	if x.why == nil {
		x.why = errFull
	}
	return lost, x.why
}

// sendQueue sends what is in the queue, in messages of several spans.
func (x *exporter) sendQueue() {
	defer close(x.done)
	defer func() { _ = x.sink.close() }()
	for first := range x.queue {
		batch := x.gatherSpans([]*span{first})
		if err := x.sendBatch(batch); err != nil {
			x.lost.Add(int64(len(batch)))
			if x.why == nil {
				x.why = err
			}
		}
	}
}

// gatherSpans takes more spans, until there are many or some time has passed.
func (x *exporter) gatherSpans(batch []*span) []*span {
	timer := time.NewTimer(gather)
	defer timer.Stop()
	for len(batch) < mostSent {
		select {
		case s, ok := <-x.queue:
			if !ok {
				return batch
			}
			batch = append(batch, s)
		case <-timer.C:
			return batch
		}
	}
	return batch
}

// sendBatch sends a message within the time that it has.
func (x *exporter) sendBatch(batch []*span) error {
	until := time.Now().Add(farewell)
	if last := x.until.Load(); last != nil {
		until = *last
	}
	message, err := json.Marshal(x.newMessage(batch))
	if err != nil {
		return err
	}
	return x.sink.send(append(message, '\n'), until)
}

// message is ExportTraceServiceRequest.
type message struct {
	Resources []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource struct {
		Attributes []attribute `json:"attributes"`
	} `json:"resource"`
	Scopes []scopeSpans `json:"scopeSpans"`
}

type scopeSpans struct {
	Scope struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"scope"`
	Spans []*span `json:"spans"`
}

func (x *exporter) newMessage(batch []*span) message {
	var s scopeSpans
	s.Scope.Name, s.Scope.Version, s.Spans = "ftsh", x.version, batch
	var r resourceSpans
	r.Resource.Attributes = x.resource
	r.Scopes = []scopeSpans{s}
	return message{[]resourceSpans{r}}
}
