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
	LogLost   // the log could not be written for a while: Count (of lines), Message (why)

	kinds
)

// Parts of the formats below.
const (
	thatFailed      = " failed: {why}[, after {elapsed}]"
	thatSucceeded   = " succeeded[, after {elapsed}]"
	thatBegins      = " {name} in {count item}[, {limit} at a time]"
	thatFailedAfter = " failed[ at {name}={item}]: [{words}: ]{why}[, tried {attempt time}[ in {spent}][ ({reason})]]" +
		"[; it wrote: {stderr}]"
)

// row tells all of a kind.
type row struct {
	name   string
	level  int
	always string // the members that its JSON objects have even if they are zero or empty
	format string // of its text line: Event.appendFormat fills it in
}

var table = [kinds]row{
	0:           {"unknown", Failures, "", "unknown event"},
	ShellStart:  {"shell.start", Structures, "command", "script started: {command}"},
	ShellSignal: {"shell.signal", Failures, "", "received {signal}[: {message}]"},
	ShellEnd:    {"shell.end", Structures, "status elapsed", "script {succeeded ended with}[, after {elapsed}]"},

	ScriptFailed: {"script.failed", Summary, "status failure", "script" + thatFailedAfter + "[; {items}]"},
	BranchLost:   {"script.branch", Summary, "name value status failure", "also" + thatFailedAfter},
	BranchesLost: {"script.branches", Summary, "count", "and {count more branch} failed"},

	CommandStart: {"command.start", Commands, "command", "starting: {command}"},
	CommandEnd:   {"command.end", Commands, "command status elapsed", "{succeeded exit}: {command}[, after {elapsed}]"},
	CommandFailed: {"command.failed", Failures, "command status failure elapsed",
		"failed: {command}: {why}[, after {elapsed}]"},
	StatementFailed: {"statement.failed", Failures, "status failure", "failed: {why}"},
	Assign:          {"assign", Commands, "name value", "{name}={value}"},

	PipelineStart:  {"pipeline.start", Structures, "count", "PIPELINE of {count stage}"},
	PipelineEnd:    {"pipeline.end", Structures, "elapsed", "PIPELINE" + thatSucceeded},
	PipelineFailed: {"pipeline.failed", Failures, "status failure elapsed", "PIPELINE" + thatFailed},

	FunctionCall: {"function.call", Structures, "command name", "FUNCTION {command}"},
	FunctionEnd: {"function.end", Structures, "name elapsed",
		"FUNCTION {name} returned[ {value}][, after {elapsed}]"},
	FunctionFailed: {"function.failed", Failures, "name status failure elapsed", "FUNCTION {name}" + thatFailed},

	TryStart:   {"try.start", Structures, "", "TRY[ for {remaining}][ {or}][ {limit time}]"},
	TryAttempt: {"try.attempt", Structures, "attempt elapsed", "TRY attempt {attempt}[ of {limit}]"},
	TryWait: {"try.wait", Failures, "attempt status failure wait elapsed",
		"TRY attempt {attempt}[ of {limit}], sleeping {wait}: {why}"},
	TryEnd: {"try.end", Structures, "attempt elapsed", "TRY attempt {attempt}[ of {limit}]" + thatSucceeded},
	TryFailed: {"try.failed", Failures, "attempt status failure elapsed",
		"TRY failed after {attempt attempt}[ ({reason})]: {why}[, after {elapsed}]"},
	Catch:   {"catch", Structures, "status failure", "CATCH: {why}"},
	Finally: {"finally", Structures, "", "FINALLY[: {why}]"},
	Verify:  {"verify", Structures, "attempt status failure", "VERIFY attempt {attempt}[ of {limit}]: unknown: {why}"},
	VerifyWait: {"verify.wait", Structures, "attempt status failure wait elapsed",
		"VERIFY attempt {attempt}[ of {limit}]: still unknown, sleeping {wait}: {why}"},
	VerifyEnd: {"verify.end", Structures, "attempt value elapsed",
		"VERIFY attempt {attempt}[ of {limit}]: {state}[, after {elapsed}]"},
	ResourceWait: {"resource.wait", Structures, "name value count attempt",
		"TRY attempt {attempt}[ of {limit}], {waiting}[, at most {wait}][, {count} before it]"},
	ResourceDeferred: {"resource.deferred", Structures, "name attempt status failure",
		"TRY attempt {attempt}[ of {limit}] deferred by the sense of {name}: {why}"},
	BreakerOpened: {"breaker.opened", Failures, "name count",
		"the breaker of {name} opens after {count failure}, a probe every {wait}"},
	BreakerClosed: {"breaker.closed", Structures, "name", "the breaker of {name} closes"},
	IfBranch:      {"if.branch", Structures, "value", "IF {value}"},

	ForStart:  {"for.start", Structures, "name count", "FOR" + thatBegins},
	ForItem:   {"for.item", Structures, "name value", "FOR {name}={value}"},
	ForEnd:    {"for.end", Structures, "name elapsed", "FOR {name}" + thatSucceeded},
	ForFailed: {"for.failed", Failures, "name value status failure elapsed", "FOR {name}={value}" + thatFailed},

	ForanyStart:  {"forany.start", Structures, "name count", "FORANY" + thatBegins},
	ForanyItem:   {"forany.item", Structures, "name value", "FORANY {name}={value}"},
	ForanyEnd:    {"forany.end", Structures, "name value elapsed", "FORANY {name}={value}" + thatSucceeded},
	ForanyFailed: {"forany.failed", Failures, "name count status failure elapsed", "FORANY {name}" + thatFailed},

	ForallStart:  {"forall.start", Structures, "name count", "FORALL" + thatBegins},
	ForallBranch: {"forall.branch", Structures, "name value", "FORALL {name}={value}"},
	BranchEnd:    {"branch.end", Structures, "name value elapsed", "FORALL {name}={value}" + thatSucceeded},
	BranchFailed: {"branch.failed", Structures, "name value status failure elapsed", "FORALL {name}={value}" + thatFailed},
	ForallEnd:    {"forall.end", Structures, "name count elapsed", "FORALL {name}" + thatSucceeded},
	ForallFailed: {"forall.failed", Failures, "name value status failure elapsed",
		"FORALL {name}={value}" + thatFailed + "[; {items}]"},
	WhileTurn:   {"while.turn", Structures, "count", "WHILE turn {count}"},
	WhileEnd:    {"while.end", Structures, "count elapsed", "WHILE ended after {count turn}[, after {elapsed}]"},
	WhileFailed: {"while.failed", Failures, "count status failure elapsed", "WHILE" + thatFailed},

	ProcessStart: {"process.start", Processes, "command", "process [{pid} ]started: {command}"},
	ProcessEnd:   {"process.end", Processes, "status", "process [{pid} ]ended: {died}[, after {elapsed}]"},
	ProcessSignal: {"process.signal", Processes, "",
		"process [{pid tree} ]was sent {signal}[ ({count process})][: {message}]"},
	ProcessSurvivor: {"process.survivor", Summary, "",
		"process [{pid} ]survived SIGKILL and is left behind[: {message}]"},
	ProcessForeign: {"process.foreign", Summary, "",
		"process [{pid} ]belongs to another user and is left alone[: {message}]"},
	ProcessStuck: {"process.stuck", Summary, "",
		"process [{pid} ]is stuck in the kernel since SIGKILL[: {message}]"},
	ProcessStray: {"process.stray", Summary, "",
		"process [{pid} ]hides which command has started it and is left alone[: {message}]"},
	ProcessBlind: {"process.unseen", Summary, "",
		"there is no /proc: what programs leave behind is not found, unless it is in their own process group" +
			"[: {message}]"},
	ProcessAlone: {"process.unguarded", Summary, "",
		"no guardian: if the shell is killed, this program is not ended[: {message}]"},
	StderrUnseen: {"stderr.unseen", Summary, "",
		"what programs write to standard error cannot be seen, so error.stderr and its kin stay empty[: {message}]"},

	JobState:      {"job.state", Structures, "name value", "JOB {name} {state}[: {message}]"},
	JobWait:       {"job.wait", Structures, "", "JOB waits for {name the end of another}[: {message}]"},
	FaultInjected: {"fault.injected", Failures, "command value count", "injected: {rule}: {command}"},
	TraceLost:     {"trace.lost", Summary, "count", "trace: lost {count span}[: {message}]"},
	LogLost:       {"log.lost", Summary, "count", "log: lost {count line}[: {message}]"},
}

// row returns what the table has on a kind, or on an unknown one.
func (k Kind) row() *row {
	if k >= kinds {
		k = 0
	}
	return &table[k]
}

// String is the kind's name, such as "try.wait".
func (k Kind) String() string { return k.row().name }

// Level is the level from which on a log shows events of this kind.
func (k Kind) Level() int { return k.row().level }

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
