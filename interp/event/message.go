package event

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"ftsh/interp/brief"
)

// terseWait is the format of a TryWait in a log that does not tell structures: no attempts are around it.
const terseWait = "attempt {next}[ of {limit}] in {wait}"

// appendMessage appends what a text line says about an event.
func appendMessage(dst []byte, e Event) []byte {
	format := e.Kind.row().format
	if e.Kind == TryWait && e.terse {
		format = terseWait
	}
	dst, _ = e.appendFormat(dst, format)
	return dst
}

// appendFormat appends a format with its {fields} filled in, up to its end or the bracket that closes a section, and
// returns what follows. A [section] is left out if a field in it has nothing to say.
func (e *Event) appendFormat(dst []byte, format string) ([]byte, string) {
	begin, says := len(dst), true
	for {
		i := strings.IndexAny(format, "[]{")
		if i < 0 {
			return append(dst, format...), ""
		}
		dst = append(dst, format[:i]...)
		sign := format[i]
		format = format[i+1:]
		switch sign {
		case '[':
			dst, format = e.appendFormat(dst, format)
		case ']':
			if !says {
				dst = dst[:begin]
			}
			return dst, format
		case '{':
			field, after, _ := strings.Cut(format, "}")
			name, noun, _ := strings.Cut(field, " ")
			text, there := e.field(name, noun)
			dst, format, says = append(dst, text...), after, says && there
		}
	}
}

// field returns the text of a field, and reports whether it has anything to say. What stands behind its name is
// the noun that it counts, or what is said in its place where there is none.
func (e *Event) field(name, noun string) (text string, says bool) {
	if n, isNumber := e.number(name); isNumber {
		return countNoun(n, noun), n > 0
	}
	if d, isTime := e.duration(name); isTime {
		return brief.Time(d), d > 0
	}
	switch name {
	case "command":
		return shownWords(e.Command), true
	case "words":
		return shownWords(e.untoldWords()), len(e.Command) > 0
	case "why":
		return e.whyFailed(), e.Failure != ""
	case "died":
		return e.howDied(), true
	case "signal":
		return signalName(e.Signal), true
	case "items":
		return e.failedItems(), e.Left != 0
	case "or":
		return name, e.Remaining > 0 && e.Limit > 0
	case "waiting":
		return shownText(e.WaitingFor(), messageWidth), true
	case "succeeded":
		if e.Status != 0 {
			name = noun + " status " + strconv.Itoa(e.Status)
		}
		return name, true
	case "pid":
		if e.PID != 0 {
			noun = strconv.Itoa(e.PID)
		}
		return noun, e.PID > 0 || e.PID == 0 && noun != ""
	}
	return e.textField(name, noun)
}

// number returns the value of a field that is a number.
func (e *Event) number(name string) (n int, isNumber bool) {
	switch name {
	case "count":
		return e.Count, true
	case "limit":
		return e.Limit, true
	case "attempt":
		return e.Attempt, true
	case "next":
		return e.Attempt + 1, true
	}
	return 0, false
}

// duration returns the value of a field that is a time.
func (e *Event) duration(name string) (d time.Duration, isTime bool) {
	switch {
	case name == "elapsed", name == "spent" && e.Attempt > 1: // by more than one attempt
		return e.Elapsed, true
	case name == "remaining":
		return e.Remaining, true
	case name == "wait":
		return e.Wait, true
	}
	return 0, name == "spent"
}

// textField returns the text of a field that the event has as it is, as far as there is room for it.
func (e *Event) textField(name, noun string) (text string, says bool) {
	switch name {
	case "name":
		return shownText(cmp.Or(e.Name, noun), wordWidth), e.Name != ""
	case "value":
		return shownWord(e.Value, valueWidth), e.Value != ""
	case "item":
		return shownWord(e.Value, wordWidth), true
	case "state":
		return shownText(e.Value, wordWidth), true
	case "rule":
		return shownText(e.Value, messageWidth), true
	case "message":
		return shownText(e.Message, messageWidth), e.Message != ""
	case "stderr":
		told := len(e.Message) <= messageWidth && strings.Contains(e.Message, e.Stderr) // as in one of ${error.summary}
		return shownText(e.Stderr, stderrWidth), !told && e.Stderr != ""
	case "reason": // the number of attempts says it by itself
		return shownText(e.Reason, wordWidth), e.Reason != "" && e.Reason != "attempts"
	}
	panic("event: a format has an unknown field " + name)
}

// untoldWords returns the command, for failure and giveup without the words that the message repeats.
func (e *Event) untoldWords() []string {
	words := e.Command
	if len(words) > 0 && (words[0] == "failure" || words[0] == "giveup") &&
		strings.HasPrefix(e.Message, strings.Join(words[1:], " ")) {
		return words[:1]
	}
	return words
}

// failedItems returns "17 of 200 failed: a b c …".
func (e *Event) failedItems() string {
	text := []byte(strconv.Itoa(e.Left) + " of " + strconv.Itoa(e.Count) + " failed:")
	for _, item := range e.Items {
		text = appendWord(append(text, ' '), item, wordWidth)
	}
	if e.Left > len(e.Items) {
		text = append(text, " "+cut...)
	}
	return string(text)
}

// whyFailed returns the message if there is one, else what the kind of failure says. A line that has just shown the
// command does not repeat its name.
func (e *Event) whyFailed() string {
	switch {
	case e.Message != "" && len(e.Command) > 0:
		return shownText(strings.TrimPrefix(e.Message, e.Command[0]+": "), messageWidth)
	case e.Message != "":
		return shownText(e.Message, messageWidth)
	case e.Failure == "timeout":
		return "cut off by a time limit"
	case e.Failure == "" || e.Failure == "exit" || e.Failure == "signal":
		return e.howDied()
	}
	return shownText(e.Failure, wordWidth)
}

// howDied returns how a process ended.
func (e *Event) howDied() string {
	switch {
	case e.Signal == 0:
		return "exit status " + strconv.Itoa(e.Status)
	case e.Core:
		return "died of " + signalName(e.Signal) + " (core dumped)"
	}
	return "died of " + signalName(e.Signal)
}

// WaitingFor returns what the try of a ResourceWait waits for: "waiting for a slot of schedd".
func (e *Event) WaitingFor() string {
	switch e.Value {
	case "budget", "breaker":
		return "waiting for the " + e.Value + " of " + e.Name
	case "retryafter":
		return "waiting as long as " + e.Name + " has asked for"
	case "turn":
		return "waiting for its turn at " + e.Name
	}
	return "waiting for a slot of " + e.Name
}

// countNoun returns "1 line", "2 lines", or the number alone if there is no noun.
func countNoun(n int, noun string) string {
	text := strconv.Itoa(n)
	switch {
	case noun == "":
		return text
	case n == 1:
		return text + " " + noun
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "h"):
		return text + " " + noun + "es"
	}
	return text + " " + noun + "s"
}

func shownWords(words []string) string { return string(appendWords(nil, words)) }

func shownWord(word string, width int) string { return string(appendWord(nil, word, width)) }

func shownText(text string, width int) string { return string(appendText(nil, text, width)) }
