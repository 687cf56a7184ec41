package repl

// style is what a piece of text means, and so how it is shown.
type style uint8

const (
	stylePlain style = iota
	styleKeyword
	styleCommand // a builtin, a function, a program that is there
	styleUnknown // a program that is not
	styleString
	styleVariable
	styleOperator
	styleComment
	styleWrong
	styleMatch    // the bracket, or the keyword, that belongs to the one at the cursor
	styleFaint    // hints
	styleSelected // the chosen one of several
	styleFound    // what is searched for
)

// sequence is what switches a style on, after a reset. Without colours only
// what does not depend on them is left.
func (s style) sequence(colours bool) string {
	switch s {
	case styleMatch:
		return "\x1b[1;4m"
	case styleSelected:
		return "\x1b[7m"
	case styleFound:
		return "\x1b[4m"
	}
	if !colours {
		return ""
	}
	switch s {
	case styleKeyword:
		return "\x1b[1;35m"
	case styleCommand:
		return "\x1b[32m"
	case styleUnknown, styleWrong:
		return "\x1b[31m"
	case styleString:
		return "\x1b[33m"
	case styleVariable:
		return "\x1b[36m"
	case styleOperator:
		return "\x1b[34m"
	case styleComment, styleFaint:
		return "\x1b[2m"
	}
	return ""
}

const resetStyle = "\x1b[0m"

// either is a if the condition holds, else b.
func either[T any](condition bool, a, b T) T {
	if condition {
		return a
	}
	return b
}
