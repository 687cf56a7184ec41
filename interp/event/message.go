package event

import (
	"strconv"
	"strings"
)

// appendMessage appends what a text line says about an event: the text of its kind, with
// what stands in braces replaced; see appendField.
func appendMessage(dst []byte, e Event) []byte {
	text := "unknown event"
	if e.Kind > 0 && e.Kind < kinds {
		text = table[e.Kind].text
	}
	for {
		before, rest, found := strings.Cut(text, "{")
		dst = append(dst, before...)
		if !found {
			return dst
		}
		field, after, _ := strings.Cut(rest, "}")
		if noun, counted := strings.CutPrefix(field, "count "); counted {
			dst = appendCount(dst, e.Count, noun)
		} else {
			dst = appendField(dst, field, &e)
		}
		text = after
	}
}

// appendField appends a part of an event. What begins with a blank or punctuation is
// left out where there is nothing to say.
func appendField(dst []byte, field string, e *Event) []byte {
	switch field {
	case "words":
		return appendWords(dst, e.Command)
	case "name":
		return appendText(dst, e.Name, wordWidth)
	case "value":
		return appendWord(dst, e.Value, valueWidth)
	case "why":
		return appendWhy(dst, e)
	case "death":
		return appendDeath(dst, e)
	case "signal":
		return append(dst, signalName(e.Signal)...)
	case "number":
		return strconv.AppendInt(dst, int64(e.Count), 10)
	case "wait":
		return appendDuration(dst, e.Wait)
	case "rule":
		return appendText(dst, e.Value, messageWidth)
	case "verdict":
		return appendText(dst, e.Value, wordWidth)
	case "waiting":
		return appendWaiting(dst, e)
	case "attempts":
		return appendCount(dst, e.Attempt, "attempt")
	case "attempt": // "3 of 5"
		dst = strconv.AppendInt(dst, int64(e.Attempt), 10)
		if e.Limit > 0 {
			dst = strconv.AppendInt(append(dst, " of "...), int64(e.Limit), 10)
		}
	case "pid", "pid or tree":
		return appendProcess(dst, e.PID, field)
	case "ended", "result":
		return appendResult(dst, e.Status, field)
	default:
		return appendOption(dst, field, e)
	}
	return dst
}

// appendOption appends a part of an event that is not always there.
func appendOption(dst []byte, field string, e *Event) []byte {
	switch {
	case field == "after" && e.Elapsed != 0:
		return appendDuration(append(dst, ", after "...), e.Elapsed)
	case field == "message" && e.Message != "":
		return appendText(append(dst, ": "...), e.Message, messageWidth)
	case field == "cause" && e.Failure != "":
		return appendWhy(append(dst, ": "...), e)
	case field == "reason" && e.Reason != "" && e.Reason != reasonAttempts:
		return append(appendText(append(dst, " ("...), e.Reason, wordWidth), ')')
	case field == "returned" && e.Value != "":
		return appendWord(append(dst, ' '), e.Value, valueWidth)
	case field == "at a time" && e.Limit > 0:
		return append(strconv.AppendInt(append(dst, ", "...), int64(e.Limit), 10), " at a time"...)
	case field == "processes" && e.Count > 0:
		return append(appendCount(append(dst, " ("...), e.Count, "process"), ')')
	case field == "limits":
		return appendLimits(dst, e)
	case field == "item" && e.Name != "":
		dst = append(appendText(append(dst, " at "...), e.Name, wordWidth), '=')
		return appendWord(dst, e.Value, wordWidth)
	case field == "command" && len(e.Command) > 0:
		return append(appendWords(dst, unsaid(e)), ": "...)
	case field == "said" && e.Stderr != "" && !tells(e.Message, e.Stderr):
		return appendText(append(dst, "; it wrote: "...), e.Stderr, stderrWidth)
	case field == "tried" && e.Attempt > 0:
		return appendTried(dst, e)
	}
	return dst
}

// unsaid are the words of a command that the message does not repeat: those of failure and giveup are
// their message.
func unsaid(e *Event) []string {
	if name := e.Command[0]; name == "failure" || name == "giveup" {
		if strings.HasPrefix(e.Message, strings.Join(e.Command[1:], " ")) {
			return e.Command[:1]
		}
	}
	return e.Command
}

// tells reports whether a message has a text in it where a line shows it, as one made of
// ${error.summary} has what the command wrote.
func tells(message, text string) bool {
	return len(message) <= messageWidth && strings.Contains(message, text)
}

// reasonAttempts is the reason that a number of attempts says by itself.
const reasonAttempts = "attempts"

// appendTried appends how often something was tried, and why not once more.
func appendTried(dst []byte, e *Event) []byte {
	dst = appendCount(append(dst, ", tried "...), e.Attempt, "time")
	if e.Attempt > 1 && e.Elapsed > 0 {
		dst = appendDuration(append(dst, " in "...), e.Elapsed)
	}
	return appendOption(dst, "reason", e)
}

// appendProcess appends a process id, if there is one, or that a tree is meant.
func appendProcess(dst []byte, pid int, field string) []byte {
	switch {
	case pid > 0:
		return append(strconv.AppendInt(dst, int64(pid), 10), ' ')
	case pid == 0 && field == "pid or tree":
		return append(dst, "tree "...)
	}
	return dst
}

// appendResult appends how a script ended, or a command.
func appendResult(dst []byte, status int, field string) []byte {
	switch {
	case status == 0:
		return append(dst, "succeeded"...)
	case field == "ended":
		return strconv.AppendInt(append(dst, "ended with status "...), int64(status), 10)
	}
	return appendStatus(dst, status)
}

// appendLimits appends the limits of a try: " for 1 h or 5 times".
func appendLimits(dst []byte, e *Event) []byte {
	if e.Remaining > 0 {
		dst = appendDuration(append(dst, " for "...), e.Remaining)
	}
	if e.Limit > 0 {
		if e.Remaining > 0 {
			dst = append(dst, " or"...)
		}
		dst = appendCount(append(dst, ' '), e.Limit, "time")
	}
	return dst
}

// appendWhy appends why something failed: the message if there is one, else
// what the kind of failure says.
func appendWhy(dst []byte, e *Event) []byte {
	switch {
	case e.Message != "":
		return appendText(dst, withoutName(e), messageWidth)
	case e.Failure == "timeout":
		return append(dst, "cut off by a time limit"...)
	case e.Failure == "" || e.Failure == "exit" || e.Failure == "signal":
		return appendDeath(dst, e)
	}
	return appendText(dst, e.Failure, wordWidth)
}

// withoutName is an event's message without the name of the program that it may begin
// with, where the line has just shown the command.
func withoutName(e *Event) string {
	if len(e.Command) == 0 {
		return e.Message
	}
	return strings.TrimPrefix(e.Message, e.Command[0]+": ")
}

// appendDeath appends how a process ended.
func appendDeath(dst []byte, e *Event) []byte {
	if e.Signal == 0 {
		return appendStatus(dst, e.Status)
	}
	dst = append(append(dst, "died of "...), signalName(e.Signal)...)
	if e.Core {
		dst = append(dst, " (core dumped)"...)
	}
	return dst
}

func appendStatus(dst []byte, status int) []byte {
	return strconv.AppendInt(append(dst, "exit status "...), int64(status), 10)
}

// appendCount appends "1 line", "2 lines".
func appendCount(dst []byte, n int, noun string) []byte {
	dst = append(append(strconv.AppendInt(dst, int64(n), 10), ' '), noun...)
	switch {
	case n == 1:
		return dst
	case noun[len(noun)-1] == 's', noun[len(noun)-1] == 'h':
		return append(dst, "es"...)
	}
	return append(dst, 's')
}

// What a resource makes a try wait for: the Value of a ResourceWait.
const (
	WaitTurn       = "turn"
	WaitSlot       = "slot"
	WaitBudget     = "budget"
	WaitBreaker    = "breaker"
	WaitRetryafter = "retryafter"
)

// WaitingFor says what is waited for: "waiting for a slot of schedd".
func WaitingFor(resource, cause string) string {
	switch cause {
	case WaitBudget:
		return "waiting for the budget of " + resource
	case WaitBreaker:
		return "waiting for the breaker of " + resource
	case WaitRetryafter:
		return "waiting as long as " + resource + " has asked for"
	case WaitTurn:
		return "waiting for its turn at " + resource
	}
	return "waiting for a slot of " + resource
}

// appendWaiting appends what a resource makes a try wait for.
func appendWaiting(dst []byte, e *Event) []byte {
	dst = appendText(dst, WaitingFor(e.Name, e.Value), messageWidth)
	if e.Wait > 0 {
		dst = appendDuration(append(dst, ", at most "...), e.Wait)
	}
	if e.Count > 0 {
		dst = append(strconv.AppendInt(append(dst, ", "...), int64(e.Count), 10), " before it"...)
	}
	return dst
}
