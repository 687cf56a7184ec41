package interp

import (
	"time"

	"ftsh/interp/event"
)

// A story holds what else there is to tell of a failure when the script has failed of it.
type story struct {
	words  []string      // of the command
	name   string        // the variable of the innermost loop over items around the command
	item   string        // that it had there
	tried  int           // how many attempts the tries around it have made; 0: there was none
	spent  time.Duration // since the first of them
	cause  *Failure      // what the catch group that it stood in had to react to
	told   bool          // an event of level Failures has told of it
	failed *failedItems  // of the forall that it ended; nil: only one has failed, or others have not succeeded either
	others []*Failure    // of the branches that went on, and failed, too: at most mostOthers
	more   int           // how many of these others has no room for
}

// mostOthers limits the failed branches that are told of one by one.
const mostOthers = 20

// inLoop notes what the innermost loop around a failed command had come to.
func (f *Failure) inLoop(name, item string) {
	if f != nil && f.story.name == "" {
		f.story.name, f.story.item = name, item
	}
}

// joinOthers adds branches that failed, too, to the story of a failure, with those that they bring along.
func (s *story) joinOthers(branches ...*Failure) {
	for _, branch := range branches {
		all := append([]*Failure{branch}, branch.story.others...)
		s.more += branch.story.more
		for _, other := range all {
			if len(s.others) == mostOthers {
				s.more++
				continue
			}
			s.others = append(s.others[:len(s.others):len(s.others)], other)
		}
	}
}

// countFailures adds an attempt that failed to those of its try: it may stand for those of tries within.
func (t *tryState) countFailures(err error) {
	if failure := asFailure(err); failure != nil {
		t.tried += max(1, failure.story.tried)
	}
}

// afterTry returns the same failure with how often and how long a try has tried.
func (f *Failure) afterTry(t *try) *Failure {
	changed := *f
	changed.story.tried, changed.story.spent, changed.story.told = t.tried, t.frame.run.clock.Now()-t.start, false
	return &changed
}

// summarise tells why the script has failed, if it has: one line of the whole story, and one
// for each branch of a forall that had failed, too, while the others went on.
func (f *frame) summarise(err error) {
	failure := asFailure(err)
	if failure == nil || !f.enabledLevel(event.Summary) {
		return
	}
	f.tellEvent(observed{pos: failure.Pos}, failure.finalEvent(event.ScriptFailed))
	for _, other := range failure.story.others {
		f.tellEvent(observed{pos: other.Pos}, other.finalEvent(event.BranchLost))
	}
	if failure.story.more > 0 {
		f.tellEvent(observed{}, event.Event{Kind: event.BranchesLost, Count: failure.story.more})
	}
}

// finalEvent is the event that tells a failure's story.
func (f *Failure) finalEvent(kind event.Kind) event.Event {
	s := &f.story
	e := withFailure(event.Event{
		Kind: kind, Command: s.words, Name: s.name, Value: s.item,
		Attempt: s.tried, Elapsed: s.spent, Stderr: f.Stderr.ToldPart(),
	}, f)
	if s.words == nil && f.Command != "" {
		e.Command = []string{f.Command}
	}
	e = s.failed.describe(e)
	if cause := s.cause; cause != nil {
		e.Message += "; it was to react to: " + cause.Command + ": " + cause.endingText()
	}
	return e
}
