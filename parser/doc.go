// Package parser turns the text of a script into its tree.
//
// The way of a text: package lexer makes tokens of it, one unit (a statement of
// the top level) at a time; participle reads the first line of each statement by the
// structs of grammar.go, and a struct's method makes its node and reads the groups
// under it. Each token is read once. To learn the language, read grammar.go.
//
//   - grammar.go: the statements and the clauses of a try, and which word leads to which clause.
//   - enter.go: which keyword leads to which statement, and the parsers that participle builds of them when they are
//     first needed.
//   - statement.go: lists of statements, blocks, their sections and ends.
//   - try.go, block.go, command.go, expression.go, resource.go, function.go, source.go:
//     what participle leaves to the builder, and what shape alone cannot tell.
//   - word.go, split.go, reference.go: what is inside a word.
//   - explain.go, habits.go: errors in words for people; participle's own never
//     reach them.
//
// A new statement is a struct with its method in grammar.go, a case of grammar.statement in enter.go,
// and its keyword in ast/vocabulary.go and in lexer/statement.go; a new clause of a try the
// same without the keyword and with a case of grammar.clause in grammar.go, and its words in ast/try.go.
//
// What it promises:
//
//   - A text with anything wrong in it gives an error, and a place for it. What
//     cannot be read is an ast.Bad, and reading goes on after it, so that one run
//     shows several errors, the first of them a real one.
//   - An error that only more text could mend is Incomplete: what a prompt asks
//     the next line for. Every beginning of a valid script is valid or Incomplete.
//   - The time taken is linear in the length of the text, and statements nest at
//     most lexer.MaxDepth deep.
//   - The tree keeps what the printer needs: comments, blank lines, quotes as they
//     were written.
package parser
