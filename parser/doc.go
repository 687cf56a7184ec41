// Package parser turns the text of a script into its tree.
//
// The way of a text: package lexer makes tokens of it, one unit (a statement of
// the top level) at a time; participle reads statements from the tokens by the
// structs of grammar.go; a builder makes ast nodes of these and sees to all that
// shape alone cannot tell. To learn the language, read grammar.go.
//
//   - grammar.go, lazy.go: the statements, and the parsers that participle builds
//     of them when they are first needed.
//   - group.go, leaf.go, clause.go: the leaves of the grammar, which look at a
//     token and decide.
//   - builder.go and the files named after what they make: the tree.
//   - word.go, split.go, reference.go: what is inside a word.
//   - explain.go, habits.go: errors in words for people; participle's own never
//     reach them.
//
// What it promises:
//
//   - A text with anything wrong in it gives an error, and a place for it. What
//     cannot be read is an ast.Bad, and reading goes on after it, so that one run
//     shows several errors, the first of them a real one.
//   - An error that only more text could mend is Incomplete: what a prompt asks
//     the next line for. Every beginning of a valid script is valid or Incomplete.
//   - The time taken is linear in the length of the text, and statements nest at
//     most lexer.MaxDepth deep; that takes 32 MB of stack here.
//   - The tree keeps what the printer needs: comments, blank lines, quotes as they
//     were written.
package parser
