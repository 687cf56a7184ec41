// Package event tells what happens while a script runs: typed, levelled events,
// and the logs that observe them.
//
// The interpreter fills in an [Event] for each thing that happens and hands it
// to an [Observer]. It asks Enabled first, so that an event nobody wants costs
// one call and one comparison. [Log] writes lines for people, or JSON
// objects for programs, to an [Output].
//
// Three things hold for both forms. An event is one line, whatever bytes it
// carries. The line is one write(2), so that shells and branches that append to
// the same local file never tear each other's lines. A log that cannot be
// written loses lines, counts them, and says so as soon as it can; it never
// stops the script.
//
// A [Mask] hides the values of secret variables in events, and in whatever else the shell says.
//
// # The text log
//
//	2026-11-21T01:30:36+01:00 [1234] backup.ftsh:7 failed: cp a b: exit status 1, after 0.4 s
//
// The date (RFC 3339 in the local time zone; with Config.Decimal, seconds since 1970), the
// shell's process id, the place in the script, and what happened. Of lines that follow each
// other and differ in their dates only, the first is written, and when another line or the end
// comes, one that says how many more there were. Words are quoted as a shell
// would need them; what has no plain spelling (control characters, bytes that
// are not UTF-8) is written as in $'a\nb\xff'. An ellipsis outside of quotes
// shows that something long was cut. A line is never longer than 4096 bytes, so
// that pipes keep it whole, too.
//
// # The JSON log
//
// Each line is one object. The manual's page on logging has its members, and for
// each kind those that it has always; any other is left out if it is zero, empty
// or unknown.
//
// The schema is stable: names, types, units and meanings do not change. New
// events and members may come, so programs ignore those that they do not know.
// The order of the members means nothing.
//
// Strings are valid Unicode: a byte that is not part of valid UTF-8 (a file
// name may hold any) becomes U+FFFD, one for each, written as \ufffd, which
// a true U+FFFD never is. Characters that do not print are escaped.
// Strings are not cut. A line of more than 4096 bytes stays whole in a file, but
// may be torn in a pipe that several shells write to.
package event
