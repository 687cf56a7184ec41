// Package process starts the processes of a shell, and is sure when they are dead.
//
// A [Host] runs each [Command] with Run, which returns when the program and
// whatever has to go with it is gone:
//
//   - nothing else if it succeeded, since daemons are wanted;
//   - all that it has left behind if it failed;
//   - its whole tree if the context was cancelled.
//
// What has to go is sent SIGTERM and SIGCONT, after the kill timeout SIGKILL, and
// that again until a look at all processes finds nothing of it. (In weak mode
// SIGKILL is sent once.) The tree is every descendant: also those that called
// setsid, forked twice, changed their group, stopped, or fork while being killed.
// What a process forks after it was asked to end is left alone as long as that
// process lives and its time lasts: a nested shell runs its finally groups then.
//
// # How a process is found
//
// By descent: /proc/PID/task/TID/children, from the command's own process on.
// A process whose parent has died comes to us, if this Unix process is the
// shell's alone (Config.Whole), as it is a subreaper then. Whose orphan it is
// tells its marker, the environment variable FTSH_COMMAND: it belongs to every
// command whose marker is a prefix, component by component, of what it carries.
// Orphans without one are recognised if they were seen as somebody's children
// before, are in the session of a command's own process, or can only belong to
// commands that have to go since no other was under way; else they are left
// alone and named ([Unowned]).
//
// Where the interpreter is embedded in another program orphans do not come to
// us. Then the markers of all processes are searched.
//
// # Invariants
//
//   - No process is signalled by a number that may be another's by now: children
//     of ours are only reaped with a lock held, and all others are
//     signalled through a handle on /proc/PID, after a check through that handle.
//   - Nothing is signalled that is older than the command it is taken for.
//   - One search at a time is under way, and it serves all commands that are
//     being ended; one thread at a time waits for children, and serves all that
//     run. Whoever needs it first does it, and passes it on when it is done.
//   - No goroutine outlives the Run that started it, but the clock's, which its
//     Close ends.
//   - It needs no descriptor to keep its promises: without one left, /proc is
//     searched by a thread with a table of its own, and the clock polls.
//
// # Where to read on
//
// run.go is the way of one command; launch.go starts its program, wait.go waits
// for it. end.go, sweep.go, owner.go and signal.go end what has to go. serve.go tells
// what the program does when the shell has started it again. job.go and relay.go are
// for the terminal. handon.go hands on signals that are meant for programs. find.go looks programs up.
//
// Below are rooms that know nothing of commands: procfs reads /proc, cgroup uses control
// groups, clock is the time, and guardian keeps the small process that is left if the
// shell is killed, and ends what is past its limit while the shell is stopped.
//
// # Kernels
//
// All of it works from Linux 5.9 on. Before that the guardian closes descriptors
// one by one; before 5.3 an embedded interpreter occupies a thread for each
// command that runs; before 5.1 signals go to process ids, so that an id given
// again within microseconds could be hit. Without CONFIG_PROC_CHILDREN the
// parents of all processes are read instead. Without /proc, or with that of other process
// numbers, only a command's own process and its group are ended, as long as that process is there,
// and that is told ([Blind]). The least is Linux 3.4, for subreapers.
//
// # What stays impossible
//
//   - A process that changed its user may not be signalled. It is named
//     ([OutOfReach]) and not waited for; its children are looked for.
//   - Where /proc is mounted with hidepid, a process that is not dumpable (ssh-agent) is not there for its
//     own user. It is ended if it is in the session of a command, a child of a process of it, or a child of ours
//     that no other command can have started; else it is named ([Unowned]).
//   - A process stuck in the kernel does not die. It is named ([Survivor]) and,
//     but in weak mode, waited for.
//   - What was handed to others is not in the tree: by way of sbatch, ssh, at,
//     systemd-run, a container's daemon.
//   - Without control groups, an orphan that hides its marker (a cleared environment,
//     a process that may not be looked into, as ssh-agent) is out of the
//     guardian's reach, and of an embedded interpreter's, unless it stayed in
//     its command's session; and of a shell's when it could be another command's.
//   - If the shell and its guardian are killed at the same moment, nobody is left; nor is there a
//     guardian in the first twenty milliseconds of the first program, unless something is locked.
//   - While the kernel loads a program from a file system that does not answer,
//     the thread that started it waits, and with it one processor of Go's.
//   - When there is neither a process nor a descriptor left on the machine to
//     anybody, waiting is all that can be done, and is done.
//
// # Control groups
//
// Where a cgroup v2 was delegated to the shell (systemd's Delegate=yes, a user's
// own session, a container), each command runs in a group of its own. Then an orphan
// cannot hide whose it is, the guardian finds those without a marker, too, and SIGKILL
// goes to the whole group at once, other users' processes included. Daemons of a
// command that succeeded are moved to the shell's own group. A command takes about
// 0.2 to 0.3 ms longer to start in a group; where there is none it costs one look at
// /proc/self/cgroup, before the first command.
package process
