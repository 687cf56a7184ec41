// Package herd runs many clients in virtual time: what becomes of a server when
// thousands of them try again?
//
// A [Sim] is a clock, a queue of events and dice; it is the backoff.Clock that
// the shell's own retry code runs on. What goes on in it is a [Process], a coroutine that reads
// as what it does, such as a client of an experiment; or, where there are too many for that, events of
// which a [World] says what they do. [Each] runs a simulation with many
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
// On one core of a shared machine (BenchmarkCrowd in crowd): clients that mostly wait, each with
// its server's answers, timeouts and waits.
//
//	clients     events/s      memory of a client
//	10,000      1.2 million      9 KB
//	100,000     0.8 million      9 KB
//
// measured while the machine had much else to do. As events, with their state in 130 bytes, clients were
// two to three times as fast, in a state machine that nobody could read as what a client does.
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
