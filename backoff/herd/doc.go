// Package herd runs many clients in virtual time: what becomes of a server when
// thousands of them try again?
//
// A [Sim] is a clock, a queue of events and dice; it is the backoff.Clock that
// the shell's own retry code runs on. A [World] says what an event does. There is
// no goroutine per client: a client is a few numbers, among them the shell's
// backoff.Loop, and the event it waits for. [Each] runs a simulation with many
// seeds on all processors, and [Sample] says how sure the result is.
//
// # Invariants
//
//   - The same seed gives the same result, bit for bit, however many processors
//     there are and in whatever order the seeds run.
//   - Events happen in the order of their times, and those of the same time in
//     the order in which they were set.
//   - The time of an event does not grow with the number of those that wait,
//     but for what the machine's memory does (BenchmarkQueue).
//
// # Rooms below
//
//   - server: a simulated server, its capacity, moods and outages.
//   - crowd: clients of one server that do pieces of work and try again.
//   - experiment: the experiments of the sources, and what a report of one is.
//   - picture: plots, as SVG, PNG or characters.
//   - live: smira's HTTP server and clients, for real.
package herd
