package event

// Kind says what happened. Its name is stable: programs read it in JSON logs.
type Kind uint8

// The kinds of event. The comments say which fields of the Event are set; ID,
// Parent and Pos are set wherever a statement is meant.
const (
	_ Kind = iota

	ShellStart  // the script begins: Command ($0 and the arguments)
	ShellSignal // the shell received Signal; Count: the how many-th it is; 0: it is handed on to programs
	ShellEnd    // the script ended: Status, Elapsed

	// why the script failed: Command, Name and Value (of the loop it stood in), Failure, Status, Message, Stderr,
	// Attempt, Reason, Elapsed (since the first attempt), Items, Left and Count (of the forall that it failed with)
	ScriptFailed
	BranchLost   // the script has failed, and this branch of a forall that kept going had, too: as ScriptFailed
	BranchesLost // Count of further ones that are not told of

	CommandStart    // Command
	CommandEnd      // it succeeded, or it is a condition that does not hold (Status 1): Command, Status, Elapsed
	CommandFailed   // Command, Status, Signal, Core, Failure, Message, Elapsed
	StatementFailed // another simple statement or a condition failed: Failure, Message
	Assign          // Name, Value

	PipelineStart  // Count (of stages)
	PipelineEnd    // Elapsed
	PipelineFailed // Failure, Status, Message, Elapsed

	FunctionCall   // Name, Command (the name and the arguments)
	FunctionEnd    // Name, Elapsed, Value (returned)
	FunctionFailed // Name, Failure, Status, Message, Elapsed

	TryStart   // Limit (attempts), Remaining
	TryAttempt // an attempt begins: Attempt, Limit, Elapsed, Remaining
	// an attempt failed and another will follow: Attempt, Limit, Wait, Elapsed, Remaining, Failure, Status, Message
	TryWait
	TryEnd    // it succeeded: Attempt, Elapsed
	TryFailed // Attempt, Elapsed, Reason, Failure, Status, Message
	Catch     // the catch group begins: Reason, Failure, Status, Message
	Finally   // the finally group begins: Reason, Failure, Status, Message of the failure that it follows, if any
	Verify    // what an attempt did is unknown, the verify group begins: Attempt, Failure, Status, Message
	// it is unknown still, the verify group will run again: Attempt, Wait, Elapsed, Remaining, Failure, Status, Message
	VerifyWait
	VerifyEnd // Attempt, Value ("happened", "absent", "unknown"), Elapsed

	// an attempt has to wait: Name (of the resource), Value (for what: turn, slot, budget, breaker, retryafter),
	// Count (before it), Attempt, Limit, Wait, Remaining
	ResourceWait
	ResourceDeferred // the sense group has failed: Name, Attempt, Failure, Status, Message
	BreakerOpened    // Name, Count (of failures), Wait (between probes)
	BreakerClosed    // Name

	IfBranch // a condition was decided: Value ("true", "false")

	ForStart  // Name, Count
	ForItem   // Name, Value
	ForEnd    // Name, Elapsed
	ForFailed // Name, Value (the item), Failure, Status, Message, Elapsed

	ForanyStart  // Name, Count
	ForanyItem   // an alternative begins: Name, Value
	ForanyEnd    // Name, Value (the item that succeeded), Elapsed
	ForanyFailed // Name, Count, Failure, Status, Message, Elapsed

	ForallStart  // Name, Count, Limit
	ForallBranch // a branch begins: Name, Value
	BranchEnd    // it succeeded: Name, Value, Elapsed
	BranchFailed // it failed: Name, Value, Failure, Status, Message, Elapsed
	ForallEnd    // Name, Count, Elapsed
	// Name, Value (the item of the branch that failed first), Failure, Status, Message, Elapsed, Items, Left, Count
	ForallFailed

	WhileTurn   // the condition holds, a turn begins: Count (from 1)
	WhileEnd    // Count (of turns), Elapsed
	WhileFailed // Count, Failure, Status, Message, Elapsed

	ProcessStart    // PID, Command
	ProcessEnd      // PID, Status, Signal, Core, Elapsed
	ProcessSignal   // Signal was sent to PID (0: to the whole tree of Count processes); Message: why
	ProcessSurvivor // PID outlived the SIGKILL and is not waited for (weak mode); Message: its name
	ProcessForeign  // PID belongs to another user by now and cannot be signalled; Message: its name
	ProcessStuck    // PID was killed but is stuck in the kernel; Message: its name
	// PID is an orphan that hides whose it is, and may be another command's: left alone; Message: the command that ended
	ProcessStray
	// there is no /proc: what the commands of this shell leave behind is not found; Message: the first such command
	ProcessBlind
	ProcessAlone // no guardian could be started: Message, a command, would outlive the shell if that is killed

	// what programs write to standard error cannot be seen, which the script mentions: Message (why)
	StderrUnseen

	// where a job of a batch system is: Name (its ticket), Value (waiting to submit, queued, running, and at last
	// done, failed or left), Message (its number and node, why it waits, what it has used). With the last three, if it
	// ran: Elapsed (of its programs), Job
	JobState
	// a command that is to be a job waits, as others have the room that the script gives to jobs: Message (.limit. N)
	JobWait

	// a program is made to fail on purpose: Command, Value (the rule), Count (the how many-th run of the program)
	FaultInjected

	TraceLost // spans could not be handed over: Count (of spans), Message (why)

	LogLost // the log could not be written for a while: Count (of lines), Message (why)

	kinds
)

var table = [kinds]struct {
	name   string
	level  int
	always fields
}{
	ShellStart:  {"shell.start", Structures, hasCommand},
	ShellSignal: {"shell.signal", Failures, hasNone},
	ShellEnd:    {"shell.end", Structures, hasStatus | hasElapsed},

	ScriptFailed: {"script.failed", Summary, hasStatus | hasFailure},
	BranchLost:   {"script.branch", Summary, hasName | hasValue | hasStatus | hasFailure},
	BranchesLost: {"script.branches", Summary, hasCount},

	CommandStart:    {"command.start", Commands, hasCommand},
	CommandEnd:      {"command.end", Commands, hasCommand | hasStatus | hasElapsed},
	CommandFailed:   {"command.failed", Failures, hasCommand | hasStatus | hasFailure | hasElapsed},
	StatementFailed: {"statement.failed", Failures, hasStatus | hasFailure},
	Assign:          {"assign", Commands, hasName | hasValue},

	PipelineStart:  {"pipeline.start", Structures, hasCount},
	PipelineEnd:    {"pipeline.end", Structures, hasElapsed},
	PipelineFailed: {"pipeline.failed", Failures, hasStatus | hasFailure | hasElapsed},

	FunctionCall:   {"function.call", Structures, hasCommand | hasName},
	FunctionEnd:    {"function.end", Structures, hasName | hasElapsed},
	FunctionFailed: {"function.failed", Failures, hasName | hasStatus | hasFailure | hasElapsed},

	TryStart:   {"try.start", Structures, hasNone},
	TryAttempt: {"try.attempt", Structures, hasAttempt | hasElapsed},
	TryWait:    {"try.wait", Failures, hasAttempt | hasStatus | hasFailure | hasWait | hasElapsed},
	TryEnd:     {"try.end", Structures, hasAttempt | hasElapsed},
	TryFailed:  {"try.failed", Failures, hasAttempt | hasStatus | hasFailure | hasElapsed},
	Catch:      {"catch", Structures, hasStatus | hasFailure},
	Finally:    {"finally", Structures, hasNone},
	Verify:     {"verify", Structures, hasAttempt | hasStatus | hasFailure},
	VerifyWait: {"verify.wait", Structures, hasAttempt | hasStatus | hasFailure | hasWait | hasElapsed},
	VerifyEnd:  {"verify.end", Structures, hasAttempt | hasValue | hasElapsed},

	ResourceWait:     {"resource.wait", Structures, hasName | hasValue | hasCount | hasAttempt},
	ResourceDeferred: {"resource.deferred", Structures, hasName | hasAttempt | hasStatus | hasFailure},
	BreakerOpened:    {"breaker.opened", Failures, hasName | hasCount},
	BreakerClosed:    {"breaker.closed", Structures, hasName},

	IfBranch: {"if.branch", Structures, hasValue},

	ForStart:  {"for.start", Structures, hasName | hasCount},
	ForItem:   {"for.item", Structures, hasName | hasValue},
	ForEnd:    {"for.end", Structures, hasName | hasElapsed},
	ForFailed: {"for.failed", Failures, hasName | hasValue | hasStatus | hasFailure | hasElapsed},

	ForanyStart:  {"forany.start", Structures, hasName | hasCount},
	ForanyItem:   {"forany.item", Structures, hasName | hasValue},
	ForanyEnd:    {"forany.end", Structures, hasName | hasValue | hasElapsed},
	ForanyFailed: {"forany.failed", Failures, hasName | hasCount | hasStatus | hasFailure | hasElapsed},

	ForallStart:  {"forall.start", Structures, hasName | hasCount},
	ForallBranch: {"forall.branch", Structures, hasName | hasValue},
	BranchEnd:    {"branch.end", Structures, hasName | hasValue | hasElapsed},
	BranchFailed: {"branch.failed", Structures, hasName | hasValue | hasStatus | hasFailure | hasElapsed},
	ForallEnd:    {"forall.end", Structures, hasName | hasCount | hasElapsed},
	ForallFailed: {"forall.failed", Failures, hasName | hasValue | hasStatus | hasFailure | hasElapsed},

	WhileTurn:   {"while.turn", Structures, hasCount},
	WhileEnd:    {"while.end", Structures, hasCount | hasElapsed},
	WhileFailed: {"while.failed", Failures, hasCount | hasStatus | hasFailure | hasElapsed},

	ProcessStart:    {"process.start", Processes, hasCommand},
	ProcessEnd:      {"process.end", Processes, hasStatus},
	ProcessSignal:   {"process.signal", Processes, hasNone},
	ProcessSurvivor: {"process.survivor", Summary, hasNone},
	ProcessForeign:  {"process.foreign", Summary, hasNone},
	ProcessStuck:    {"process.stuck", Summary, hasNone},
	ProcessStray:    {"process.stray", Summary, hasNone},
	ProcessBlind:    {"process.unseen", Summary, hasNone},
	ProcessAlone:    {"process.unguarded", Summary, hasNone},

	StderrUnseen: {"stderr.unseen", Summary, hasNone},

	JobState: {"job.state", Structures, hasName | hasValue},

	JobWait: {"job.wait", Structures, hasNone},

	FaultInjected: {"fault.injected", Failures, hasCommand | hasValue | hasCount},

	TraceLost: {"trace.lost", Summary, hasCount},

	LogLost: {"log.lost", Summary, hasCount},
}

// String is the kind's name, such as "try.wait".
func (k Kind) String() string {
	if k >= kinds || k == 0 {
		return "unknown"
	}
	return table[k].name
}

// Level is the level from which on a log shows events of this kind.
func (k Kind) Level() int {
	if k >= kinds || k == 0 {
		return Failures
	}
	return table[k].level
}

// Live reports whether the kind is one from which it can be seen what a script
// is waiting for: attempts and waits of tries, branches of foralls, jobs, and what failed in them.
func (k Kind) Live() bool {
	switch k {
	case TryAttempt, TryWait, TryEnd, TryFailed, ResourceWait, Verify, VerifyWait, VerifyEnd, CommandFailed,
		ForallStart, ForallBranch, BranchEnd, BranchFailed, ForallEnd, ForallFailed, JobState, JobWait:
		return true
	}
	return false
}

// alwaysThere are the members that a JSON object of this kind has always.
func (k Kind) alwaysThere() fields {
	if k >= kinds {
		return hasNone
	}
	return table[k].always
}
