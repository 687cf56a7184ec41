package event

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ftsh/ast"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// story is one event of each kind and of each form that its line can take.
func story() []Event {
	events := append(append(commands(), structures()...), processes()...)
	pos := ast.Pos{Source: &ast.Source{Name: "backup.ftsh"}, Line: 7, Column: 5}
	for i := range events {
		events[i].Time = time.Date(2026, time.November, 21, 1, 30, 36, 123456789, time.UTC)
		switch events[i].Kind {
		case ShellStart, ShellSignal, ShellEnd, BranchesLost, FaultInjected, TraceLost, LogLost:
		default:
			events[i].Pos = pos
		}
	}
	return events
}

func commands() []Event {
	cp := []string{"cp", "a b", "it's", "", "x\ny\xff", `back\slash$`, "naïve"}
	long := make([]string, 400)
	for i := range long {
		long[i] = "argument"
	}
	return []Event{
		{Kind: ShellStart, Command: []string{"backup.ftsh", "-x"}},
		{Kind: ShellSignal, Signal: syscall.SIGTERM},
		{Kind: ShellSignal, Signal: syscall.SIGINT, Count: 2, Message: "for the second time"},
		{Kind: ShellEnd, Elapsed: 90 * time.Minute},
		{Kind: ShellEnd, Status: 3},
		{Kind: ScriptFailed, Command: cp[:2], Failure: "exit", Status: 1, Message: "ended with status 1"},
		{
			Kind: ScriptFailed, Command: cp[:2], Name: "host", Value: "web 1", Failure: "exit", Status: 75, Attempt: 23,
			Reason:  "deadline",
			Elapsed: 90 * time.Minute, Message: "ended with status 75", Stderr: "quota is\x1b[1m used up",
		},
		{Kind: ScriptFailed, Failure: "error", Status: 1, Attempt: 1, Message: "variable x was never set"},
		{Kind: BranchLost, Command: cp[:2], Name: "host", Value: "web2", Failure: "signal", Status: 137, Attempt: 2,
			Reason: "attempts", Elapsed: time.Second},
		{Kind: BranchesLost, Count: 30},
		{Kind: CommandStart, Command: cp, ID: 4, Parent: 2},
		{Kind: CommandStart, Command: long},
		{Kind: CommandStart, Command: []string{"sh", "-c", strings.Repeat("é", 150)}},
		{Kind: CommandEnd, Command: cp[:2], Elapsed: 412 * time.Millisecond},
		{Kind: CommandEnd, Command: cp[:2], Status: 1},
		{Kind: CommandFailed, Command: cp[:2], Failure: "exit", Status: 1, Elapsed: 4123 * time.Millisecond},
		{Kind: CommandFailed, Command: cp[:2], Failure: "signal", Status: 139, Signal: syscall.SIGSEGV, Core: true},
		{Kind: CommandFailed, Command: cp[:2], Failure: "signal", Status: 162, Signal: 34},
		{Kind: CommandFailed, Command: cp[:2], Failure: "missing", Status: 127, Message: "cp: no such program\x1b[2J"},
		{Kind: CommandFailed, Command: cp[:2], Failure: "timeout", Status: 124},
		{Kind: CommandFailed, Command: cp[:2], Failure: "cancelled", Status: 1},
		{Kind: StatementFailed, Failure: "error", Status: 1, Message: "division by zero"},
		{Kind: Assign, Name: "x", Value: "1 2"},
		{Kind: ScriptFailed, Command: []string{"failure", "no", "backup"}, Failure: "failure", Status: 1,
			Message: "no backup"},
		{Kind: ScriptFailed, Command: cp[:2], Failure: "exit", Status: 75, Message: "backup: cp: disk full",
			Stderr: "disk full"},
	}
}

func structures() []Event {
	return []Event{
		{Kind: PipelineStart, Count: 3},
		{Kind: PipelineEnd, Elapsed: time.Second},
		{Kind: PipelineFailed, Failure: "exit", Status: 2},
		{Kind: FunctionCall, Name: "f", Command: []string{"f", "1"}},
		{Kind: FunctionEnd, Name: "f", Value: "7"},
		{Kind: FunctionEnd, Name: "f"},
		{Kind: FunctionFailed, Name: "f", Failure: "exit", Status: 2},
		{Kind: TryStart},
		{Kind: TryStart, Limit: 5},
		{Kind: TryStart, Limit: 1, Remaining: time.Hour},
		{Kind: TryAttempt, Attempt: 3, Elapsed: 3 * time.Second, Remaining: 57 * time.Second},
		{Kind: TryWait, Attempt: 3, Limit: 5, Wait: 4100 * time.Millisecond, Failure: "exit", Status: 1},
		{Kind: TryEnd, Attempt: 3, Elapsed: 3 * 24 * time.Hour},
		{Kind: TryFailed, Attempt: 3, Reason: "attempts", Failure: "exit", Status: 1, Elapsed: 125 * time.Second},
		{Kind: TryFailed, Attempt: 1, Failure: "exit", Status: 1},
		{Kind: Catch, Reason: "deadline", Failure: "timeout", Status: 124},
		{Kind: Finally},
		{Kind: Finally, Failure: "exit", Status: 9},
		{Kind: Verify, Attempt: 2, Failure: "timeout", Status: 124, Message: "the limit of 10s for each attempt passed"},
		{Kind: VerifyWait, Attempt: 2, Wait: 1500 * time.Millisecond, Elapsed: 20 * time.Second, Failure: "exit", Status: 1,
			Message: "ended with status 1"},
		{Kind: VerifyEnd, Attempt: 2, Value: "absent", Elapsed: 30 * time.Millisecond},
		{Kind: ResourceWait, Name: "schedd", Value: "slot", Attempt: 1, Count: 12, Remaining: time.Hour},
		{Kind: ResourceWait, Name: "schedd", Value: "turn", Attempt: 1, Count: 1},
		{Kind: ResourceWait, Name: "schedd", Value: "budget", Attempt: 2, Limit: 5, Wait: 30 * time.Second},
		{Kind: ResourceWait, Name: "schedd", Value: "breaker", Attempt: 2, Wait: 10 * time.Second},
		{Kind: ResourceWait, Name: "schedd", Value: "retryafter", Attempt: 2, Wait: time.Minute},
		{Kind: ResourceDeferred, Name: "schedd", Attempt: 1, Failure: "failure", Status: 1, Message: "no room"},
		{Kind: BreakerOpened, Name: "schedd", Count: 5, Wait: 30 * time.Second},
		{Kind: BreakerClosed, Name: "schedd"},
		{Kind: IfBranch, Value: "true"},
		{Kind: ForStart, Name: "x", Count: 1},
		{Kind: ForItem, Name: "x", Value: "one"},
		{Kind: ForEnd, Name: "x"},
		{Kind: ForFailed, Name: "x", Value: "one", Failure: "exit", Status: 1},
		{Kind: ForanyStart, Name: "x", Count: 2},
		{Kind: ForanyItem, Name: "x", Value: "one"},
		{Kind: ForanyEnd, Name: "x", Value: "one"},
		{Kind: ForanyFailed, Name: "x", Count: 2, Failure: "exit", Status: 1},
		{Kind: ForallStart, Name: "x", Count: 1000, Limit: 40},
		{Kind: ForallBranch, Name: "x", Value: "one"},
		{Kind: BranchEnd, Name: "x", Value: "one", Elapsed: time.Second},
		{Kind: BranchFailed, Name: "x", Value: "two", Failure: "exit", Status: 2, Message: "ended with status 2",
			Elapsed: time.Second},
		{Kind: ForallEnd, Name: "x", Count: 1000},
		{Kind: ForallFailed, Name: "x", Value: "one", Failure: "exit", Status: 1},
		{Kind: ForallFailed, Name: "x", Value: "one", Failure: "exit", Status: 1, Count: 200, Left: 3,
			Items: []string{"one", "b c"}},
		{Kind: WhileTurn, Count: 12},
		{Kind: WhileEnd, Count: 12},
		{Kind: WhileFailed, Count: 12, Failure: "exit", Status: 1},
	}
}

func processes() []Event {
	return []Event{
		{Kind: ProcessStart, PID: 99, Command: []string{"cp", "a b"}},
		{Kind: ProcessEnd, PID: 99, Elapsed: 350 * time.Microsecond},
		{Kind: ProcessEnd, PID: 99, Status: 137, Signal: syscall.SIGKILL},
		{Kind: ProcessSignal, PID: 99, Signal: syscall.SIGTERM, Message: "time limit"},
		{Kind: ProcessSignal, Signal: syscall.SIGKILL, Count: 5},
		{Kind: ProcessSurvivor, PID: 99, Message: "dd"},
		{Kind: ProcessForeign, PID: 99, Message: "sudo"},
		{Kind: ProcessStuck, PID: 99, Message: "dd"},
		{Kind: ProcessStray, PID: 99, Message: "make"},
		{Kind: ProcessBlind, Message: "make"},
		{Kind: ProcessAlone, Message: "make"},
		{Kind: JobState, Name: "bwa-1x-7", Value: "queued", Message: "job 12, Priority", ID: 4, Parent: 2},
		{Kind: JobState, Name: "bwa-1x-7", Value: "done", Message: "job 12, n1, 3.20 s, CPU 12.8 s, memory 3.9 GB", ID: 4,
			Parent:  2,
			Elapsed: 3200 * time.Millisecond,
			Job:     &Job{Asked: []string{"--mem=4G"}, CPU: 12800 * time.Millisecond, Memory: 4187593113}},
		{Kind: JobWait, Message: ".limit. 2", ID: 4, Parent: 2},
		{Kind: FaultInjected, Command: []string{"curl", "-f"}, Value: "curl:2 exit 28", Count: 2, ID: 4, Parent: 2,
			Branch: 3},
		{Kind: TraceLost, Count: 2, Message: "connection refused"},
		{Kind: StderrUnseen, Message: "files are limited to 100 bytes"},
		{Kind: LogLost, Count: 37, Message: "no space left on device"},
	}
}

func TestEveryKindIsTold(t *testing.T) {
	told := map[Kind]bool{}
	for _, e := range story() {
		told[e.Kind] = true
	}
	names := map[string]bool{}
	for k := Kind(1); k < kinds; k++ {
		if !told[k] {
			t.Errorf("no event of kind %v in the story", k)
		}
		if name := k.String(); name == "" || names[name] {
			t.Errorf("kind %d: name %q is empty or taken", k, name)
		}
		names[k.String()] = true
		if l := k.Level(); l != Summary && (l < Failures || l > Processes || l%10 != 0) {
			t.Errorf("%v: level %d", k, l)
		}
	}
	for _, none := range []Kind{0, kinds, 255} {
		if none.String() != "unknown" {
			t.Errorf("kind %d is called %q", none, none)
		}
	}
}

func TestTextLines(t *testing.T) {
	log := NewLog(nil, Config{Shell: 1234})
	var got []byte
	for _, e := range story() {
		got = log.appendLine(got, e)
	}
	decimal := NewLog(nil, Config{Shell: 1234, Decimal: true})
	got = decimal.appendLine(got, story()[10])
	golden(t, "lines.txt", got)
	for line := range strings.Lines(string(got)) {
		if len(line) > 4096 {
			t.Errorf("a line of %d bytes: %q", len(line), line)
		}
	}
}

func TestJSONLines(t *testing.T) {
	log := NewLog(nil, Config{JSON: true, Shell: 1234})
	var got []byte
	for _, e := range story() {
		if len(e.Command) < 100 {
			got = log.appendLine(got, e)
		}
	}
	golden(t, "lines.json", got)
}

// golden compares with a file of testdata, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		if i >= len(gotLines) || i >= len(wantLines) || gotLines[i] != wantLines[i] {
			t.Fatalf("%s:%d: %d lines, want %d; first different:\n%s\nwant\n%s", path, i+1, len(gotLines), len(wantLines),
				strings.Join(gotLines[i:min(i+1, len(gotLines))], ""), strings.Join(wantLines[i:min(i+1, len(wantLines))], ""))
		}
	}
}
