// Package manual is the manual that ftsh carries: its pages, which page tells of
// a word, and how a terminal shows one.
//
// The pages are the Markdown files beside this one, for people to read as they
// are, too. They use a small part of Markdown. Every fenced block is run or
// parsed by the tests of cmd/ftsh, which say how blocks are labelled.
//
// Nothing is read before somebody asks: a start of the shell costs nothing for it.
package manual
