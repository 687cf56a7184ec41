// Package interp runs scripts: it walks the tree of a parsed script
// and runs it.
//
// # The path of a script
//
//	bytes → lexer → parser → *ast.File → Runner.Run → statement by statement
//	                                          │
//	    a command: expand → redirect → World (local → process) → status → *Failure or nil
//	    a try:     header → backoff.Retry ─ attempt [→ verify] ─ attempt … → catch → finally
//
// Events leave sideways, to an event.Observer.
//
// [Runner] holds what all parts of a running script share. A frame is where a statement
// stands: in which branch, function, scope, try and loop, with which streams. One switch
// (execute, in statement.go) tells statements apart; each case is a method in a
// file of its own name.
//
// # Invariants
//
//   - A failure is an error: nil is success, *[Failure] is what scripts react
//     to, *[Exit] passes through all but finally groups. Nothing panics.
//   - Nothing here is global to the process: no working directory, umask or
//     signal handler is touched, and there is no package-level state. A host
//     program may run many scripts at the same time.
//   - A frame is made for its place and never changed: what stands further inside gets another one. What statements
//     change (variables, directory, last failure) lies behind it, in the state of the branch.
//   - What runs beside the rest (a branch of forall, a hedged alternative, a stage
//     of a pipeline) runs in a fork of the frame, which has a state of its own; one type waits for all of them.
//   - Every goroutine is waited for by the function that started it, every
//     process by the statement that started it.
//   - Limits are contexts. Each is cancelled with a *cut as its cause, which
//     names the scope that was cut off: whoever set the limit makes an ordinary
//     failure of it, everything in between only cleans up and passes it on.
//   - All that lies outside of the script is asked of Config.World, and no code here depends on which one that is.
//     All time is that of its clock.
//
// # Laws
//
//  1. The grammar is read in one place, parser; ast is a clean tree that imports
//     nothing but the standard library. Nothing else parses.
//  2. A failure is an error. There are no status fields on the side, no panics across
//     packages, no control flow by panic.
//  3. Nothing is global to the process but in cmd: see the invariants above.
//  4. Imports point down, as the table below says, and a test holds.
//  5. There is one clock and one source of randomness, so that the simulator runs the very
//     code that the shell runs, and tests never sleep.
//  6. A branch is a forked frame. Nothing is copied by hand elsewhere.
//  7. Whoever starts a goroutine or a process waits for it.
//  8. Speed comes from shape, not from tricks: what is odd for the sake of speed says what
//     was measured.
//  9. Where two features meet, the rule is one function, and a table test holds every cell:
//     how a phase of a try ended (nextMove, afterFinally), who holds a journal (procfs.Name.Life),
//     whether a file was written since (filestate.Since), what an input is now (filestate.Resume).
//  10. Success needs proof. "It succeeded", "it is dead", "it is mine", "it is not there" are said
//     only of what was seen. What could not be seen is unknown, and is said to be.
//
// # Rooms
//
// TestRoomsAreTold compares this table with the imports that TestRooms allows.
//
//	ast: the shape of a script: nodes, positions, walk; the words of the language
//	    imports nothing
//	ast/diag: say what is wrong and where: error, list, excerpt with a caret
//	    imports ast
//	ast/printer: the tree as canonical text, comments kept
//	    imports ast
//	ast/constant: the values that a script writes out
//	    imports ast
//	ast/units: what of a script is run again as a whole once it has a journal
//	    imports ast
//	ast/submission: which options of a batch system an on may have
//	    imports nothing
//	ast/check: what can be known without running: a table of small rules
//	    imports ast, ast/diag, ast/constant, ast/units
//	ast/check/findings: what was found, for people and for code hosts
//	    imports ast/check
//	ast/explain: the limits of a script in words and numbers, by backoff itself
//	    imports ast, ast/constant, ast/printer, ast/units, backoff
//	lexer: characters to tokens; knows by position whether a word is a keyword, and where it ends
//	    imports lexer/quote, ast
//	lexer/quote: which pieces a word has, and how they are quoted
//	    imports nothing
//	parser: tokens to tree, through participle; translates its errors; says "incomplete" for the prompt
//	    imports lexer, lexer/quote, ast, ast/diag, ast/submission, backoff
//	backoff: when to try again: policies, limits, clock, and the one retry loop; pure
//	    imports nothing
//	backoff/timers: what a clock has still to do, in the order of time
//	    imports nothing
//	backoff/shared: what the clients of a resource know together: budget, breaker; pure
//	    imports backoff
//	backoff/shared/locked: the locked files in which all shells of a user keep that, and how they wake each other
//	    imports backoff, backoff/shared
//	interp: what a script means: runner, frame, one switch over statements; asks its world for all else
//	    imports ast, ast/diag, ast/units, ast/submission, backoff, backoff/shared, interp/expand,
//	    interp/value, interp/world, interp/event, interp/durable, interp/durable/filestate, interp/files,
//	    interp/output, interp/brief
//	interp/world: all that lies outside of a script, as an interface
//	    imports ast, backoff, backoff/shared, interp/files, interp/value
//	interp/local: this machine as a world: programs, files, clock, resources
//	    imports ast, backoff, backoff/shared, backoff/shared/locked, interp/files, interp/output, interp/process,
//	    interp/world
//	interp/expand: words to strings, expressions to values, through a small interface
//	    imports ast, ast/diag, interp/value
//	interp/value: what variables hold: text, integers, large output; and the items of lists
//	    imports nothing
//	interp/process: start a process tree, and be sure it is dead
//	    imports backoff, interp/process/cgroup, interp/process/clock, interp/process/guardian,
//	    interp/process/procfs, interp/files, interp/world
//	interp/process/clock: the shell's clock, which follows the kernel's time since boot
//	    imports backoff, backoff/timers
//	interp/process/procfs: what /proc tells of processes
//	    imports interp/process/clock
//	interp/process/cgroup: a control group for each command, where they were delegated
//	    imports interp/process/procfs
//	interp/process/guardian: the small process that is left if the shell is killed, and acts while it is stopped
//	    imports backoff, interp/process/clock
//	interp/jobs: programs as jobs of a batch system, each exactly once; what all batch systems share
//	    imports backoff, interp/jobs/batch, interp/process/procfs, interp/journal, interp/brief, interp/files,
//	    interp/output, interp/world
//	interp/jobs/batch: what a batch system has to do
//	    imports nothing
//	interp/jobs/programs: asks the programs of a batch system
//	    imports interp/jobs/batch, interp/process, interp/files, interp/output, interp/world
//	interp/jobs/slurm: Slurm, by its own programs
//	    imports interp/jobs/batch, interp/jobs/programs
//	interp/jobs/gridengine: Grid Engine, by its own programs
//	    imports interp/jobs/batch, interp/jobs/programs
//	interp/event: what happened, typed and levelled, and the logs that tell it
//	    imports ast, interp/brief
//	interp/brief: times and sizes in a few words
//	    imports nothing
//	interp/durable: where a script stands and what it has there, as values that go into a journal and come back
//	    imports ast, ast/diag, ast/units, interp/durable/filestate, interp/journal
//	interp/durable/filestate: what has become of a file that a script knew: the same, written since, read how far
//	    imports interp/journal
//	interp/files: where a script stands, files by names from there, and output that replaces one as a whole
//	    imports nothing
//	interp/output: what programs write, held until somebody takes it: captures, standard error, branches in turn
//	    imports backoff, interp/expand, interp/value, interp/files, interp/world
//	interp/journal: the file of a durable script: lines, checksums, sync, recovery, compaction, lock
//	    imports nothing
//	interp/journal/memory: a file system in memory that loses what was not synced, for tests
//	    imports interp/journal
//	interp/repl: read, parse, run, repeat; the only user of readline
//	    imports lexer, lexer/quote, parser, ast, ast/diag, backoff, interp, interp/event, interp/world
//	interp/event/page: reports as one HTML page, with nothing from elsewhere
//	    imports nothing
//	interp/event/report: what happened according to a log, as text and as a page
//	    imports ast, interp/event/page, interp/brief
//	interp/inject: a world around another in which programs fail on purpose
//	    imports backoff, interp/world, interp/event, interp/expand
//	interp/dry: a world around another that shows what would run, and runs nothing
//	    imports ast, backoff, backoff/shared, interp/files, interp/world
//	interp/progress: the live view, from events
//	    imports ast, interp/event
//	cmd/ftshsim/herd: many clients, servers, virtual time
//	    imports backoff, backoff/shared
//	cmd/ftshsim/herd/spread: times that differ from one draw to the next
//	cmd/ftshsim/herd/server: servers, as a few lines describe them
//	    imports backoff, cmd/ftshsim/herd, cmd/ftshsim/herd/spread
//	cmd/ftshsim/herd/measure: what is counted of a crowd, for both simulators
//	cmd/ftshsim/herd/parameter: what can be changed about an experiment, from a struct's fields
//	    imports ast/constant, backoff, cmd/ftshsim/herd/server, cmd/ftshsim/herd/spread
//	cmd/ftshsim/herd/crowd: clients by the ten thousand, and what becomes of them
//	    imports backoff, backoff/shared, cmd/ftshsim/herd, cmd/ftshsim/herd/server, cmd/ftshsim/herd/spread,
//	    cmd/ftshsim/herd/measure
//	cmd/ftshsim/herd/experiment: the experiments that the policies come from
//	    imports backoff, backoff/shared, cmd/ftshsim/herd, cmd/ftshsim/herd/server, cmd/ftshsim/herd/spread,
//	    cmd/ftshsim/herd/crowd, cmd/ftshsim/herd/measure, cmd/ftshsim/herd/parameter
//	cmd/ftshsim/herd/picture: plots; alone knows the library for them
//	    imports cmd/ftshsim/herd/measure, cmd/ftshsim/herd/experiment
//	cmd/ftshsim/simulate: real scripts of many clients in virtual time, by the same interp
//	    imports ast, ast/constant, ast/diag, ast/printer, parser, backoff, backoff/shared, cmd/ftshsim/herd,
//	    cmd/ftshsim/herd/server, cmd/ftshsim/herd/measure, cmd/ftshsim/herd/parameter, cmd/ftshsim/herd/experiment,
//	    interp, interp/event, interp/files, interp/value, interp/world,
//	    cmd/ftshsim/world
//	cmd/ftshsim/choose: the backoff that gets a crowd through in time at the least load
//	    imports backoff, cmd/ftshsim/herd, cmd/ftshsim/herd/server, cmd/ftshsim/herd/measure,
//	    cmd/ftshsim/herd/parameter, cmd/ftshsim/herd/experiment, cmd/ftshsim/simulate
//	cmd/ftshsim/fit: a SPEC of what really happened, out of logs
//	    imports cmd/ftshsim/herd/server, cmd/ftshsim/herd/spread, cmd/ftshsim/herd/measure, interp, cmd/ftshsim/world
//	cmd/ftshsim/world: the programs and files that a simulated script finds
//	    imports ast, ast/diag, backoff, cmd/ftshsim/herd/server, cmd/ftshsim/herd/spread, interp/expand
//	cmd/…: flags, signals, exit statuses; the embedded manual
//	    imports anything but the simulator's rooms
//
// # Floors
//
// The files of this package stand on floors, and what stands on one uses those below it (TestFloors). But a language is
// recursive: what has groups runs them by groupIn and runGroup of statement.go, the only way back up.
//
//	5: run, prompt
//	4: statement, conditional, command, builtin, builtin_read, builtin_retryafter, builtin_umask, function, pipeline,
//	   grouped, loop, loop_forany, loop_forall, try, try_resumed, try_resource, try_verify, on, on_job, on_job_wait,
//	   unit, redirect_block, redirect_around, substitution, secret_journal
//	3: scope, branches, state, environment, try_condition, try_header, try_next, resource, redirect, redirect_parked,
//	   redirect_words
//	2: frame, runner, underway, variables, directory, saved, report
//	1: failure, failure_told, outcome, secret
//
// How something ends (1) and what is under way (2) are values, the rules (3) decide about them, and what runs (4) is
// one file for each part of the language. To read the package begin with outcome.go, frame.go, underway.go and
// statement.go.
//
// # Redirections
//
// A redirection (redirect.go) opens what stands on one statement, from left to right, and at its end keeps or drops
// what was written; a restarted (redirect_block.go) does so anew for each attempt, alternative and catch group.
// What remains then, for each form in each place, stands in testdata/redirections.txt. A new form or place has no row
// there, and fails TestRedirectionsAreWhole, until a rule of the reference was found for it
// (redirections_model_test.go).
//
// # A try, and a new clause of it
//
// One type (in underway.go) runs a try: try.go makes its attempts, try_header.go evaluates its clauses,
// try_verify.go finds out what an attempt did, try_resource.go goes by a resource, and
// try_next.go decides what follows each of them. What changes while a try is under way stands
// in tryState.
//
// These are its states, and the function that takes each step; testdata/outcomes.txt has a
// script for every one of them (TestStatesOfATry):
//
//	begin   → sense    sense         of a resource, before an attempt or a verify
//	begin   → verify   verifyFirst   where the script names the key
//	begin   → group    once
//	sense   → sense    sense         it did not succeed: the attempt was deferred
//	sense   → verify   verify
//	sense   → group    once
//	verify  → verify   verify        it could not tell
//	verify  → sense    sense         absent: on to an attempt
//	verify  → group    once          absent, without a resource
//	group   → group    makeAttempt   it failed, and the limits allow another
//	group   → verify   verify        nobody knows what the attempt did
//	sense   → catch    catch         the try has failed
//	verify  → catch    catch
//	group   → catch    catch
//	sense   → finally  finally       the try was left: by exit, or from outside
//	verify  → finally  finally       it happened, or the try was left
//	group   → finally  finally       success, or the try was left
//	catch   → finally  finally
//	sense   → end      outcome
//	verify  → end      verdict
//	group   → end      outcome
//	catch   → end      catch
//	finally → end      afterFinally
//
// A new clause is a few lines in each of these files:
//
//	ast/try.go           its field in Try, and a line in walkTry; its first word in clauses, the others in
//	                     IsClauseWord, none of which may be a kind of failure
//	parser/grammar.go    its struct with addClause, and a case of grammar.clause
//	ast/printer/try.go   its text, in try
//	underway.go          its value in header, which the journal keeps; not for what stands in header.Plan
//	try_header.go        its row in evaluate
//
// Further, where the clause
//
//	calls for another one     whyUnfit in parser/try.go, as a limit for every
//	has words between values  expectedAfter in parser/explain.go, for the message when one is missing
//	says when to try again    backoff.Plan, and backoff/loop.go, which alone decides that
//	says what is worth it     outcome in try.go, which asks header.worthwhile, and the table of nextMove
//	counts, or remembers      tryState, and for a durable script tryProgress with saveProgress and resumeHeader
//	may hold a secret         header.without and evaluateAnew (try_resumed.go)
//	changes a limit           ast/explain/header.go, or --explain promises what no longer holds
//	does something alone      idleTries in ast/check/try.go, which calls a try without any clause idle
//
// Tests tell what is missing of these five: TestWalkTry (ast), TestRandomTrees (ast/printer, to whose random
// tries the clause is added) and TestErrors (parser; its messages list the clauses). TestManualHasClauses (cmd/ftsh)
// and TestEditorsKnowTheLanguage (cmd/ftsh-lsp) tell who else must know its word. Of the others no test knows but
// the clause's own: a script in testdata/script, and for a durable script one that is killed in the middle.
//
// # A durable script, and a unit of it
//
// A durable script has a place in its journal (durable.Place), which is nil for all others. What a structure has to
// remember is a state that it works with: keep (frame.go) gives it as an earlier run had it, its zero value says that
// nothing was decided yet, and each record of the journal has it as it is by then. testdata/mutants/rules.txt lists
// what must hold of that, with a mistake that breaks each rule. What runs as a whole (a program, a pipeline, a block
// that cannot go on in its middle) is a unit, in unit.go. These are the states of a unit, and what takes each step
// (TestStatesOfAUnit):
//
//	new     → begun    Begin       its begin is on disk before it starts
//	begun   → ended    End
//	begun   → left     Suspending  the shell has died, or the script is suspended
//	ended   → ended    Before      a later run takes its end for its own
//	left    → unknown  Before      a later run fails there with kind unknown, unless:
//	left    → new      Enter       it stands in a finally group, which is run again
//	left    → new      Again       a person says that it has done nothing
//	left    → ended    Happened    a person says that it has done its work
//	left    → awaited  Awaited     it is a job, which goes on without the shell
//	awaited → ended    EndJob
//
// Whether a person must decide about units that were left is found out by a dry run (Undecided, unit.go): the
// script goes on as it would, but begins nothing. Where it would, it ends with an Exit, which nothing handles; the
// failure of a unit that was left comes out at the end only if nothing around it handles that.
package interp
