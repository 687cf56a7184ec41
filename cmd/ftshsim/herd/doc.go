// Package herd runs many clients in virtual time: what becomes of a server when
// thousands of them try again?
//
// A [Sim] is a clock, a queue of events and dice; it is the backoff.Clock that
// the shell's own retry code runs on. A [World] says what an event does. There is
// no goroutine per client: a client is a few numbers, among them the shell's
// backoff.Loop, and the event it waits for. [Each] runs a simulation with many
// seeds on all processors, and measure.Sample says how sure the result is.
//
// # Invariants
//
//   - The same seed gives the same result, bit for bit, however many processors
//     there are and in whatever order the seeds run.
//   - Events happen in the order of their times, and those of the same time in
//     the order in which they were set.
//
// # Measured
//
// On one core of a shared machine (BenchmarkCrowd, BenchmarkMillion in crowd):
// clients that mostly wait, each with its server's answers, timeouts and waits.
//
//	clients     events/s      bytes/client
//	10,000      2.6 million      136
//	100,000     1.6 million      126
//	1,000,000   1.1 million      130
//
// measured while the machine had much else to do. The events wait in a heap. A ladder of buckets, with a look ahead
// at the clients, was two to three times as fast, in 350 lines more.
//
// # Rooms below
//
//   - server: a simulated server, its capacity, moods and outages.
//   - crowd: clients of one server that do pieces of work and try again.
//   - measure: what is counted of a crowd, and what is made of it.
//   - parameter: what can be changed about an experiment, from the fields of a struct.
//   - experiment: the experiments of the sources, and what a report of one is.
//   - picture: plots, as SVG, PNG or characters.
//   - live: smira's HTTP server and clients, for real.
package herd
