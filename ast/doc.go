// Package ast is the shape of an ftsh script: its statements, words and
// expressions, each with the position where it was read.
//
// The parser makes a [File] of one script. Its [Group] is a list of
// [Stmt]; each holds one node: an [*Assign], a [*Command], a [*Try] and so on.
// Nodes are immutable once parsed and may be shared between goroutines.
//
// The tree is clean: no grammar tags and no parsing state, and nothing is
// imported but the standard library. Two things are worked out at parse time
// because the interpreter would otherwise do them in every turn of a loop:
// variables are numbered (see [Names]) and integer constants are converted
// (see [Operand]).
//
// The words of the language stand in vocabulary.go. The lexer, the parser, its
// messages, the completion of the prompt and the tests of the manual read them there.
//
// Comments and line breaks are kept, so that the printer can give back what a
// person wrote.
package ast
