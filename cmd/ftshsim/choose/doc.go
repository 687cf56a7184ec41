// Package choose finds out which backoff a script should have, and whether its clients
// should share a resource: of many settings the one that gets enough of a crowd through
// before a deadline at the least load on the servers, after outages of several lengths and
// after none.
//
//	Settings → candidates ── all, one seed ──→ the best ── more seeds ──→ the best ── all seeds ──→ answer
//	                            └ stopped: too much load, or too few in time
//
// # Invariants
//
//   - The same question gives the same answer on any number of processors: what may stop a
//     run early was known before the batch began of which it is a part.
//   - The script as it is takes part, with all seeds, and never is stopped.
//   - A setting is stopped only where another is better by more than chance explains: it
//     costs [spare] times as much, or lets [margin] more of the crowd down.
package choose
