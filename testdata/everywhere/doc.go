// Package everywhere runs one corpus of scripts plain and in many situations: with a
// journal, killed and continued, in a function, a branch, a stage, with streams
// closed or full, under small limits, stopped, in other namespaces. What a script does must
// not depend on where it runs: status, standard output, files and the failures
// in the log are compared with those of the plain run, and any difference is a failure, unless
// the table in allow_test.go has the sentence of the reference that allows it.
//
//	go test ./testdata/everywhere                    a seeded sample of the situations for each script
//	FTSH_TEST=long go test ./testdata/everywhere     each script in each situation
//	FTSH_SLURM=required ../slurm/cluster go test -run TestOnSlurm    on a cluster: alone, as an array, with pilots
//	FTSH_SEED=7 go test ./testdata/everywhere        the sample, and the moments, of an earlier run
//
// A failing test is named after script and situation, so that -run
// 'TestEverywhere/try_counts/killed' repeats it; FTSH_SEED is printed with it.
//
// # How it is built
//
// scripts/*.txtar hold the scripts (each *.ftsh at the top of an archive is one, the other files lie beside
// it); the conformance cases, the examples (examples_test.go) and a matrix of structures and redirections join them
// (corpus_test.go). A
// [situation] says how a script is changed (wrap_test.go), started (situation_test.go) and disturbed
// (disturb_test.go). Each run has a folder of its own ([place], place_test.go), after which nothing may be left.
package everywhere
