// Package world says what lies outside of a script, as its evaluator meets it. A script is a function of its text, its
// arguments and what its [World] answers: the evaluator knows the language, asks its world for everything else, and
// cannot tell which one it is in.
//
//	local      this machine: process trees, files, clock, locked resources (interp/local)
//	simulated  virtual time, servers, many clients (cmd/ftshsim/simulate)
//	injected   around another: programs fail on purpose (interp/inject)
//	elsewhere  a part of each: programs become jobs of a batch system (interp/jobs)
//	dry        around another: nothing is run, made or waited for (interp/dry)
//
// A world that wraps another embeds it, changes what it wants to, and passes on the rest.
package world
