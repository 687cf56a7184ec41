// Package interp is what a script means: it walks the tree of a parsed script
// and runs it.
//
// # The path of a script
//
//	bytes → lexer → parser → *ast.File → interp.Run → statement by statement
//	                                        │
//	    a command: expand → redirect → Engine (process) → status → *Failure or nil
//	    a try:     header → backoff.Retry ─ attempt [→ verify] ─ attempt … → catch → finally
//
// Events leave sideways, to an event.Observer.
//
// [Runner] holds what all parts of a running script share. A frame is where a
// statement runs: variables, parameters, directory, streams, limits. One switch
// (execute, in statement.go) tells statements apart; each case is a method in a
// file of its own name.
//
// # Invariants
//
//   - A failure is an error: nil is success, *[Failure] is what scripts react
//     to, *[Exit] passes through all but finally groups. Nothing panics.
//   - Nothing here is global to the process: no working directory, umask or
//     signal handler is touched, and there is no package-level state. A host
//     program may run many scripts at the same time.
//   - What runs beside the rest (a branch of forall, a hedged alternative, a stage
//     of a pipeline) runs in a fork of the frame, made by one function.
//   - Every goroutine is waited for by the function that started it, every
//     process by the statement that started it.
//   - Limits are contexts. Each is cancelled with a *cut as its cause, which
//     names the scope that was cut off: whoever set the limit makes an ordinary
//     failure of it, everything in between only cleans up and passes it on.
//   - All time comes through Config.Clock. Where scripts share resources it has to count
//     from the boot of the machine, as that of all other shells does.
//
// A try that says via goes by backoff/shared/locked, where all shells of a user count
// together; see resource.go and visit.go.
//
// # Rooms below
//
//   - expand: words to strings, expressions to values.
//   - process: start a process tree, and be sure it is dead.
//   - event: what happened, and the logs that tell it.
//   - simulate: scripts of many clients in virtual time. Config.Conductor and
//     Config.Streams are there for it.
package interp
