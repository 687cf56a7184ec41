package repl

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"ftsh/interp"
)

// A lookup looks into folders beside the prompt, since one that another machine has may not answer for hours.
// One look is taken at a time.
type lookup struct {
	underway bool
	came     chan func() // what notes what the look under way has come to
	late     atomic.Bool // nobody waits for it any more: the prompt is to be woken
}

// lookPatience limits a key's wait for a look, which mostly takes no millisecond. What comes later is drawn then.
const lookPatience = 20 * time.Millisecond

// lookBeside looks something up in the background and waits at most patience for the result, which note stores. While
// one look hangs no other begins.
func (s *shell) lookBeside(patience time.Duration, look func() (note func())) {
	if s.looks.underway {
		return
	}
	s.looks.underway = true
	s.looks.late.Store(false)
	go func() {
		s.looks.came <- look()
		s.running.mu.Lock()
		defer s.running.mu.Unlock()
		if s.looks.late.Load() && !s.ended {
			s.term.wakeUp(&s.term.looked)
		}
	}()
	s.noteLook(patience)
}

// noteLook stores the result of the look under way, if it ends in time.
func (s *shell) noteLook(patience time.Duration) {
	limit := time.After(patience)
	for s.looks.underway && (limit != nil || len(s.looks.came) > 0) {
		select {
		case note := <-s.looks.came:
			note()
			s.looks.underway = false
		case <-limit:
			s.looks.late.Store(true)
			limit = nil
		}
	}
}

// commandStyle returns the style of a command's name. It is called for each key, and looks each name up once for each
// prompt. What is not known yet is plain.
func (s *shell) commandStyle(name string) style {
	known := s.known
	as, is := known[name]
	switch {
	case is:
		return as
	case s.isBuiltin(name) || s.definesFunction(name) || s.short[name] != "":
		known[name] = styleCommand
		return styleCommand
	}
	find := s.Runner.Finder()
	s.lookBeside(lookPatience, func() func() {
		_, err := find(name)
		return func() {
			known[name] = styleWrong
			if err == nil {
				known[name] = styleCommand
			}
		}
	})
	return known[name]
}

func (s *shell) isBuiltin(name string) bool {
	return interp.IsBuiltin(name) || s.builtins[name] != nil
}

// programsOnPath are the names on PATH, as far as they can be told in time. They are listed once for each prompt.
func (s *shell) programsOnPath() map[string]bool {
	path, _ := s.Runner.Lookup("PATH")
	dir := s.Runner.Directory()
	if s.onPath == nil {
		s.lookBeside(completePatience, func() func() {
			names := map[string]bool{}
			for _, folder := range filepath.SplitList(path) {
				if !filepath.IsAbs(folder) {
					folder = filepath.Join(dir, folder)
				}
				entries, _ := os.ReadDir(folder)
				for _, entry := range entries {
					names[entry.Name()] = true
				}
			}
			return func() { s.onPath = names }
		})
	}
	return s.onPath
}
