// Package lexer turns the text of a script into tokens for the parser.
//
// It is written by hand and implements participle's Lexer and Definition. What
// a word means depends on where it stands: `echo end` prints a word, and
// `end` at the beginning of a line closes a block. So the lexer follows the
// script as it reads, knows which blocks are open and what the line so far calls
// for, and hands over keywords as tokens of their own type only where the
// grammar calls for one.
//
// What it promises:
//
//   - One token per word. Quotes, escapes and references inside a word are left
//     as they stand in the text; package quote says what they are.
//   - Tokens come a unit at a time: Next says EOF after each statement of the top
//     level, and [Lexer.More] reports whether another unit follows.
//   - A Newline token ends each statement. Its value is the text from there to
//     the next statement: blanks, semicolons, blank lines and comments, so that
//     nothing that a person wrote is lost.
//   - The body of a here-document is a Document token right after the word that
//     delimits it, although it stands further down in the text.
//   - Blocks are balanced: where an `end` is missing, at the end of the text or
//     before an `else` that belongs to a statement further out, a Missing token
//     stands for it.
//   - Next never returns an error. Text that cannot be a token is an Invalid token
//     that says what is wrong, and reading goes on with the next line.
//   - Statements and parentheses nest at most [MaxDepth] deep, and the time taken
//     is linear in the length of the text.
package lexer
