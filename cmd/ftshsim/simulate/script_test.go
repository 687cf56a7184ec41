package simulate_test

import (
	"maps"
	"testing"
	"time"

	"ftsh/cmd/ftshsim/simulate"
)

// perfect is a world in which nothing goes wrong.
const perfect = "server\ntakes 1 s\noutput \"answer {number}\\n\"\nend\n" +
	"command tool\ntakes 10 s\noutput \"here\\n\"\nend\ncommand broken\nfailure 100 percent\n" +
	"error status 3 says \"no such thing\"\nend\n"

// down is a world without anybody there.
const down = "server\ntakes 1 s\noutage from 0 s to 10 hours\nrefused status 7 says \"connection refused\"\n" +
	"retryafter 100 s\nend\n" +
	"server slow\ntakes 1 hour\nend\ncommand tool\nend\n"

// behaviours are scripts that tell themselves whether all is well: they succeed.
var behaviours = map[string]struct {
	script, world string
	took          time.Duration
	requests      int
}{
	"a request":           {"get", perfect, time.Second, 1},
	"output":              {"get -> x\nif $x .ne. 'answer 1'\nfailure\nend", perfect, time.Second, 1},
	"no output to a file": {"get > x\nget >> y => z 2> a\nget >& b", perfect, 3 * time.Second, 3},
	"appended output":     {"x=a\nget ->> x\nif $x .ne. 'aanswer 1'\nfailure\nend", perfect, time.Second, 1},
	"echo into variables": {"echo hello -> x\nif $x .ne. hello\nfailure\nend", perfect, 0, 0},
	"block into variable": {"if true\necho a\nget\ntool\nend -> x\nif $x .ne. 'a\nanswer 1\nhere'\nfailure\nend",
		perfect, 11 * time.Second, 1},
	"sleep":        {"sleep 2 hours\nsleep 0.5", perfect, 2*time.Hour + 500*time.Millisecond, 0},
	"tool command": {"tool -> x\nif $x .ne. here\nfailure\nend", perfect, 10 * time.Second, 0},
	"status and message": {"try\nbroken\ncatch\nif ${error.status} .ne. 3 .or. .not. (${error.stderr} .matches. " +
		"such)\nfailure\nend\nend",
		perfect, 0, 0},
	"only on matching": {"try 3 times every 1 s only on matching 'such thing'\nbroken\ncatch\n" +
		"if ${try.attempt} .ne. 3\nfailure\nend\nend", perfect, 2 * time.Second, 0},
	"except on status": {"try 3 times every 1 s except on 7\nget\ncatch\nif ${error.reason} .ne. rejected\nfailure\n" +
		"end\nend", down, time.Millisecond, 1},
	"time limit": {"try for 90 s\nslow\ncatch\nif ${error.kind} .ne. timeout\nfailure\nend\nend", down,
		90 * time.Second, 1},
	"each": {"try 3 times each 10 s every 20 s\nslow\ncatch\nend", down, 50 * time.Second, 3},
	"elapsed and left": {"try for 100 s\nsleep 30\nif ${try.elapsed} .ne. 30 .or. ${try.remaining} .ne. 70\nfailure\n" +
		"end\nend", perfect, 30 * time.Second, 0},
	"retryafter": {"try 2 times every 1 s\ntry\nget\ncatch\nretryafter -f headers\nfailure\nend\ncatch\nend", down,
		100*time.Second + 2*time.Millisecond, 2},
	"retryafter time": {"try 2 times every 1 s\nretryafter 30\nfalse\ncatch\nend", perfect, 30 * time.Second, 0},
	"finally":         {"try\ntry for 10 s\nslow\nfinally\ntool\nsleep 5\nend\ncatch\nend", down, 15 * time.Second, 1},
	"branches":        {"forall x in 1 2 3 4\nsleep $x\nget $x\nend", perfect, 5 * time.Second, 4},
	"few branches":    {"forall x in 1 .to. 10 .limit. 3\nget\nend", perfect, 4 * time.Second, 10},
	"failing branch": {"try\nforall x in 1 2\nif $x .eq. 1\nsleep 3\nfailure\nend\nslow\nend\ncatch\nend", down,
		3 * time.Second, 1},
	"keepgoing": {"try\nforall x in 1 2 .keepgoing.\nif $x .eq. 1\nsleep 3\nfailure\nend\nslow\nend\ncatch\nend",
		down, time.Hour, 1},
	"items left": {"try\nforall x in 3 1 2 .keepgoing.\nsleep $x\nif $x .ne. 1\nfailure\nend\nend\ncatch\n" +
		"for x in \"${error.items}\"\n" +
		"sleep 1$x\nend\nend", perfect, 28 * time.Second, 0},
	"grouped": {"forall x in 3 1 2 .grouped. .limit. 2\necho a $x\nsleep $x\necho b $x\nend -> y\nif $y .ne. \"a 3\n" +
		"b 3\na 1\nb 1\na 2\nb 2\"\n" +
		"failure $y\nend", perfect, 3 * time.Second, 0},
	"alternatives": {"forany x in get slow .inorder.\n$x\nend\nif $x .ne. slow\nfailure\nend", down, time.Hour +
		time.Millisecond, 2},
	"hedged": {"forany x in slow tool .inorder. .hedge. 5 s\n$x\nend\nif $x .ne. tool\nfailure\nend", down,
		5 * time.Second, 1},
	"hedged output": {"forany x in 3 2 1 .inorder. .hedge. 0.5 s\nsleep $x\necho $x\nend -> y\nif $y .ne. 1\n" +
		"failure\nend", down, 2 * time.Second, 0},
	"all contenders":   {"try\nforany x in get get2 .hedge. 5 s\n$x\nend\ncatch\nend", down, 2 * time.Millisecond, 2},
	"pipeline":         {"get | tool | get -> x\nif $x .ne. 'answer 2'\nfailure\nend", perfect, 10 * time.Second, 2},
	"failing pipeline": {"try\nslow | broken\ncatch\nend", down + "command broken\nfailure 100%\nend", 0, 1},
	"function": {"function f\ntry 2 times\nget\nend\nreturn $1\nend\nx=f(4)\ny=f(5)\nif $x .ne. 4\nfailure\nend",
		perfect, 2 * time.Second, 2},
	"if try": {"if try broken2\nfailure\nelse\nget\nend", perfect + "command broken2\nfailure 100%\nend",
		time.Second, 1},
	"while try":     {"while try get\nif ${try.attempt} .eq. 1\nexit\nend\nend", perfect, time.Second, 1},
	"here-document": {"mail << END\ntext\nEND\nget < /some/file -< HOME\n", perfect, 2 * time.Second, 2},
	"directory":     {"cd /does/not/exist\npwd -> x\nif $x .ne. /does/not/exist\nfailure\nend", perfect, 0, 0},
	"exec":          {"exec get", perfect, time.Second, 1},
	"arguments":     {"if $1 .ne. one .or. $# .ne. 2 .or. $0 .ne. script.ftsh\nfailure\nend", perfect, 0, 0},
	"key":           {"try\nget ${try.key}\nend", perfect, time.Second, 1},
}

// TestBehaviours runs one client of each.
func TestBehaviours(t *testing.T) {
	for name, b := range behaviours {
		t.Run(name, func(t *testing.T) {
			script := b.script
			if name == "while try" {
				script = "try\n" + script + "\nend"
			}
			tally := run(t, simulate.Crowd{Who: simulate.All(load(t, script, "one", "two")), World: parseWorld(t, b.world),
				Clients: 1, Environ: []string{"HOME=/home/ann"}, Until: 12 * time.Hour}, 1)
			if tally.Done != 1 || tally.Requests != b.requests {
				t.Fatalf("finished %d, failed %v, running %d, %d requests, want %d", tally.Done, tally.Failed, tally.Running,
					tally.Requests, b.requests)
			}
			if tally.Took[0] != b.took {
				t.Errorf("it took %v, want %v", tally.Took[0], b.took)
			}
		})
	}
}

// TestEndings tells clients apart that did not succeed.
func TestEndings(t *testing.T) {
	for name, c := range map[string]struct {
		script  string
		failed  map[string]int
		running int
	}{
		"attempts":  {"try 3 times\nget\nend", map[string]int{"attempts": 10}, 0},
		"deadline":  {"try for 3 minutes\nget\nend", map[string]int{"deadline": 10}, 0},
		"rejected":  {"try for 3 minutes except on 7\nget\nend", map[string]int{"rejected": 10}, 0},
		"giveup":    {"try for 3 minutes\ngiveup\nend", map[string]int{"giveup": 10}, 0},
		"kind":      {"get", map[string]int{"exit": 10}, 0},
		"exit":      {"exit 4", map[string]int{"exit 4": 10}, 0},
		"error":     {"echo $nothing", map[string]int{"error": 10}, 0},
		"the end":   {"try for 5 hours\nget\nfinally\nsleep 10\nend", map[string]int{}, 10},
		"own loops": {"while true\nsleep 1\nend", map[string]int{}, 10},
	} {
		t.Run(name, func(t *testing.T) {
			tally := run(t, simulate.Crowd{Who: simulate.All(load(t, c.script)), World: parseWorld(t, down), Clients: 10}, 1)
			if !maps.Equal(tally.Failed, c.failed) || tally.Running != c.running || tally.Begun != 10 {
				t.Errorf("failed %v, running %d; want %v, %d", tally.Failed, tally.Running, c.failed, c.running)
			}
		})
	}
}

// TestWithBackoff replaces what tries say themselves, and nothing else.
func TestWithBackoff(t *testing.T) {
	w := parseWorld(t, down)
	script := load(t, "function f\nif true\ntry 2 times backoff fixed from 1 hour\nget\nend\nend\nend\ntry 3 times\n"+
		"f\ncatch\nend\ntry 2 times every 40 s\nget\ncatch\nend")
	changed, err := script.WithBackoff("fixed from 10 s")
	if err != nil {
		t.Fatal(err)
	}
	tally := run(t, simulate.Crowd{Who: simulate.All(changed), World: w, Clients: 1}, 1)
	if took, want := tally.Took[0].Round(time.Second), 90*time.Second; took != want || tally.Requests != 8 {
		t.Errorf("%d requests in %v, want 8 in %v", tally.Requests, took, want)
	}
	for clause, want := range map[string]string{
		"quick":             "",
		"fixed from 5":      "",
		"full\ntry":         "wanted plain numbers and times, and no variables",
		"full from $x":      "wanted plain numbers and times, and no variables",
		"full each 10 s":    "wanted a policy, and perhaps from T, to M, by F and jitter J",
		"full from 1 s end": "",
		"":                  "",
	} {
		if _, err := script.WithBackoff(clause); err == nil || want != "" && err.Error() != want {
			t.Errorf("%q: %v", clause, err)
		}
	}
}
