// Package event is what happens while a script runs: typed, levelled events,
// and the logs that observe them.
//
// The interpreter fills in an [Event] for each thing that happens and hands it
// to an [Observer]. It asks Enabled first, so that an event nobody wants costs
// one call and one comparison.
package event
