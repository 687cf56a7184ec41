package main

import (
	"slices"

	"ftsh/ast"
	"ftsh/backoff"
)

// The words of the language, for completion and hovers.

func policies() (names []string) {
	for p := backoff.Ethernet; p <= backoff.Fixed; p++ {
		names = append(names, p.String())
	}
	return names
}

func isPolicy(word string) bool { return slices.Contains(policies(), word) }

func kinds() []string {
	return []string{"exit", "signal", "missing", "system", "timeout", "cancelled", "redirect", "failure", "error", "unknown"}
}

func isKind(word string) bool { return slices.Contains(kinds(), word) }

func operators() (names []string) {
	for op := ast.Or; op <= ast.Defined; op++ {
		names = append(names, op.String())
	}
	return append(names, ".to.", ".step.", ".inorder.", ".hedge.", ".limit.", ".keepgoing.")
}

func dotted() (names []string) {
	for d := ast.TryAttempt; d <= ast.ErrorReason; d++ {
		names = append(names, d.String())
	}
	return names
}

func keywords() []string {
	return []string{
		"try", "catch", "finally", "verify", "end", "for", "forany", "forall", "while", "if", "else", "function", "return",
		"shift", "export", "local", "source", "resource",
	}
}

func settings() []string { return []string{"slots", "budget", "breaker", "sense", "end"} }

func clauses() []string {
	return []string{"for", "or", "each", "every", "backoff", "from", "to", "by", "jitter", "only on", "except on", "unknown on", "matching", "via", "key"}
}

func units() []string {
	return []string{"times", "milliseconds", "seconds", "minutes", "hours", "days"}
}
