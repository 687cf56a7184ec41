// Package fit makes a SPEC for ftshsim of what really happened: of the JSON logs of shells,
// or of a server's access log in the common format.
//
//	logs → Read → Log: shells, and calls of servers → Spec → the text of a SPEC
//
// Calls go to the server whose host their words name; where none does, all programs call
// one server. What a server can do is found by replaying the calls, at the times at which
// they were made, to simulated servers (cmd/ftshsim/herd/server) of different kinds; the one whose
// answers come nearest to the times of the real ones is taken. So requests that are queued, refused,
// or still served for clients that have hung up are counted, too.
//
// # Invariants
//
//   - The same logs give the same SPEC.
//   - A line that is not understood is an error with its place; nothing is passed over.
//   - Times count from the first beginning in any of the logs.
package fit
