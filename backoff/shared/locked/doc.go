// Package locked keeps the state of resources that all shells of one user share:
// who may make an attempt now, and who waits.
//
// A [Folder] holds one small file for each resource. A [Resource] is such a file,
// opened; [Resource.Enter] waits until an attempt may begin and gives a [Pass],
// [Pass.Leave] ends it and tells the others how it went.
//
// Who may begin is decided by a [shared.Admission]; this package stores it, and knows by
// locks who is alive.
//
// # How it is done
//
// What matters is held by locks of open file descriptions (F_OFD_SETLK), which the
// kernel takes back whatever becomes of the holder; what is written in the file
// is small, has a checksum, and can be lost without harm.
//
//   - One byte of the file is the lock under which the state is read and written,
//     for some ten microseconds at a time (resource.go, record.go).
//   - Each slot is a byte, locked by a second description that the guardian of
//     the shell has as well: it is free when the shell says so, or when
//     both are gone (line.go).
//   - Who has to wait takes a ticket: the next number, and a lock on a byte of
//     that number (line.go). A waiter that was killed has no lock any more, and is
//     no longer in line.
//   - Who waits sleeps on a word of the file, by a futex (wake.go). The first in
//     line is woken by who frees a slot, and by who was first before, who wakes the next two
//     besides: they learn that their turn is near. So a crowd that waits costs nothing. Against the death of
//     whoever should have woken it, the first looks again every second, the
//     third every four, and so on; in a short line all look sooner.
//   - A file that was removed goes on to hold the slots of those inside. Whoever makes a new one finds them by
//     /proc, and leaves as many of its slots free (former.go).
//
// # Invariants
//
//   - No wait outlasts its context by more than the time of a system call, not even for the lock
//     of the state: a shell may be stopped while it has that.
//   - All times are on a clock that counts from the boot of the machine; a state that
//     was written before the last boot is as good as none.
//   - A state that cannot be read is made anew; tickets go on after the highest
//     that is locked.
//   - No goroutine is left running. A waiting goroutine occupies a thread, but one
//     for each line of a resource and process only: the others wait for it.
//
// Locks like these are known to one machine, or are not to be relied on, where the
// folder lies on a network file system: there it is refused.
package locked
