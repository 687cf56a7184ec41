// Package quote knows how text is quoted: which pieces a word has, and what each
// means. All that look inside a word ask it: the lexer for the word's end, the parser
// for its parts, the prompt for colours and completion.
//
// A [Scanner] goes through a text one [Piece] after the other and never fails: a text
// may be unfinished, as it is while it is typed. It looks at every byte once.
package quote
