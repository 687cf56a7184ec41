// Package jobs runs programs as jobs of a batch system, each exactly once.
//
// A [Cluster] runs each [Job] with Run, which submits it, waits for it and hands on what it wrote.
// The job itself is this program, which begins with [Begin] and ends with End. Between the two
// there is nothing but a folder that both see: no port and no server.
//
// # Invariants
//
//   - A job runs only after it has claimed its folder, by link(2) of a file of its own. What it then
//     reads decides: one name, one winner. So a submission whose answer was lost may be repeated.
//   - Where the shell has the claim the job never begins: it was cancelled, or submitted anew.
//     Each submission that follows has a claim and a status of another name.
//   - The end is the status, which is written last, synced and renamed, into room that was there
//     before the job began. It says how long all outputs are; it is believed once these can be seen.
//   - A failed answer of the batch system means nothing. A job is taken for vanished when two
//     successful answers lack it, a minute apart, and no status is to be seen after the second. Even then a list may
//     have been incomplete: it is ended before another attempt takes its place.
//   - Nothing waits for a program of the batch system, which may hang: requests are made beside. Statuses come first,
//     then limits and signals; a status that is there when a limit passes decides.
//   - All shells of a user on a machine share one list of the queue, which is asked for once in
//     max(30 s, 5 × the time it took), and only while a job shows no status.
//   - Nothing is read or run that is not ours, or that others may write to.
//   - A job of a durable script that has an entry in the journal is never cancelled because the shell ends. Its
//     folder is made before that entry, and removed after the entry of its end: if it is missing,
//     nobody knows what the job did. A later shell goes on with the first submission that no shell has claimed.
//   - A program that a pilot runs has a folder, a claim and a status like any job, so what holds of jobs
//     holds of it; a pilot that ends without its status makes it lost, or has another pilot take it
//     if it was not claimed. Its claim names the pilot, so that a later shell knows which to wait for or to
//     cancel. Pilots of a durable script name its journal and their place in it: a later shell that comes there
//     uses them again, and one that does not cancels them.
//   - A status 0 is a success, and atomic output is put in place, only if nobody was ending the job: no mark in its
//     folder, no signal to its runner, no kill by its memory group, and a witness beside the program that lives.
//     The batch system's verdict is believed over a 0. One function decides: outcome.
//   - What begins to be ended is marked first. Its runner is sent a signal, and ends the tree; the batch system's own
//     cancellation, which signals one process after another, follows when half of the time has passed.
//   - Output is handed on once and in order, or the command fails and its job is ended.
//   - A limit ends on time: what a silent batch system did not cancel is noted, for the next shell that reaches it.
//   - No goroutine outlives the Runs that it works for (requests for all jobs: the last of them), or the end of its
//     pilots.
//
// # Where to read on
//
// A program goes this way: site.go (where the programs of an `on` run) → door.go, cluster.go → running.go, which
// makes submissions of it and waits → submit.go → in the job: begin.go, serve.go → the folder → outcome.go →
// taker.go.
//
// outcome.go decides how a job ended: read it first. What runs a submission is its carrier: the batch system
// (queued.go, also as one of an array: crowd.go) or a pilot (piloted.go); a pilot is a job like any (pilots.go).
// await.go has the one loop that waits, beside.go what is asked meanwhile. taker.go hands on what a job writes,
// cancel.go ends it, or keeps for the next shell what could not be cancelled; attempts.go has what the attempts of a
// try have left. outliving.go is for jobs of a shell before, queue.go the shared list, left.go what people see and
// tend.
//
// In the job, begin.go claims the folder and writes the status, serve.go runs programs, of a pilot one after another,
// recorder.go keeps what they write, and sentry.go finds out whether somebody is ending the job.
//
// ticket.go has what both sides know of the folder, folder.go how its files are written. The room batch is what a batch
// system has to do.
package jobs
