package repl

// either is a if the condition holds, else b.
func either[T any](condition bool, a, b T) T {
	if condition {
		return a
	}
	return b
}
