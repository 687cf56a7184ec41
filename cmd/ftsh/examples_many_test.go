package main

import (
	"slices"
	"strings"
	"testing"
)

// TestExampleQueue has three work off one file of lines, one of which never works and one only at the second attempt:
// each line is worked off once, and the one that failed is kept by name.
func TestExampleQueue(t *testing.T) {
	s := newScene(t, "flock", "awk")
	s.file("queue", "one\ntwo  words\n*\nbad\ntwice\nlast\n")
	s.standIn("work", `case $1 in
bad) exit 3 ;;
twice) test "$(grep -cx twice "$CALLS/work")" = 2 || exit 1 ;;
esac
flock done.lock sh -c 'printf "%s\n" "$1" >> done' x "$1"`)
	var plays []*play
	for range 3 {
		plays = append(plays, s.begin("queue.ftsh", "queue", "work"))
	}
	errors := ""
	for _, p := range plays {
		p.end().ends("0").says("")
		errors += p.stderr.String()
	}
	if !strings.Contains(errors, "bad: work bad: ended with status 3") {
		t.Errorf("nobody was told of the line that failed: %s", errors)
	}
	done := strings.Split(strings.TrimSpace(s.read("done")), "\n")
	slices.Sort(done)
	if want := []string{"*", "last", "one", "twice", "two  words"}; !slices.Equal(done, want) {
		t.Errorf("done %q, want %q", done, want)
	}
	s.holds("queue", "")
	s.holds("queue.taken", "")
	s.holds("queue.failed", "bad\n")
	s.called("work", 3+1+2+3) // one, words and the star; last; twice; bad
}

// TestExampleQueueCut has the machine die in the middle of a line: it is kept where a person finds it.
func TestExampleQueueCut(t *testing.T) {
	s := newScene(t, "flock", "awk")
	s.file("queue", "one\ntwo\n")
	s.run("queue.ftsh", "queue", "sh", "-c", "kill -9 $PPID; sleep 60", "x").ends("KILL")
	s.holds("queue", "two\n")
	s.holds("queue.taken", "one\n")
}

// TestExampleRollout has a host that gets well at the third question, and one that never does: what comes after it is
// not changed.
func TestExampleRollout(t *testing.T) {
	s := newScene(t)
	s.standIn("curl", `case $* in
*web1*) test "$(grep -c web1 "$CALLS/curl")" = 3 ;;
*web3*) exit 22 ;;
esac`)
	s.standIn("deploy", "")
	s.set("ROLLOUT_LIMIT=3s", "ROLLOUT_EACH=1s")
	s.run("rollout.ftsh", "http://HOST:80/HOST", "web1 web2 web3 web4", "deploy", "v2").
		ends("1").says("web1 is well\nweb2 is well\n").complains("not changed, or not well: web3 web4")
	if got, want := s.calls("deploy"), []string{"v2 web1", "v2 web2", "v2 web3"}; !slices.Equal(got, want) {
		t.Errorf("deployed %q, want %q", got, want)
	}
	if got := s.calls("curl")[0]; !strings.HasSuffix(got, "-- http://web1:80/web1") {
		t.Errorf("asked %q", got)
	}
	s.leaves()
}

// TestExampleOnce has a second come while the first runs, and a third afterwards.
func TestExampleOnce(t *testing.T) {
	s := newScene(t)
	s.standIn("work", `echo begun > begun; until test -e go; do sleep 0.01; done; echo "$1" >> done`)
	first := s.begin("once.ftsh", "night", "work", "first")
	waitUntil(t, "the first runs", func() bool { return s.exists("begun") })
	s.run("once.ftsh", "night", "work", "second").ends("75").says("").complains("night is not run (--alone): process ")
	s.run("once.ftsh", "day", "true").ends("0")
	s.file("go", "")
	first.end().ends("0")
	s.run("once.ftsh", "night", "work", "third").ends("0")
	s.holds("done", "first\nthird\n")
}
