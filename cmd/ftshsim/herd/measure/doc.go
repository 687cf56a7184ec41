// Package measure counts what happens to a crowd, for both simulators, and judges it:
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
//   - A crowd has come back from a trigger when that is so, or when no more clients than
//     before lack what they want ([Tally.Judge]): clients that have come to an end, or of which
//     few ask at a time, do no work and want none.
//   - Work in progress counts: as wasted if its client has left, else as open.
package measure
