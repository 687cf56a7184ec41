package shared

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"ftsh/backoff"
)

var update = flag.Bool("update", false, "rewrite what happens in testdata/scenes.txt")

// TestScenes plays testdata/scenes.txt. A scene is its name and the rules, then steps with what comes of them after =>:
//
//	now T                     the time
//	N look [retry] [by T]     N wants to make an attempt: what it waits for, or go; whom it wakes; what it was told
//	N succeeded, failed, …    an attempt ends, with the floor that a server has asked for
//	N quit                    N makes no attempt
//	N dies                    and its ticket is nobody's
//	forget, begin N, refuse   the state is reset, or lost; no ticket can be given, or no slot
//	state                     what is stored
func TestScenes(t *testing.T) {
	const file = "testdata/scenes.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var played strings.Builder
	var s *scene
	for line := range strings.Lines(string(text)) {
		step, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " =>")
		if name, rules, ok := strings.Cut(step, ": "); ok {
			s = newScene(t, rules)
			fmt.Fprintf(&played, "%s: %s\n", name, rules)
			continue
		}
		got := step
		if step != "" && !strings.HasPrefix(step, "#") {
			if outcome := s.play(strings.Fields(step)); outcome != "" {
				got += " => " + outcome
			}
		}
		if want := strings.TrimSuffix(line, "\n"); got != want && !*update {
			t.Errorf("%s\nwanted\n%s", got, want)
		}
		played.WriteString(got + "\n")
	}
	if *update {
		if err := os.WriteFile(file, []byte(played.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A scene is a resource and its visitors.
type scene struct {
	room
	visits  map[string]*Visit
	refused error
}

func newScene(t *testing.T, rules string) *scene {
	s := &scene{room: room{T: t}, visits: map[string]*Visit{}}
	r := &s.Rules
	for _, rule := range strings.Fields(rules) {
		name, value, _ := strings.Cut(rule, "=")
		number, _ := strconv.ParseFloat(value, 64)
		length, _ := time.ParseDuration(value)
		switch name {
		case "slots":
			r.Slots = int32(number)
		case "percent":
			r.Budgeted, r.Percent = true, number
		case "minute":
			r.Budgeted, r.PerMinute = true, number
		case "window":
			r.Window = length
		case "failures":
			r.Failures = int32(number)
		case "within":
			r.Within = length
		case "probe":
			r.Probe = length
		}
	}
	return s
}

func (s *scene) Join(t Ticket) error {
	if s.refused == nil {
		return s.room.Join(t)
	}
	return s.refused
}

func (s *scene) TakeSlot(slots int) (bool, error) {
	if s.refused == nil {
		return s.room.TakeSlot(slots)
	}
	return false, s.refused
}

func (s *scene) play(words []string) string {
	switch words[0] {
	case "now":
		s.now, _ = time.ParseDuration(words[1])
		return ""
	case "forget":
		return wakes(s.Forget(s.now, s))
	case "refuse":
		s.refused = errors.New("refused")
		return ""
	case "begin":
		next, _ := strconv.ParseInt(words[1], 10, 64)
		s.Begin(false, next)
		s.Begin(true, next)
		return ""
	case "state":
		return s.state()
	}
	v := s.visits[words[0]]
	if v == nil {
		v = &Visit{Rules: s.Rules, Deadline: backoff.Never}
		s.visits[words[0]] = v
	}
	return s.act(v, words[1], words[2:])
}

func (s *scene) act(v *Visit, what string, args []string) string {
	switch what {
	case "look":
		return s.visit(v, args)
	case "quit":
		return fmt.Sprint(v.Begun(), " ", wakes(s.Quit(v, s.now, s)), " ", v.Begun())
	case "dies":
		s.Part(v.ticket)
		return ""
	}
	how := map[string]Ending{"succeeded": Succeeded, "failed": Failed, "undecided": Undecided, "deferred": Deferred}[what]
	var floor time.Duration
	if len(args) > 0 {
		floor, _ = time.ParseDuration(args[0])
	}
	s.taken--
	change, woken := s.Leave(v, how, floor, s.now, s)
	said := wakes(woken)
	switch {
	case change.Opened:
		said = "opened, " + said
	case change.Closed:
		said = "closed, " + said
	}
	return said
}

func (s *scene) visit(v *Visit, args []string) string {
	for i, arg := range args {
		v.Retry = v.Retry || arg == "retry"
		if arg == "by" {
			v.Deadline, _ = time.ParseDuration(args[i+1])
		}
	}
	told := ""
	v.Told = func(w Wait) { told += ", told " + w.For.String() }
	wait, woken, err := s.Look(v, s.now, s)
	if err != nil {
		return err.Error() + ", " + wakes(woken)
	}
	if wait == nil {
		return "go, " + wakes(woken) + told
	}
	until := "unknown"
	if wait.Until != backoff.Never {
		until = wait.Until.String()
	}
	return fmt.Sprintf("%v until %s, %d before, again %v, %s%s", wait.For, until, wait.Before, wait.Again,
		wakes(woken), told)
}

func (s *scene) state() string {
	all, retries, left := s.Attempts(s.now)
	b := s.Breaker
	return fmt.Sprintf("attempts %v, retries %v, left %v; open %v since %v next %v ramp %d recent %v; floor %v; "+
		"ready %v; retries %v; first %v", all, retries, left, b.Open, b.Since, b.Next, b.Ramp, b.Recent,
		s.Floor, s.Ready, s.Retries, s.firsts())
}

// firsts lists whose turn it is in both lines.
func (s *scene) firsts() (list []Ticket) {
	for _, retry := range []bool{false, true} {
		if number, found := s.firstInLine(retry, s); found {
			list = append(list, Ticket{retry, number})
		}
	}
	return list
}

// wakes writes tickets: 3 in the line before slots, r3 in that of the retries.
func wakes(list []Ticket) string {
	words := []string{"wakes"}
	for _, t := range list {
		word := strconv.FormatInt(t.Number, 10)
		if t.Retry {
			word = "r" + word
		}
		words = append(words, word)
	}
	if len(list) == 0 {
		words = append(words, "nobody")
	}
	return strings.Join(words, " ")
}

// TestTurnedAway has clients that keep no line: those the ramp lets through, and when it ends.
func TestTurnedAway(t *testing.T) {
	a := Admission{Rules: Rules{Failures: 2, Within: time.Minute, Probe: time.Second}}
	a.End(0, false)
	if change := a.End(0, false); !change.Opened || a.Admits(999*time.Millisecond) {
		t.Errorf("not opened: %v, %+v", change, a.Breaker)
	}
	if !a.Admits(time.Second) || a.Admits(time.Second) || !a.End(time.Second, true).Closed {
		t.Errorf("no probe: %+v", a.Breaker)
	}
	for n, want := range []int32{3, 2, 1, 1} { // what is left of the ramp
		if a.Breaker.Ramp != want || a.Admits(1500*time.Millisecond) != (want > 1) {
			t.Errorf("attempt %d: %+v, wanted %d", n, a.Breaker, want)
		}
	}
	for n, want := range []int32{3, 5} {
		if a.End(1500*time.Millisecond, true); a.Breaker.Ramp != want {
			t.Errorf("success %d: %+v, wanted %d", n, a.Breaker, want)
		}
	}
	if a.Admits(1500 * time.Millisecond); a.Breaker.Ramp != 0 { // 5: nobody uses it
		t.Errorf("the ramp does not end: %+v", a.Breaker)
	}
	if b := (Admission{Rules: Rules{Budgeted: true, PerMinute: -1}}); b.Affords(0) {
		t.Error("a retry is allowed where none is")
	}
	if b := (Admission{Rules: Rules{PerMinute: -1}}); !b.Affords(0) {
		t.Error("no retry is allowed where there is no budget")
	}
}

// TestNextChange has when a budget may change without an attempt: at the next slice of the shorter window.
func TestNextChange(t *testing.T) {
	for _, test := range []struct {
		rules     Rules
		now, want time.Duration
	}{
		{Rules{}, 0, 3 * time.Second}, {Rules{}, 3*time.Second - 1, 3 * time.Second},
		{Rules{}, 3 * time.Second, 6 * time.Second},
		{Rules{PerMinute: -1}, 0, 30 * time.Second}, {Rules{PerMinute: 0.5}, 0, 3 * time.Second},
		{Rules{Window: 20 * time.Second}, time.Second, 2 * time.Second}, {Rules{Window: 1, PerMinute: -1}, 7, 8},
	} {
		var b budget
		if got := b.nextChange(test.now, &test.rules); got != test.want {
			t.Errorf("%+v at %v: %v, wanted %v", test.rules, test.now, got, test.want)
		}
	}
}

func TestCauses(t *testing.T) {
	for cause, want := range []string{"turn", "budget", "breaker", "slot", "retryafter"} {
		if got := Cause(cause).String(); got != want {
			t.Errorf("%d: %s, wanted %s", cause, got, want)
		}
	}
}
