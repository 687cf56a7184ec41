package event

import (
	"strconv"
	"strings"

	"ftsh/interp/brief"
)

// shownCommand returns the words of a command as a shell would need them.
func (e *Event) shownCommand() string { return string(appendWords(nil, e.Command)) }

// shownName returns the name of a variable, a function or a resource.
func (e *Event) shownName() string { return shownText(e.Name, wordWidth) }

// shownValue returns a value as a shell would need it.
func (e *Event) shownValue() string { return string(appendWord(nil, e.Value, valueWidth)) }

func shownText(text string, width int) string { return string(appendText(nil, text, width)) }

// shownItem returns a variable and its value.
func (e *Event) shownItem() string { return e.shownName() + "=" + e.shownValue() }

// failedWhy returns how a structure failed.
func (e *Event) failedWhy() string { return " failed: " + e.whyFailed() + e.afterTime() }

// succeededAfter returns how a structure succeeded.
func (e *Event) succeededAfter() string { return " succeeded" + e.afterTime() }

// whichAttempt returns "3 of 5", or "3" where their number is not limited.
func (e *Event) whichAttempt() string {
	if e.Limit > 0 {
		return strconv.Itoa(e.Attempt) + " of " + strconv.Itoa(e.Limit)
	}
	return strconv.Itoa(e.Attempt)
}

// afterTime returns ", after 0.4 s", if it took any time.
func (e *Event) afterTime() string {
	if e.Elapsed == 0 {
		return ""
	}
	return ", after " + brief.Time(e.Elapsed)
}

// colonMessage returns ": MESSAGE", if there is one.
func (e *Event) colonMessage() string {
	if e.Message == "" {
		return ""
	}
	return ": " + shownText(e.Message, messageWidth)
}

// colonCause returns ": WHY", if a failure is meant.
func (e *Event) colonCause() string {
	if e.Failure == "" {
		return ""
	}
	return ": " + e.whyFailed()
}

// reasonInBrackets returns " (deadline)", unless the number of attempts says it by itself.
func (e *Event) reasonInBrackets() string {
	if e.Reason == "" || e.Reason == "attempts" {
		return ""
	}
	return " (" + shownText(e.Reason, wordWidth) + ")"
}

// returnedValue returns the value of a function after a blank, if it has one.
func (e *Event) returnedValue() string {
	if e.Value == "" {
		return ""
	}
	return " " + e.shownValue()
}

// atATime returns ", 3 at a time", if that is limited.
func (e *Event) atATime() string {
	if e.Limit <= 0 {
		return ""
	}
	return ", " + strconv.Itoa(e.Limit) + " at a time"
}

// processesInBrackets returns " (3 processes)", if they were counted.
func (e *Event) processesInBrackets() string {
	if e.Count <= 0 {
		return ""
	}
	return " (" + countNoun(e.Count, "process") + ")"
}

// atItem returns " at VARIABLE=ITEM", if a loop is meant.
func (e *Event) atItem() string {
	if e.Name == "" {
		return ""
	}
	return " at " + e.shownName() + "=" + string(appendWord(nil, e.Value, wordWidth))
}

// itemsLeft returns "; 17 of 200 failed: a b c …", if several items of a loop have failed.
func (e *Event) itemsLeft() string {
	if e.Left == 0 {
		return ""
	}
	text := []byte("; " + strconv.Itoa(e.Left) + " of " + strconv.Itoa(e.Count) + " failed:")
	for _, item := range e.Items {
		text = appendWord(append(text, ' '), item, wordWidth)
	}
	if e.Left > len(e.Items) {
		text = append(text, " …"...)
	}
	return string(text)
}

// commandColon returns "WORDS: ", if there are any, without those that the message repeats: those of failure and
// giveup are their message.
func (e *Event) commandColon() string {
	if len(e.Command) == 0 {
		return ""
	}
	words := e.Command
	if name := words[0]; name == "failure" || name == "giveup" {
		if strings.HasPrefix(e.Message, strings.Join(words[1:], " ")) {
			words = words[:1]
		}
	}
	return string(appendWords(nil, words)) + ": "
}

// lastWords returns what a command wrote to standard error, unless the message has it where a line shows it, as one
// made of ${error.summary} does.
func (e *Event) lastWords() string {
	told := len(e.Message) <= messageWidth && strings.Contains(e.Message, e.Stderr)
	if e.Stderr == "" || told {
		return ""
	}
	return "; it wrote: " + shownText(e.Stderr, stderrWidth)
}

// howOften returns how often something was tried, and why not once more.
func (e *Event) howOften() string {
	if e.Attempt <= 0 {
		return ""
	}
	text := ", tried " + countNoun(e.Attempt, "time")
	if e.Attempt > 1 && e.Elapsed > 0 {
		text += " in " + brief.Time(e.Elapsed)
	}
	return text + e.reasonInBrackets()
}

// whichProcess returns a process id and a blank. Events without a process have 0 where a whole tree is meant.
func (e *Event) whichProcess(tree string) string {
	switch {
	case e.PID > 0:
		return strconv.Itoa(e.PID) + " "
	case e.PID == 0:
		return tree
	}
	return ""
}

// howEnded returns how a script ended.
func (e *Event) howEnded() string {
	if e.Status == 0 {
		return "succeeded"
	}
	return "ended with status " + strconv.Itoa(e.Status)
}

// howSucceeded returns how a command ended that has not failed: as a condition it may have a status.
func (e *Event) howSucceeded() string {
	if e.Status == 0 {
		return "succeeded"
	}
	return exitStatus(e.Status)
}

// forLimits returns the limits of a try: " for 1 h or 5 times".
func (e *Event) forLimits() string {
	text := ""
	if e.Remaining > 0 {
		text = " for " + brief.Time(e.Remaining)
	}
	if e.Limit <= 0 {
		return text
	}
	if text != "" {
		text += " or"
	}
	return text + " " + countNoun(e.Limit, "time")
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
		return exitStatus(e.Status)
	case e.Core:
		return "died of " + signalName(e.Signal) + " (core dumped)"
	}
	return "died of " + signalName(e.Signal)
}

func exitStatus(status int) string { return "exit status " + strconv.Itoa(status) }

// countNoun returns "1 line", "2 lines".
func countNoun(n int, noun string) string {
	text := strconv.Itoa(n) + " " + noun
	switch {
	case n == 1:
		return text
	case noun[len(noun)-1] == 's', noun[len(noun)-1] == 'h':
		return text + "es"
	}
	return text + "s"
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

// whatFor returns what a resource makes a try wait for.
func (e *Event) whatFor() string {
	text := shownText(e.WaitingFor(), messageWidth)
	if e.Wait > 0 {
		text += ", at most " + brief.Time(e.Wait)
	}
	if e.Count > 0 {
		text += ", " + strconv.Itoa(e.Count) + " before it"
	}
	return text
}
