package everywhere

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// An allowance says what of a script's outcome may differ in some situations.
type allowance struct {
	situations []string // beginnings of their names; none: all
	scripts    []string // names or properties; none: all
	aspects    []string
	relation   relation
	sentence   string // of the reference
}

// A relation reports whether an aspect may be so in an outcome where the plain one was that.
type relation func(plain, got string, whole outcome) bool

func anything(string, string, outcome) bool { return true }

// succeedsAlike holds where both succeeded or both failed.
func succeedsAlike(plain, got string, _ outcome) bool { return (plain == "0") == (got == "0") }

// asFailure holds for an outcome that does not claim to be a success.
func asFailure(_, _ string, whole outcome) bool { return whole.status != "0" }

// toldAsFailure holds where the script failed, or caught the failure.
func toldAsFailure(_, _ string, whole outcome) bool {
	return whole.status != "0" || strings.Contains(whole.stdout, "caught redirect") ||
		strings.Contains(whole.stdout, "caught system")
}

// afterUnknown holds where a structure has taken a unit whose outcome is unknown for a failure, or a unit was run
// again that does something else then: what follows from that is the script's affair.
func afterUnknown(_, _ string, whole outcome) bool { return whole.unknown }

// mayRepeatPieces holds if got has all bytes of plain in their order.
func mayRepeatPieces(plain, got string, _ outcome) bool {
	for i := range len(got) {
		if plain != "" && got[i] == plain[0] {
			plain = plain[1:]
		}
	}
	return plain == ""
}

// mayBeCut holds if got has nothing but the beginning of plain.
func mayBeCut(plain, got string, _ outcome) bool { return strings.HasPrefix(plain, got) }

// hasLinesOf holds if got has no line that plain has not: of attempts that failed what they wrote is cut back.
func hasLinesOf(plain, got string, _ outcome) bool {
	want := strings.SplitAfter(plain+"\n", "\n")
	for line := range strings.Lines(got) {
		if !slices.Contains(want, strings.TrimSuffix(line, "\n")+"\n") {
			return false
		}
	}
	return true
}

// mayRepeat holds if got has all lines of plain in their order, and others between them.
func mayRepeat(plain, got string, _ outcome) bool {
	want := strings.SplitAfter(plain, "\n")
	for line := range strings.Lines(got) {
		if len(want) > 0 && line == want[0] {
			want = want[1:]
		}
	}
	return len(want) == 0 || want[0] == ""
}

var ofJob = regexp.MustCompile(` \(job \d+(_\d+)? on \w+\)`)

// butForJobs holds if got has what plain has, and which job it was.
func butForJobs(plain, got string, _ outcome) bool { return ofJob.ReplaceAllString(got, "") == plain }

// mayRepeatInJobs holds if got has, but for which jobs they were, all lines of plain, and others between them.
func mayRepeatInJobs(plain, got string, whole outcome) bool {
	return mayRepeat(plain, ofJob.ReplaceAllString(got, ""), whole)
}

// The beginnings of the names of situations that have something in common.
var (
	branches = []string{
		"forall", "hedge", "first stage", "last stage", "journal, forall", "journal, hedge", "journal, last stage",
		"stopped, last stage", "killed, forall", "on slurm, array",
	}
	lastStages = []string{"last stage", "journal, last stage", "stopped, last stage"}
	stdouts    = []string{"stdout closed", "stdout full"}
	journals   = []string{"journal", "killed", "terminated"}
	continued  = []string{"killed", "terminated"}
	onSlurm    = []string{"on slurm"}
	limits     = []string{"slots 1", "try with limits"}
	// whose standard output the shell itself has opened, around all of the script
	opened = []string{
		"to a file", "captured", "all closed", "stdout closed, to a file", "stdout full, to a file",
		"journal, stdout closed", "killed, to a file",
	}
)

// The aspects of an outcome.
var (
	status  = []string{"status"}
	stdout  = []string{"stdout"}
	stderr  = []string{"stderr"}
	files   = []string{"files"}
	kinds   = []string{"kinds"}
	allOfIt = []string{"status", "stdout", "stderr", "files", "kinds"}
	written = []string{"stdout", "stderr", "files"}
)

const closedFails = "Standard output that is closed is a failure of the builtin that writes there"

var allowances = []allowance{
	{nil, []string{"random"}, kinds, anything, "It begins at a random item and goes round"},
	{branches, []string{"exit", "exec"}, status, succeedsAlike,
		"what it assigns, its `cd`, `exit` and `return` concern the stage alone"},
	{branches, []string{"exit", "exec"}, kinds, anything, "`exit` ends only its branch"},
	// one may just have ended
	{nil, []string{"pipeline"}, kinds, anything, "When the last stage fails, the others are cancelled."},
	{lastStages, nil, kinds, mayRepeat, "When the last stage fails, the others are cancelled."},
	// and what it catches is in the log
	{[]string{"catch"}, nil, kinds, mayRepeat, "`catch` runs when the try has finally failed"},
	{stdouts, []string{"writes stdout"}, allOfIt, asFailure, closedFails},
	{stdouts, []string{"decides"}, allOfIt, anything, closedFails},
	{[]string{"stderr", "all closed", "-l 40"}, nil, stderr, anything, "Log (default standard error)"},
	{journals, []string{"exec"}, kinds, mayRepeat, "`exec` runs its program and ends as it did"},
	{journals, []string{"signals"}, allOfIt, anything, "**Signals suspend.**"},
	{continued, nil, kinds, anything, "What was under way** fails with kind `unknown`"},
	{continued, nil, allOfIt, afterUnknown, "Without `verify` it is a failure like any other"},
	{continued, []string{"resource_sense", "verifies"}, written, anything,
		"an interrupted `verify` or `sense` is repeated"},
	{continued, []string{"pieces"}, stdout, mayRepeatPieces, "an `echo` may print twice"},
	{continued, nil, written, mayRepeat, "an `echo` may print twice"},
	{[]string{"full TMPDIR", "TMPDIR missing", "read-only TMPDIR"}, []string{"large", "hedges"}, allOfIt, toldAsFailure,
		"large output lies in an unlinked temporary file"},
	{[]string{"full TMPDIR", "TMPDIR missing", "read-only TMPDIR", "ulimit -f"}, []string{"grouped"}, allOfIt,
		toldAsFailure, "memory does not grow with output"},
	{[]string{"ulimit -f"}, []string{"sees stderr"}, allOfIt, anything,
		"Where it cannot be intercepted (a limit on the size of files, `ulimit -f`)"},
	{[]string{"ulimit -f"}, []string{"case_log_default_level"}, []string{"status", "stdout", "files", "kinds"}, anything,
		"otherwise the log says once, at level 5, that it cannot"},
	{onSlurm, []string{"rereads", "reads", "feeds"}, stdout, anything,
		"Standard input that is neither is empty, also in a block with `< file`"},
	{onSlurm, nil, stdout, butForJobs, "the command, how it ended, and the last line that it wrote to stderr"},
	{onSlurm, nil, kinds, mayRepeatInJobs, "Redirections to and from files are done where the job runs"},
	{onSlurm, []string{"verify_after_limit", "case_try_last_and_error_item"}, allOfIt, anything,
		"**Limits** count the time in the queue"},
	{continued, []string{"grouped"}, stdout, anything,
		"is kept until it has ended, and written whole"}, // and is lost with the shell
	{[]string{"captured"}, []string{"exec"}, []string{"stdout", "kinds"}, anything,
		"`exec` replaces it (in a branch or a stage, only that)"},
	{[]string{"first stage"}, []string{"signals"}, kinds, mayRepeat, "SIGINT, SIGTERM, SIGHUP, SIGQUIT cancel everything"},
	// the stage after it, too, whatever that has read by then
	{[]string{"first stage"}, []string{"signals"}, stdout, mayBeCut, "SIGINT, SIGTERM, SIGHUP, SIGQUIT cancel everything"},
	{[]string{"forall", "forany", "hedge", "journal, forall", "journal, hedge", "killed, forall"},
		[]string{"case_try_last_and_error_item"}, stdout, anything,
		"what the branch of the innermost `forall` or `forany` around the failed command was given"},
	{nil, []string{"racy"}, kinds, anything, "The first failure cancels the rest"},
	{branches, []string{"rereads"}, stdout, anything,
		"the `try` stands in no branch (of a `forall` or hedge) or stage, which share it"},
	{[]string{"stdin a pipe", "journal, stdin a pipe"}, []string{"rereads"}, stdout, anything,
		"what came through a pipe is gone"},
	{nil, []string{"case_stdout_closed"}, files, anything,
		"A line: `2026-11-21T01:30:36+01:00 [pid] script:line message`"},
	{[]string{"-l "}, []string{"case_log_default_level", "case_stdout_closed"}, []string{"status", "stdout", "files"},
		anything, "each also an environment variable that nested shells inherit"},
	// a program that cannot write its message
	{[]string{"stderr", "all closed"}, []string{"writes stderr"}, allOfIt, anything, "It **fails** if it exits non-zero"},
	{opened, nil, stdout, hasLinesOf, "Standard output that a `try` or `forany` has from around it"},
	{continued, []string{"case_output_around"}, allOfIt, anything, "Without `verify` it is a failure like any other"},
	{limits, []string{"gives up"}, allOfIt, anything, "fails the nearest enclosing try with LIMITS"},
}

// applies reports whether an allowance is for a script in a situation.
func (a *allowance) applies(s *script, sit *situation) bool {
	return (len(a.situations) == 0 ||
		slices.ContainsFunc(a.situations, func(name string) bool { return strings.HasPrefix(sit.name, name) })) &&
		(len(a.scripts) == 0 || slices.Contains(a.scripts, s.name) || s.has(a.scripts...))
}

// differences says in what an outcome is not as it must be.
func differences(s *script, sit *situation, plain, got outcome) (list []string) {
	for _, aspect := range []struct{ name, plain, got string }{
		{"status", plain.status, got.status},
		{"stdout", plain.stdout, got.stdout},
		{"stderr", plain.stderr, got.stderr},
		{"files", plain.files, got.files},
		{"kinds", plain.kinds, got.kinds},
	} {
		if aspect.plain == aspect.got || aspect.name == "kinds" && sit.log != nil {
			continue
		}
		allowed := func(a allowance) bool {
			return slices.Contains(a.aspects, aspect.name) && a.applies(s, sit) && a.relation(aspect.plain, aspect.got, got)
		}
		if !slices.ContainsFunc(allowances, allowed) {
			list = append(list, fmt.Sprintf("%s:\n%s", aspect.name,
				diff.Diff("plain", []byte(aspect.plain+"\n"), sit.name, []byte(aspect.got+"\n"))))
		}
	}
	return list
}
