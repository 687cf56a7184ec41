// Package fit makes a SPEC for ftshsim of what really happened: of the JSON logs of shells,
// or of a server's access log in the common format.
//
//	logs → Read → Log: shells, and calls of servers → Spec → the text of a SPEC
//
// Calls go to the server whose host their words name; where none does, all programs call
// one server. What a server can do is found by asking models (servers with slots, with a delay
// that grows, without a limit) for the answers to the same calls, and by taking the one whose
// answers come nearest to the times of the real ones.
//
// # Invariants
//
//   - The same logs give the same SPEC.
//   - A line that is not understood is an error with its place; nothing is passed over.
//   - Times count from the first beginning in any of the logs.
package fit
