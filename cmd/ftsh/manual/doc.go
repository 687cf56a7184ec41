// Package manual is the manual that ftsh carries: its pages, the search for words in them, and
// their layout on a terminal.
//
// The pages are the Markdown files beside this one, for people to read as they
// are, too. They use a small part of Markdown. Every fenced block is run or
// parsed by the tests of cmd/ftsh, which say how blocks are labelled.
//
// Nothing is read before somebody asks: a start of the shell costs nothing for it.
package manual
