// Package shared is what many clients of one resource know together, so that
// they do not overload it: how many of their requests are retries, how often it
// has failed lately, how much of what was asked it has granted.
//
// The room locked below keeps such states in files, for shells.
//
// Everything here is a pure function of plain state and a time handed in, and
// draws no random numbers of its own. The simulator (backoff/herd) keeps such a
// state for thousands of simulated clients, and a shell can keep it in a file.
// Fields are exported so that a state can be stored; nothing else is meant to
// change them. The zero state of each type is that of a resource nobody has
// used yet. Nothing is safe for concurrent use.
//
// # Sources
//
//   - Site Reliability Engineering (Google, 2016), chapter 21, Handling
//     Overload: [Budget] with a share of 10 %, and [Throttle].
//   - Finagle's RetryBudget: [Budget] with a share of 20 % and a reserve.
//   - gRPC proposal A6: [Bucket].
//   - M. Nygard: Release It! (2007): [Breaker].
package shared
