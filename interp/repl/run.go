package repl

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"ftsh/ast"
	"ftsh/interp"
	"ftsh/parser"
)

// running is the statement under way, which signals cancel.
type running struct {
	mu     sync.Mutex
	cancel context.CancelCauseFunc // nil: none is under way
	kill   chan struct{}
	count  int // of the signals that it was cancelled with
}

// cancelled is the cause with which a signal cancels a statement.
type cancelled struct{ signal os.Signal }

func (c cancelled) Error() string {
	if c.signal == syscall.SIGINT {
		return "cancelled by Ctrl-C"
	}
	return "cancelled by a signal: " + c.signal.String()
}

// parse reads a text as a script; what it sources is found relative to the
// directory that the shell is in.
func (s *shell) parse(source *ast.Source, names *ast.Names) (*ast.File, error) {
	return parser.Parse(source, parser.Config{
		Names: names, Functions: s.Runner.Functions(), Interactive: true,
		ReadFile: func(path string) ([]byte, error) {
			if !filepath.IsAbs(path) {
				path = filepath.Join(s.Runner.Directory(), path)
			}
			return os.ReadFile(path)
		},
	})
}

// run runs a text and tells how it failed.
func (s *shell) run(ctx context.Context, source *ast.Source) {
	file, err := s.parse(source, s.Runner.Names())
	if err != nil {
		s.mistake(err)
		return
	}
	kill := make(chan struct{})
	s.Runner.Kill = kill
	ctx, cancel := s.begin(ctx, kill)
	err = s.Runner.Run(ctx, file)
	interrupted := s.conclude(cancel)
	s.restore(err == nil)
	s.tell(err, interrupted)
}

// begin prepares for something that signals cancel.
func (s *shell) begin(ctx context.Context, kill chan struct{}) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	s.running.mu.Lock()
	defer s.running.mu.Unlock()
	s.running.cancel, s.running.kill, s.running.count = cancel, kill, 0
	return ctx, cancel
}

// conclude is called when it is over, and tells whether a signal came.
func (s *shell) conclude(cancel context.CancelCauseFunc) (interrupted bool) {
	s.running.mu.Lock()
	defer s.running.mu.Unlock()
	s.running.cancel = nil
	cancel(nil)
	return s.running.count > 0
}

// tell tells how a statement ended.
func (s *shell) tell(err error, interrupted bool) {
	var exit *interp.Exit
	var failure *interp.Failure
	switch {
	case errors.As(err, &exit):
		s.result.Status, s.done = exit.Status, true
	case interrupted:
		s.say("") // the terminal has shown ^C
	case errors.As(err, &failure):
		s.failure(failure)
	}
}

// restore gives the terminal its usual modes. What a program has set stays if
// it succeeded: stty has meant it.
func (s *shell) restore(succeeded bool) {
	if succeeded {
		s.term.keep()
	}
	_ = s.term.makeUsual()
}

// look reacts to signals until the end.
func (s *shell) look() {
	defer close(s.looking)
	for {
		select {
		case <-s.stopped:
			return
		case received := <-s.Signals:
			s.receive(received)
		}
	}
}

// receive reacts to a signal.
func (s *shell) receive(received os.Signal) {
	switch received {
	case syscall.SIGINT, syscall.SIGQUIT:
		s.cancel(received)
	case syscall.SIGWINCH:
		s.Resized()
		if e, ok := s.reader.(*editor); ok {
			e.resized()
		}
	case syscall.SIGHUP, syscall.SIGTERM:
		s.running.mu.Lock()
		s.result.Signal = received
		s.running.mu.Unlock()
		s.cancel(received)
		s.reader.close()
	}
}

// cancel cancels the statement under way. The second time everything is killed
// that has not ended by then, finally groups included.
func (s *shell) cancel(why os.Signal) {
	r := &s.running
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel == nil {
		return
	}
	if r.count++; r.count == 2 {
		close(r.kill)
	}
	r.cancel(cancelled{why})
}
