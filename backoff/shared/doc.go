// Package shared is admission to a resource that many clients use, so that they do
// not overload it: how many make attempts at once, how many of these are retries, how
// often they have failed lately, who waits and whose turn it is.
//
// An [Admission] is all of that as one plain value. It reads no clock, no file and no
// random numbers: whoever keeps it hands in the time, tells it by a small interface
// which waiters are still alive and which slots are free, and wakes those whom it
// names. So the shells, which keep it in a file (the room locked below), and the
// simulators, which keep it in memory, decide by the same code.
//
// A [Visit] is one attempt's way in:
//
//	          over the budget            no slot, breaker open, before the floor
//	retry ──→ line Retries ──→ ┬──────────────→ line Ready ──→ attempt ──→ Leave
//	first attempt ─────────────┘
//
// Both lines are fair: the first in line goes first. But a waiter that does not move
// within two seconds of its turn, because its process was stopped, holds up nobody:
// it is passed over until it does.
//
// Fields are exported so that an Admission can be stored; nothing else is meant to
// change them. The zero value is that of a resource nobody has used yet. Nothing is
// safe for concurrent use.
//
// # Sources
//
//   - Site Reliability Engineering (Google, 2016), chapter 21, Handling
//     Overload: a budget of 10 %.
//   - M. Nygard: Release It! (2007): the breaker. The ramp after it has closed is our own.
package shared
