package event

// Kind is what happened. Its name is stable: programs read it in JSON logs.
type Kind uint8

// The kinds of event. The comments say which fields of the Event are set; ID,
// Parent and Pos are set wherever a statement is meant.
const (
	_ Kind = iota

	ShellStart  // the script begins: Command ($0 and the arguments)
	ShellSignal // the shell received Signal; Count: the how many-th it is
	ShellEnd    // the script ended: Status, Elapsed

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
	TryWait    // an attempt failed and another will follow: Attempt, Limit, Wait, Elapsed, Remaining, Failure, Status, Message
	TryEnd     // it succeeded: Attempt, Elapsed
	TryFailed  // Attempt, Elapsed, Reason, Failure, Status, Message
	Catch      // the catch group begins: Reason, Failure, Status, Message
	Finally    // the finally group begins: Reason, Failure, Status, Message of the failure that it follows, if any
	Verify     // the verify group begins: Attempt

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
	ForallEnd    // Name, Count, Elapsed
	ForallFailed // Name, Value (the item of the branch that failed first), Failure, Status, Message, Elapsed

	WhileTurn   // the condition holds, a turn begins: Count (from 1)
	WhileEnd    // Count (of turns), Elapsed
	WhileFailed // Count, Failure, Status, Message, Elapsed

	ProcessStart    // PID, Command
	ProcessEnd      // PID, Status, Signal, Core, Elapsed
	ProcessSignal   // Signal was sent to PID (0: to the whole tree of Count processes); Message: why
	ProcessSurvivor // PID outlived the SIGKILL and is not waited for (weak mode); Message: its name
	ProcessForeign  // PID belongs to another user by now and cannot be signalled; Message: its name
	ProcessStuck    // PID was killed but is stuck in the kernel; Message: its name

	LogLost // the log could not be written for a while: Count (of lines), Message (why)

	kinds
)

var table = [kinds]struct {
	name  string
	level int
}{
	ShellStart:  {"shell.start", Structures},
	ShellSignal: {"shell.signal", Failures},
	ShellEnd:    {"shell.end", Structures},

	CommandStart:    {"command.start", Commands},
	CommandEnd:      {"command.end", Commands},
	CommandFailed:   {"command.failed", Failures},
	StatementFailed: {"statement.failed", Failures},
	Assign:          {"assign", Commands},

	PipelineStart:  {"pipeline.start", Structures},
	PipelineEnd:    {"pipeline.end", Structures},
	PipelineFailed: {"pipeline.failed", Failures},

	FunctionCall:   {"function.call", Structures},
	FunctionEnd:    {"function.end", Structures},
	FunctionFailed: {"function.failed", Failures},

	TryStart:   {"try.start", Structures},
	TryAttempt: {"try.attempt", Structures},
	TryWait:    {"try.wait", Structures},
	TryEnd:     {"try.end", Structures},
	TryFailed:  {"try.failed", Failures},
	Catch:      {"catch", Structures},
	Finally:    {"finally", Structures},
	Verify:     {"verify", Structures},

	IfBranch: {"if.branch", Structures},

	ForStart:  {"for.start", Structures},
	ForItem:   {"for.item", Structures},
	ForEnd:    {"for.end", Structures},
	ForFailed: {"for.failed", Failures},

	ForanyStart:  {"forany.start", Structures},
	ForanyItem:   {"forany.item", Structures},
	ForanyEnd:    {"forany.end", Structures},
	ForanyFailed: {"forany.failed", Failures},

	ForallStart:  {"forall.start", Structures},
	ForallBranch: {"forall.branch", Structures},
	ForallEnd:    {"forall.end", Structures},
	ForallFailed: {"forall.failed", Failures},

	WhileTurn:   {"while.turn", Structures},
	WhileEnd:    {"while.end", Structures},
	WhileFailed: {"while.failed", Failures},

	ProcessStart:    {"process.start", Processes},
	ProcessEnd:      {"process.end", Processes},
	ProcessSignal:   {"process.signal", Processes},
	ProcessSurvivor: {"process.survivor", Failures},
	ProcessForeign:  {"process.foreign", Failures},
	ProcessStuck:    {"process.stuck", Failures},

	LogLost: {"log.lost", Failures},
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
	if k >= kinds {
		return Failures
	}
	return table[k].level
}
