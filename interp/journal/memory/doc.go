// Package memory is a file system in memory for tests of what has to outlast crashes: when its
// power is cut, it loses of all that was not synced whatever a real one may lose, or more.
//
// # What it may lose
//
//   - Of a file: each sector of 512 bytes that differs from what is on disk is, for itself, new, old,
//     zero, or new up to some byte; its length is the old one, the new one, or between. Bytes of a
//     sector that were on disk and come before all that changed in it stay: SQLite
//     relies on that, too (it calls it powersafe overwrite).
//   - Of a folder: each name, for itself, stands for any of the files that it has stood for since the folder was
//     synced. So after a rename both names may be there, or the old file, or the new.
//   - After a sync that failed, the sectors that it was for are not written by the next
//     one, unless they were changed again: so does Linux.
//
// A process that dies loses nothing but what it had not written; [FS.Kill] frees its locks.
package memory
