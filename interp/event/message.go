package event

import (
	"strconv"

	"ftsh/interp/brief"
)

// appendMessage appends what a text line says about an event.
func appendMessage(dst []byte, e Event) []byte {
	if e.Kind == 0 || e.Kind >= kinds {
		return append(dst, "unknown event"...)
	}
	return append(dst, messages[e.Kind](&e)...)
}

// messages says what a text line tells of each kind. What an event need not have brings its own blank or
// punctuation: see part.go.
var messages = [kinds]func(e *Event) string{
	ShellStart:  func(e *Event) string { return "script started: " + e.shownCommand() },
	ShellSignal: func(e *Event) string { return "received " + signalName(e.Signal) + e.colonMessage() },
	ShellEnd:    func(e *Event) string { return "script " + e.howEnded() + e.afterTime() },

	ScriptFailed: func(e *Event) string {
		return "script failed" + e.atItem() + ": " + e.commandColon() + e.whyFailed() + e.howOften() +
			e.lastWords() + e.itemsLeft()
	},
	BranchLost: func(e *Event) string {
		return "also failed" + e.atItem() + ": " + e.commandColon() + e.whyFailed() + e.howOften() +
			e.lastWords()
	},
	BranchesLost: func(e *Event) string { return "and " + countNoun(e.Count, "more branch") + " failed" },

	CommandStart:    func(e *Event) string { return "starting: " + e.shownCommand() },
	CommandEnd:      func(e *Event) string { return e.howSucceeded() + ": " + e.shownCommand() + e.afterTime() },
	CommandFailed:   func(e *Event) string { return "failed: " + e.shownCommand() + ": " + e.whyFailed() + e.afterTime() },
	StatementFailed: func(e *Event) string { return "failed: " + e.whyFailed() },
	Assign:          func(e *Event) string { return e.shownItem() },

	PipelineStart:  func(e *Event) string { return "PIPELINE of " + countNoun(e.Count, "stage") },
	PipelineEnd:    func(e *Event) string { return "PIPELINE" + e.succeededAfter() },
	PipelineFailed: func(e *Event) string { return "PIPELINE" + e.failedWhy() },

	FunctionCall: func(e *Event) string { return "FUNCTION " + e.shownCommand() },
	FunctionEnd: func(e *Event) string {
		return "FUNCTION " + e.shownName() + " returned" + e.returnedValue() + e.afterTime()
	},
	FunctionFailed: func(e *Event) string { return "FUNCTION " + e.shownName() + e.failedWhy() },

	TryStart:   func(e *Event) string { return "TRY" + e.forLimits() },
	TryAttempt: func(e *Event) string { return "TRY attempt " + e.whichAttempt() },
	TryWait: func(e *Event) string {
		if next := *e; e.terse {
			next.Attempt++
			return "attempt " + next.whichAttempt() + " in " + brief.Time(e.Wait)
		}
		return "TRY attempt " + e.whichAttempt() + ", sleeping " + brief.Time(e.Wait) + ": " + e.whyFailed()
	},
	TryEnd: func(e *Event) string { return "TRY attempt " + e.whichAttempt() + e.succeededAfter() },
	TryFailed: func(e *Event) string {
		return "TRY failed after " + countNoun(e.Attempt, "attempt") + e.reasonInBrackets() + ": " + e.whyFailed() +
			e.afterTime()
	},
	Catch:   func(e *Event) string { return "CATCH: " + e.whyFailed() },
	Finally: func(e *Event) string { return "FINALLY" + e.colonCause() },

	Verify: func(e *Event) string { return "VERIFY attempt " + e.whichAttempt() + ": unknown: " + e.whyFailed() },
	VerifyWait: func(e *Event) string {
		return "VERIFY attempt " + e.whichAttempt() + ": still unknown, sleeping " + brief.Time(e.Wait) + ": " +
			e.whyFailed()
	},
	VerifyEnd: func(e *Event) string {
		return "VERIFY attempt " + e.whichAttempt() + ": " + shownText(e.Value, wordWidth) + e.afterTime()
	},

	ResourceWait: func(e *Event) string { return "TRY attempt " + e.whichAttempt() + ", " + e.whatFor() },
	ResourceDeferred: func(e *Event) string {
		return "TRY attempt " + e.whichAttempt() + " deferred by the sense of " + e.shownName() + ": " +
			e.whyFailed()
	},
	BreakerOpened: func(e *Event) string {
		return "the breaker of " + e.shownName() + " opens after " + countNoun(e.Count, "failure") +
			", a probe every " + brief.Time(e.Wait)
	},
	BreakerClosed: func(e *Event) string { return "the breaker of " + e.shownName() + " closes" },

	IfBranch: func(e *Event) string { return "IF " + e.shownValue() },

	ForStart: func(e *Event) string {
		return "FOR " + e.shownName() + " in " + countNoun(e.Count, "item") + e.atATime()
	},
	ForItem:   func(e *Event) string { return "FOR " + e.shownItem() },
	ForEnd:    func(e *Event) string { return "FOR " + e.shownName() + e.succeededAfter() },
	ForFailed: func(e *Event) string { return "FOR " + e.shownItem() + e.failedWhy() },

	ForanyStart: func(e *Event) string {
		return "FORANY " + e.shownName() + " in " + countNoun(e.Count, "item") + e.atATime()
	},
	ForanyItem:   func(e *Event) string { return "FORANY " + e.shownItem() },
	ForanyEnd:    func(e *Event) string { return "FORANY " + e.shownItem() + e.succeededAfter() },
	ForanyFailed: func(e *Event) string { return "FORANY " + e.shownName() + e.failedWhy() },

	ForallStart: func(e *Event) string {
		return "FORALL " + e.shownName() + " in " + countNoun(e.Count, "item") + e.atATime()
	},
	ForallBranch: func(e *Event) string { return "FORALL " + e.shownItem() },
	BranchEnd:    func(e *Event) string { return "FORALL " + e.shownItem() + e.succeededAfter() },
	BranchFailed: func(e *Event) string { return "FORALL " + e.shownItem() + e.failedWhy() },
	ForallEnd:    func(e *Event) string { return "FORALL " + e.shownName() + e.succeededAfter() },
	ForallFailed: func(e *Event) string { return "FORALL " + e.shownItem() + e.failedWhy() + e.itemsLeft() },

	WhileTurn:   func(e *Event) string { return "WHILE turn " + strconv.Itoa(e.Count) },
	WhileEnd:    func(e *Event) string { return "WHILE ended after " + countNoun(e.Count, "turn") + e.afterTime() },
	WhileFailed: func(e *Event) string { return "WHILE" + e.failedWhy() },

	ProcessStart: func(e *Event) string { return "process " + e.whichProcess("") + "started: " + e.shownCommand() },
	ProcessEnd: func(e *Event) string {
		return "process " + e.whichProcess("") + "ended: " + e.howDied() + e.afterTime()
	},
	ProcessSignal: func(e *Event) string {
		return "process " + e.whichProcess("tree ") + "was sent " + signalName(e.Signal) +
			e.processesInBrackets() + e.colonMessage()
	},
	ProcessSurvivor: func(e *Event) string {
		return "process " + e.whichProcess("") + "survived SIGKILL and is left behind" + e.colonMessage()
	},
	ProcessForeign: func(e *Event) string {
		return "process " + e.whichProcess("") + "belongs to another user and is left alone" + e.colonMessage()
	},
	ProcessStuck: func(e *Event) string {
		return "process " + e.whichProcess("") + "is stuck in the kernel since SIGKILL" + e.colonMessage()
	},
	ProcessStray: func(e *Event) string {
		return "process " + e.whichProcess("") + "hides which command has started it and is left alone" +
			e.colonMessage()
	},
	ProcessBlind: func(e *Event) string {
		return "there is no /proc: what programs leave behind is not found, unless it is in their own process group" +
			e.colonMessage()
	},
	ProcessAlone: func(e *Event) string {
		return "no guardian: if the shell is killed, this program is not ended" + e.colonMessage()
	},
	StderrUnseen: func(e *Event) string {
		return "what programs write to standard error cannot be seen, so error.stderr and its kin stay empty" +
			e.colonMessage()
	},

	JobState: func(e *Event) string {
		return "JOB " + e.shownName() + " " + shownText(e.Value, wordWidth) + e.colonMessage()
	},
	JobWait: func(e *Event) string {
		if e.Name != "" {
			return "JOB waits for " + e.shownName() + e.colonMessage()
		}
		return "JOB waits for the end of another" + e.colonMessage()
	},
	FaultInjected: func(e *Event) string {
		return "injected: " + shownText(e.Value, messageWidth) + ": " + e.shownCommand()
	},
	TraceLost: func(e *Event) string { return "trace: lost " + countNoun(e.Count, "span") + e.colonMessage() },
	LogLost:   func(e *Event) string { return "log: lost " + countNoun(e.Count, "line") + e.colonMessage() },
}
