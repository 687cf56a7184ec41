// Package report shows what happened, from a JSON log: a time line of attempts, waits
// and commands for each branch, where the time went, what took longest, and what failed
// and why; as text for a terminal or as one HTML page that needs no server.
//
//	log → Read → Story: bars on lanes → Text, HTML
//
// A bar is something that took time; a lane holds those that came one after another: the
// script itself, a branch of a forall, a stage of a pipeline. A log of level 30 has all of that. One
// of a lower level is told of as far as it goes: a failed command says itself how long it
// took. Lines that are no events are counted and passed over, as a log may be
// torn at its end.
package report
