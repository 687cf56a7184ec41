// Package value has what the variables of a script hold: a [Value] is text, an integer, or output
// too large for memory; a [Sequence] is the items of a list, of which a range takes no memory.
//
// Both are immutable, and may be copied and read by several goroutines at the same time. What a
// value means where it stands (a word, a number, a condition) is up to interp/expand.
package value
