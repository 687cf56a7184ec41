// Package output holds what programs write until somebody takes it: a variable (Capture), a file that a hedged
// alternative may still not win (Apart), a failure that tells of standard error (Follow, Stderr), and the branches
// of a forall whose output must not mix (Group).
//
// A Store belongs to one script, and knows where all of this lies: in files without a name, in memory as long as it is
// little. What is held ends with whoever holds it: no file has a name, so nothing is
// left when the shell is killed.
package output
