// Package printer turns a tree back into text, in the one canonical layout:
// four blanks for each block, one blank between words, one spelling for each
// clause, the clauses of a try in the order of the manual.
//
// What it promises, for trees that the parser made:
//
//   - The text parses to the same tree, positions aside. So words stand as they
//     were written, quotes and all, and every comment is kept.
//   - Printing the result again gives the same text.
//   - Blank lines between statements stay, but at most one in a row; lines that a
//     person broke with a backslash or after a bar stay broken.
//   - Time and memory are linear in the size of the tree, however deep it is:
//     indentation stops growing at forty blocks.
package printer
