// Package progress shows on a terminal what a script is waiting for.
//
//	try, line 3: attempt 2 of 5 failed, next in 12 s, 4 min 20 s left: curl: ended with status 22
//	forall host, line 9: ████████████░░░░░░░░░░ 12 done, 1 failed, 8 running of 40
//	jobs: 5 queued (4 Resources, 1 Priority), 8 running, 12 done, 1 failed
//
// A [View] hears of events, keeps what is under way (state.go), makes a few
// lines of it (line.go, jobs.go), and draws them at the bottom of the terminal
// (area.go), where they stay until nothing waits any more.
//
// Three things hold:
//
//   - What programs write is never mixed up with the lines: these stand below
//     the part of the terminal that scrolls. Before a program starts that had to be
//     waited for, they are gone.
//   - They leave no trace: the cursor, colours and modes are as they were. At most
//     a few empty rows remain below the last line of output.
//   - They are drawn at most ten times a second, and only when they have changed.
//     A view that is not there costs nothing.
package progress
