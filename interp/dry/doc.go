// Package dry shows what a script would run, and runs nothing.
//
// A [World] stands around another. Each program that would run is printed and succeeds, with empty output; no file is
// made or changed, nothing is waited for, and what would run beside runs in order. [New] prepares the script for it: a
// try makes one attempt, and what would be a job runs as a program. It notes which commands depend on an answer that is
// not there, such as a variable that captures what a program writes.
package dry
