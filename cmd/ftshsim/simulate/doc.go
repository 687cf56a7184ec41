// Package simulate runs a real script for many clients in virtual time: what
// happens to a server when 500 of these scripts fail together?
//
// The interpreter is the shell's own, with its try, forany, forall, catch and
// finally. Each client is a world of its own to it (client, an interp/world.World), with a clock, files that are
// texts, and programs that call the servers of a SPEC.
// [Run] runs one crowd and returns a [Tally]; [Compare] runs several, with many
// seeds, and makes a report of them.
//
// # Lockstep
//
// A client is a task, and so is each branch and stage that it starts. A task runs
// on a coroutine (iter.Pull), which it has until it has ended. One of all runs at a
// time, on the goroutine of the simulation: an event of the herd.Sim wakes a client,
// the client goes on until all of its
// tasks wait for a time or an answer, and the next event comes. So nothing
// depends on how many processors there are, and nothing is locked.
//
//	herd.Sim ── event ──→ client ── resumes ──→ task: the interpreter
//	   ↑                                          │ Run, Await
//	   └────────── sets events, server.Send ──────┘ yields
//
// A task that waits says what for (Await), and is asked after
// each event of its client: a limit that passes cancels a context, and no
// goroutine of the context's own is needed to see that.
//
// What clients share besides the servers are the resources of `via`: those of one
// machine have them in common, in memory instead of in locked files (resource.go).
//
// # Invariants
//
//   - The same seed gives the same Tally, bit for bit.
//   - Nothing is started, opened for writing or waited for. What the script
//     itself asks the machine is read: patterns and file tests look at real files.
//   - Nothing is left when Run returns, also after its context was cancelled.
//   - A crowd has come back from a trigger when the useful answers per second are back to what they were, or when
//     no more clients than before lack what they want: clients that have come to an end, or of which few ask at a
//     time, do no work and want none.
//   - A script that does not let time pass is stopped, and named ([Runaway]).
package simulate
