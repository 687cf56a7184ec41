// Package filestate tells what has become of a file that a script knew: whether it is the same one, whether it was
// written to since (Since), and how what reads from it can go on (Describe, Resume). It says only what it has seen:
// times that another machine tells, or that are too close, decide nothing.
package filestate
