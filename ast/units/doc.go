// Package units says what of a script is a unit once it has a journal: run again as a whole if it was under way when
// the shell ended. The interpreter decides by [OfCommand] and [Cause]; [List] finds the units of a script without
// running it, for `ftsh --explain --journal`, `ftsh --check --journal` and the tests that compare both.
package units
