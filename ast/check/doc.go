// Package check says what is surely or probably wrong in a script, without
// running anything: `ftsh --check`, and what the language server shows.
//
// A [Rule] is a small function over a script that was gathered once: its
// commands, references, tries and loops, each with the place where it stands.
// [Rules] is the table of them all. Each rule has a code, what it is about, a page
// of the manual, and in testdata/rules.txtar a script in which it finds something,
// and one in which it must not; the tests run both. To add a rule, write its function
// in the file of its subject, its row in the table, and its two scripts.
//
// # What a rule must hold to
//
//   - A false alarm is worse than a miss. What cannot be known (a value of a
//     variable, a function that another file may call) counts as right.
//   - A rule looks at one script with all that it sources. It reads no file and
//     runs nothing; what it has to know of the machine is in [Config].
//   - It says what was found, and what to write instead.
//
// A comment `# check: ignore F101 because …` on the line of a finding, or on the line
// before, silences that rule there.
package check
