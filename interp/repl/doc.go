// Package repl is the prompt: it reads statements from a terminal, runs them, and
// begins again. It is the only user of readline.
//
//	bytes → keyboard → keys → readline ⇄ editor → text → parser → Runner
//	                               │       │
//	                               │    scan, layout → screen
//	                           (its own drawing is thrown away)
//
// [Run] is the loop (repl.go, run.go). The statement comes from an editor, or on
// a terminal without escape sequences from a plainReader. An editor is readline
// with all of its hooks in use (editor.go); what a key does is decided in press.go,
// search.go, menu.go and vi.go, by functions on a line (edit.go). What is to be
// seen is a scan of the text (what each piece means, what is open, what belongs
// together) that a layout divides into rows, which a screen draws over the
// ones before.
//
// While a statement runs, its programs have the terminal. Who gives it to them
// and takes it back is a [Jobs], which the program around this package brings;
// this package keeps what was stopped and goes on with it (job.go).
//
// # Invariants
//
//   - What is typed is read byte by byte, and not before it is wanted: the rest is
//     for the program that runs, or for the next prompt.
//   - The statement is drawn as clusters (what a person sees as one character) in
//     rows that are cut here. Nothing depends on how a terminal wraps lines.
//   - The terminal has the prompt's modes only while a statement is being typed.
//   - Faults of readline 1.5.1 are named where they are mended ("Fault of
//     readline"), and each has a test that fails without.
//   - No signal handler and nothing else of the process is touched: signals
//     come through [Config].
package repl
