// Package repl is the prompt: it reads statements from a terminal, runs them, and
// begins again.
//
//	bytes → keyboard → keys → editor → text → parser → Runner
//	                            │
//	                      scan, layout → screen
//
// [Run] is the loop (repl.go, run.go). The statement comes from an editor, or on
// a terminal without escape sequences from what the kernel edits (prompt.go). The
// editor takes every key and keeps the text as a value, a line (editor.go). What keys
// do is in bindings.go, recall.go, menu.go and vi.go. What is to be seen is a scan of the
// text (what each piece means, what is open, what belongs together) that a layout
// divides into rows, which a screen draws over the ones before: all of them, or where
// little has changed, only that.
//
// It is the only user of readline, which gives the terminal its raw mode, but does not edit the line: it reads through
// a buffer, so that what is typed for a program would be lost to it, edits one line, and counts cells by code points
// (so does ergochat/readline 0.1); reeflective/readline 1.1 would link os/user, os/exec and crypto into each shell
// that starts.
//
// While a statement runs, its programs have the terminal. Who gives it to them
// and takes it back is a [Jobs], which the program around this package brings;
// this package keeps what was stopped and goes on with it (job.go).
//
// # Invariants
//
//   - What is typed is read byte by byte, and not before it is wanted: the rest is
//     for the program that runs, or for the next prompt. No byte of a key is lost for
//     coming late.
//   - The statement is drawn as clusters (what a person sees as one character). Rows
//     of a long line are wrapped by the terminal, where the layout says it will.
//   - A text is scanned once for each change, and laid out around the cursor only.
//   - The terminal has the prompt's modes only while a statement is being typed.
//   - No signal handler and nothing else of the process is touched: signals
//     come through [Config].
package repl
