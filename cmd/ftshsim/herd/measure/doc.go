// Package measure counts what happens to a crowd, for both simulators:
// the crowds of the experiments (cmd/ftshsim/herd/crowd) and those of real scripts
// (cmd/ftshsim/simulate).
//
// A [Tally] holds the counts of one run, [Series] are counts over time, and a [Sample] is
// what one number came to in several runs.
//
// # Invariants
//
//   - Who has not finished is later than everybody who has: a percentile that lies among
//     the unfinished is +Inf, and not the time of somebody who was quicker.
//   - A server has recovered from an outage when its work done per second is back to what
//     it was, and stays so for [Stay]. A first good second is none.
//   - Work in progress counts: as wasted if its client has left, else as open.
package measure
