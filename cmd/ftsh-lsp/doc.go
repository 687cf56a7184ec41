// Command ftsh-lsp is the language server of ftsh: editors start it and speak to it
// on standard input and output, by the Language Server Protocol 3.17.
//
//   - server.go: the life of a session, and the notifications about open documents.
//   - document.go, position.go: texts, and places in them, which the protocol
//     counts in UTF-16.
//   - The other files are named after what is asked for.
//
// The messages are carried by github.com/creachadair/jrpc2 (well kept, no cgo); of
// the libraries that have the protocol's types, one was last published in 2022 and
// brings a logger and a JSON library of its own, so protocol.go has the thirty types
// that are spoken here.
//
// What it promises:
//
//   - It knows what the shell knows: errors come from parser, findings from
//     ast/check, the layout from ast/printer, the words of hovers from the manual.
//   - A document that cannot be parsed, a message that cannot be read, a method that
//     is not known, a request that was cancelled: the session goes on.
//   - It runs nothing and writes no file.
package main
