// Package journal keeps a tree of values on disk so that it outlasts the death of
// the shell and of the machine: the file of a durable script. It knows nothing of scripts.
//
// [Open] takes the lock of a journal and recovers its tree, an [Image].
// [Journal.Write] appends a [Record], whose changes happen together or not at
// all, and [Journal.Sync] waits until it is on disk.
//
// # The file
//
// It is JSON, one object a line. All lines have
//
//	n        its number, from 1
//	synced   up to which line all was known to be on disk when it was written
//	at       when, in UTC
//	kind     a word for people; "journal" is the first line, "tree" are those that a rewriting made
//	changes  what is changed in the tree
//	recent   for people: what is kept for 60 s, of the last 100 lines that have it
//	note     for people; recovery passes over it
//	crc      CRC-32C of the digits with which the line before ends (00000000 for the first)
//	         and of the line up to ,"crc":
//
// The first has version, machine and host as well. A change has path and, for one
// key, key with value, or with file and sum (the value is in that file of NAME.d, and
// this is its CRC-32C), or with neither: the key is removed. With drop the
// node goes, and all below it. A string that is not UTF-8 is {"base64":"…"}. The schema only
// grows: what a program does not know it passes over.
//
// Beside NAME there are NAME.lock (empty; a lock of it says who has the
// journal), NAME.d (values over 64 KiB), NAME.new (while it is rewritten) and NAME.old (what
// [Restart] put aside).
//
// # Invariants
//
//   - What Sync returned for is there after any crash, and with it all that
//     was written before. What comes after is there as a prefix: no record without those
//     before it, none in part.
//   - After the last line that is known to be on disk, the first that is not
//     whole is dropped with all that follow (torn). Any other bad line is an error, and
//     nothing is changed (corrupt). The end of a file is synced before lines are
//     put behind it.
//   - A file comes to its name whole: it is written beside, synced, renamed, and the
//     folder synced. A long value is on disk before the record that names it, and is
//     removed after the one that does not.
//   - A write or sync that fails is not tried again, and nothing is written after it.
//   - Room for the records to come is reserved before Sync returns, and before a record
//     that begins something is written: without it that is not in the file.
//   - One that waits in Sync does the work for all that wait; no goroutine idles. A
//     record that nobody waits for is synced within 100 ms by a timer, which Close waits for;
//     a casual one with what comes after it, or when it takes room of the records to come.
//   - Nobody else can have changed what is read: files are ours and closed to
//     others, their folder cannot be written to by others, no link is followed.
package journal
