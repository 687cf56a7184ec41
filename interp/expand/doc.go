// Package expand turns words into strings and expressions into values.
//
// It is sections 3 and 6 of the language, and the times of section 7. What it
// needs to know of the running script it asks through [Env], so that it can be
// tested without an interpreter and knows nothing of processes or statements.
//
// A word becomes strings in one of three ways:
//
//   - [Words], for commands: an unquoted reference splits, patterns match file
//     names, a pattern without a match stays as it is written.
//   - [List], for the lists of loops: the same, but a pattern without a match
//     gives nothing, and ranges, lines and calls may stand between the words.
//   - [Word], wherever exactly one string is wanted: nothing splits or matches.
//
// An expression becomes a [value.Value] by [Eval], or one of a wanted kind by [Truth],
// [Integer], [Decimal] and [Duration].
//
// Invariants:
//
//   - A value is never read again as code: quotes, `$`, backslashes and pattern
//     characters in a value mean nothing, whatever its bytes are.
//   - A quoted reference never changes how many words there are (but for "$@").
//   - A failure is a [*diag.Error] that names the text it is about and has a
//     place in the script; errors of [Env.Call] pass through as they are.
//   - A range is never written out before somebody wants its text.
//   - Nothing is remembered between calls but what the Env carries ([Patterns]),
//     and all functions may be called from several goroutines at once as long as
//     the Env allows it.
package expand
