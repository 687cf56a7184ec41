// Package faults is the fault suite: it runs scripts with the real shell while
// it kills the shell, takes descriptors, processes, memory or disk away from it, stops it,
// or closes its streams. After each fault nothing may have survived, no
// temporary file may lie about, no output file may be torn, the exit status has to be
// right, and the log has to tell the truth.
//
//	go test ./testdata/faults                      the short form, half a minute
//	go test ./testdata/faults -rounds 100          every fault a hundred times
//	go test ./testdata/faults -soak -timeout 0     a million commands, 100,000 retries
//
// With -write the counts go to testdata/faults.md. -seed repeats the random
// moments of an earlier run; a failed try names it.
//
// # How it is built
//
// TestMain builds the shell, with the race detector if the suite has it. Each try
// of a fault is a [stage]: a directory with the programs that the scripts run, a
// TMPDIR, a log, and a tag that all processes carry. Each file *_test.go holds the
// faults of one kind; check_test.go what must hold after each of them, tally_test.go the counts.
package faults
