// Package versus puts the shell beside its peers: what bash as people write it well, GNU parallel, make, snakemake,
// task-spooler and ours do in the same small disasters.
//
//	go test ./testdata/versus                                  a dozen quick rows: bash, parallel and ours
//	FTSH_TEST=long go test ./testdata/versus -timeout 2h       all rows, all tools that are installed
//
// With -update what was seen goes to results.txt, and from there to the page `versus` of the manual and to the table in
// README.md. Nobody writes a cell by hand: without -update the tests compare all three.
//
// # A row
//
// A row is a folder in rows. In it are
//
//	about      a title, tags (quick: it runs in .ci/run; README: it is shown there; root, slurm: it needs that), a text
//	disaster   what happens, in bash, with the functions of lib.sh; it tells the harness facts
//	bash, parallel, make, sbatch, snakemake, tsp, ftsh
//	           the script of each tool, a program; a tool without one has no answer to this
//	TOOL.again what a person does, by the tool's manual, when it refuses to go on
//	others     programs and files that the scripts use
//
// Each script is run in a copy of the folder. The facts are read from files that programs have written, from the log of
// a server, from clocks and from the processes that are left, never from what a tool says; of the tool itself only its
// exit status counts. One rule, judge, makes a verdict of them.
//
// A figure is a folder in figures, with a script a tool; its cell is the time, or the memory, by ratio to bash's.
package versus
