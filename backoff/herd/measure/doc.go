// Package measure is what both simulators count of a crowd, and what they make of it:
// the crowds of the experiments (backoff/herd/crowd) and those of real scripts
// (interp/simulate).
//
// A [Tally] is what one run counted, [Series] are counts over time, and a [Sample] is
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
