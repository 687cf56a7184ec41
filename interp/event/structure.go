package event

import "strconv"

// appendStructure appends what a text line says about a pipeline, a function, a
// condition or a loop.
func appendStructure(dst []byte, e Event) []byte {
	switch e.Kind {
	case PipelineStart:
		return appendCount(append(dst, "PIPELINE of "...), e.Count, "stage")
	case PipelineEnd:
		return appendAfter(append(dst, "PIPELINE succeeded"...), e.Elapsed)
	case PipelineFailed:
		return appendFailed(append(dst, "PIPELINE"...), e)
	case FunctionCall:
		return appendWords(append(dst, "FUNCTION "...), e.Command)
	case FunctionEnd:
		return appendReturned(dst, e)
	case FunctionFailed:
		return appendFailed(appendText(append(dst, "FUNCTION "...), e.Name, wordWidth), e)
	case IfBranch:
		return appendWord(append(dst, "IF "...), e.Value, valueWidth)
	case WhileTurn:
		return strconv.AppendInt(append(dst, "WHILE turn "...), int64(e.Count), 10)
	case WhileEnd:
		return appendAfter(appendCount(append(dst, "WHILE ended after "...), e.Count, "turn"), e.Elapsed)
	case WhileFailed:
		return appendFailed(append(dst, "WHILE"...), e)
	}
	return appendLoop(dst, e)
}

// appendReturned appends "FUNCTION f returned 7, after 1.2 s".
func appendReturned(dst []byte, e Event) []byte {
	dst = append(appendText(append(dst, "FUNCTION "...), e.Name, wordWidth), " returned"...)
	if e.Value != "" {
		dst = appendWord(append(dst, ' '), e.Value, valueWidth)
	}
	return appendAfter(dst, e.Elapsed)
}

// appendLoop appends what a text line says about a for, forany or forall.
func appendLoop(dst []byte, e Event) []byte {
	switch e.Kind {
	case ForStart, ForItem, ForEnd, ForFailed:
		dst = append(dst, "FOR "...)
	case ForanyStart, ForanyItem, ForanyEnd, ForanyFailed:
		dst = append(dst, "FORANY "...)
	case ForallStart, ForallBranch, BranchEnd, BranchFailed, ForallEnd, ForallFailed:
		dst = append(dst, "FORALL "...)
	default:
		return append(dst, "unknown event"...)
	}
	dst = appendText(dst, e.Name, wordWidth)
	switch e.Kind {
	case ForStart, ForanyStart, ForallStart:
		return appendItems(dst, e)
	case ForEnd, ForallEnd:
		return appendAfter(append(dst, " succeeded"...), e.Elapsed)
	}
	if e.Kind != ForanyFailed {
		dst = appendWord(append(dst, '='), e.Value, valueWidth)
	}
	switch e.Kind {
	case ForItem, ForanyItem, ForallBranch:
		return dst
	case ForanyEnd, BranchEnd:
		return appendAfter(append(dst, " succeeded"...), e.Elapsed)
	}
	return appendFailed(dst, e)
}

// appendItems appends " in 1000 items, 40 at a time".
func appendItems(dst []byte, e Event) []byte {
	dst = appendCount(append(dst, " in "...), e.Count, "item")
	if e.Limit > 0 {
		dst = append(strconv.AppendInt(append(dst, ", "...), int64(e.Limit), 10), " at a time"...)
	}
	return dst
}

// appendFailed appends " failed: why, after 1.2 s".
func appendFailed(dst []byte, e Event) []byte {
	return appendAfter(appendWhy(append(dst, " failed: "...), e), e.Elapsed)
}
