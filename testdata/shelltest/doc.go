// Package shelltest is for tests that run the real shell: scripts in txtar files
// ([Scripts]), and sessions on a terminal ([Console]).
//
// The shell is built when a test first needs it, with the race detector if the
// test has it. What a test starts carries a mark in its environment, by which it
// is found, whatever became of it: nothing may be left when a test ends.
//
// A room's scripts lie in its testdata/script, one file for each behaviour. Beside the
// commands of testscript they have two of their own:
//
//	exits STATUS COMMAND …      the command ends with that status, or dies of that signal (exits TERM ftsh x.ftsh)
//	takes LEAST MOST COMMAND …  the command succeeds, and takes so long (takes 1s 3s ftsh x.ftsh); ! takes: it fails
package shelltest
