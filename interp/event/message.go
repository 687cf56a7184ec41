package event

import (
	"strconv"
	"time"
)

// appendMessage appends what a text line says about an event.
func appendMessage(dst []byte, e Event) []byte {
	switch e.Kind {
	case ShellStart, ShellSignal, ShellEnd, LogLost:
		return appendShell(dst, e)
	case CommandStart, CommandEnd, CommandFailed, StatementFailed, Assign:
		return appendCommand(dst, e)
	case TryStart, TryAttempt, TryWait, TryEnd, TryFailed, Catch, Finally:
		return appendTry(dst, e)
	case Verify, VerifyWait, VerifyEnd:
		return appendVerify(dst, e)
	case ResourceWait, ResourceDeferred, BreakerOpened, BreakerClosed:
		return appendResource(dst, e)
	case ProcessStart, ProcessEnd, ProcessSignal, ProcessSurvivor, ProcessForeign, ProcessStuck, ProcessStray, ProcessAlone:
		return appendProcess(dst, e)
	}
	return appendStructure(dst, e)
}

func appendShell(dst []byte, e Event) []byte {
	switch e.Kind {
	case ShellStart:
		return appendWords(append(dst, "script started: "...), e.Command)
	case ShellSignal:
		return appendSuffix(append(append(dst, "received "...), signalName(e.Signal)...), e.Message)
	case LogLost:
		return appendSuffix(appendCount(append(dst, "log: lost "...), e.Count, "line"), e.Message)
	}
	if e.Status == 0 {
		return appendAfter(append(dst, "script succeeded"...), e.Elapsed)
	}
	dst = strconv.AppendInt(append(dst, "script ended with status "...), int64(e.Status), 10)
	return appendAfter(dst, e.Elapsed)
}

func appendCommand(dst []byte, e Event) []byte {
	switch e.Kind {
	case CommandStart:
		return appendWords(append(dst, "starting: "...), e.Command)
	case CommandFailed:
		dst = appendWords(append(dst, "failed: "...), e.Command)
		return appendAfter(appendWhy(append(dst, ": "...), e), e.Elapsed)
	case StatementFailed:
		return appendWhy(append(dst, "failed: "...), e)
	case Assign:
		dst = append(appendText(dst, e.Name, wordWidth), '=')
		return appendWord(dst, e.Value, valueWidth)
	}
	if e.Status == 0 {
		dst = append(dst, "succeeded: "...)
	} else {
		dst = append(appendStatus(dst, e.Status), ": "...)
	}
	return appendAfter(appendWords(dst, e.Command), e.Elapsed)
}

func appendTry(dst []byte, e Event) []byte {
	switch e.Kind {
	case TryStart:
		return appendLimits(append(dst, "TRY"...), e)
	case TryAttempt:
		return appendAttempt(dst, e)
	case TryWait:
		dst = appendDuration(append(appendAttempt(dst, e), ", sleeping "...), e.Wait)
		return appendWhy(append(dst, ": "...), e)
	case TryEnd:
		return appendAfter(append(appendAttempt(dst, e), " succeeded"...), e.Elapsed)
	case TryFailed:
		dst = appendCount(append(dst, "TRY failed after "...), e.Attempt, "attempt")
		if e.Reason != "" {
			dst = append(appendText(append(dst, " ("...), e.Reason, wordWidth), ')')
		}
		return appendAfter(appendWhy(append(dst, ": "...), e), e.Elapsed)
	case Catch:
		return appendWhy(append(dst, "CATCH: "...), e)
	}
	if e.Failure != "" {
		return appendWhy(append(dst, "FINALLY: "...), e)
	}
	return append(dst, "FINALLY"...)
}

// appendVerify appends "VERIFY attempt 3: unknown: why" and what comes of it.
func appendVerify(dst []byte, e Event) []byte {
	dst = strconv.AppendInt(append(dst, "VERIFY attempt "...), int64(e.Attempt), 10)
	switch e.Kind {
	case Verify:
		return appendWhy(append(dst, ": unknown: "...), e)
	case VerifyWait:
		return appendWhy(append(appendDuration(append(dst, ": still unknown, sleeping "...), e.Wait), ": "...), e)
	}
	return appendAfter(appendText(append(dst, ": "...), e.Value, wordWidth), e.Elapsed)
}

// appendLimits appends the limits of a try: " for 1 h or 5 times".
func appendLimits(dst []byte, e Event) []byte {
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

// appendAttempt appends "TRY attempt 3 of 5".
func appendAttempt(dst []byte, e Event) []byte {
	dst = strconv.AppendInt(append(dst, "TRY attempt "...), int64(e.Attempt), 10)
	if e.Limit > 0 {
		dst = strconv.AppendInt(append(dst, " of "...), int64(e.Limit), 10)
	}
	return dst
}

func appendProcess(dst []byte, e Event) []byte {
	if e.Kind == ProcessAlone {
		return appendSuffix(append(dst, "no guardian: if the shell is killed, this program is not ended"...), e.Message)
	}
	dst = append(dst, "process "...)
	if e.PID > 0 {
		dst = append(strconv.AppendInt(dst, int64(e.PID), 10), ' ')
	}
	switch e.Kind {
	case ProcessStart:
		return appendWords(append(dst, "started: "...), e.Command)
	case ProcessEnd:
		return appendAfter(appendDeath(append(dst, "ended: "...), e), e.Elapsed)
	case ProcessSurvivor:
		return appendSuffix(append(dst, "survived SIGKILL and is left behind"...), e.Message)
	case ProcessForeign:
		return appendSuffix(append(dst, "belongs to another user and is left alone"...), e.Message)
	case ProcessStuck:
		return appendSuffix(append(dst, "is stuck in the kernel since SIGKILL"...), e.Message)
	case ProcessStray:
		return appendSuffix(append(dst, "hides which command has started it and is left alone"...), e.Message)
	}
	if e.PID == 0 {
		dst = append(dst, "tree "...)
	}
	dst = append(append(dst, "was sent "...), signalName(e.Signal)...)
	if e.Count > 0 {
		dst = append(appendCount(append(dst, " ("...), e.Count, "process"), ')')
	}
	return appendSuffix(dst, e.Message)
}

// appendWhy appends why something failed: the message if there is one, else
// what the kind of failure says.
func appendWhy(dst []byte, e Event) []byte {
	switch {
	case e.Message != "":
		return appendText(dst, e.Message, messageWidth)
	case e.Failure == "timeout":
		return append(dst, "cut off by a time limit"...)
	case e.Failure == "" || e.Failure == "exit" || e.Failure == "signal":
		return appendDeath(dst, e)
	}
	return appendText(dst, e.Failure, wordWidth)
}

// appendDeath appends how a process ended.
func appendDeath(dst []byte, e Event) []byte {
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

// appendAfter appends ", after 4.1 s", if that is known.
func appendAfter(dst []byte, d time.Duration) []byte {
	if d == 0 {
		return dst
	}
	return appendDuration(append(dst, ", after "...), d)
}

// appendSuffix appends ": message" if there is one.
func appendSuffix(dst []byte, message string) []byte {
	if message == "" {
		return dst
	}
	return appendText(append(dst, ": "...), message, messageWidth)
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
