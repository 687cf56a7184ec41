// Package simulate runs a real script for many clients in virtual time: what
// happens to a server when 500 of these scripts fail together?
//
// The interpreter is the shell's own, with its try, forany, forall, catch and
// finally. What it is given is simulated: the clock, the dice, the files, and an
// engine that calls the servers of a world.World instead of starting programs.
// [Run] runs one crowd and returns a [Tally]; [Compare] runs several, with many
// seeds, and makes a report of them.
//
// # Lockstep
//
// A client is a task, and so is each branch and stage that it starts. A task runs
// on a coroutine (iter.Pull), which it has until it has ended or waits where no
// stack is needed. One of all runs at a time, on the goroutine of the simulation: an
// event of the herd.Sim wakes a client, the client goes on until all of its
// tasks wait for a time or an answer, and the next event comes. So nothing
// depends on how many processors there are, and nothing is locked.
//
//	herd.Sim ── event ──→ client ── resumes ──→ task: the interpreter
//	   ↑                                          │ Engine.Run, sleep, wait
//	   └────────── sets events, server.Send ──────┘ yields
//
// A task that waits says what for (interp.Conductor), and is asked after
// each event of its client: a limit that passes cancels a context, and no
// goroutine of the context's own is needed to see that.
//
// What clients share besides the servers are the resources of `via`: those of one
// machine have them in common, in memory instead of in locked files (resource.go).
// A client that waits for the next attempt of an outermost try takes less than 5 KB and no stack (interp.Course); an
// attempt is made on one of 8 KB, which the next client has then. In a try within something else a client that waits
// keeps a stack of 4 or 8 KB, and its attempts are made on another one (tasks.Attempt): 30 % more with a function
// around the try if they are not. There is garbage besides.
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
