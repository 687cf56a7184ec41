// Package inject makes programs fail on purpose, so that a script's own tests can
// see what it does then.
//
// A [Rule] says which runs of which programs fail, and how:
//
//	curl:2 exit 28               the second run of curl ends with status 28, and is not started
//	rsync:* after 5s signal KILL each run of rsync is ended after 5 s, and counts as killed by that signal
//	curl:1 signal SEGV           the first run is not started, and counts as having died of the signal
//	sbatch:1 unanswered          it runs, but what it writes is lost, and it counts as killed
//	*:p=0.1 exit 1               one run in ten of any program
//	curl:1 hang                  it runs until it is cancelled
//	curl:1 missing               it cannot be started, as if it were not there; system: for want of memory
//	curl:1 exit 7 saying TEXT    it writes TEXT to standard error, then ends with the status
//
// [New] puts the rules around a world: statements know nothing of them. A program that is made to fail must exist, as
// it is looked up before.
//
// Each rule counts the runs that it is about by itself. Of several rules that want
// the same run, the one that was given first has it; all have counted it.
package inject
