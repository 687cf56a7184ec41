package event

import "strconv"

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

// appendResource appends what a text line says about a resource.
func appendResource(dst []byte, e Event) []byte {
	switch e.Kind {
	case ResourceWait:
		dst = appendText(append(appendAttempt(dst, e), ", "...), WaitingFor(e.Name, e.Value), messageWidth)
		if e.Wait > 0 {
			dst = appendDuration(append(dst, ", at most "...), e.Wait)
		}
		if e.Count > 0 {
			dst = append(strconv.AppendInt(append(dst, ", "...), int64(e.Count), 10), " before it"...)
		}
		return dst
	case ResourceDeferred:
		dst = appendText(append(appendAttempt(dst, e), " deferred by the sense of "...), e.Name, wordWidth)
		return appendWhy(append(dst, ": "...), e)
	case BreakerOpened:
		dst = appendText(append(dst, "the breaker of "...), e.Name, wordWidth)
		dst = appendCount(append(dst, " opens after "...), e.Count, "failure")
		return appendDuration(append(dst, ", a probe every "...), e.Wait)
	}
	dst = appendText(append(dst, "the breaker of "...), e.Name, wordWidth)
	return append(dst, " closes"...)
}
