package explain_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ftsh/ast"
	"ftsh/ast/explain"
	"ftsh/parser"
)

var update = flag.Bool("update", false, "write what is explained into testdata")

// TestText compares the explanation of each testdata/*.ftsh with what stands beside it.
func TestText(t *testing.T) {
	scripts, _ := filepath.Glob("testdata/*.ftsh")
	for _, path := range scripts {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := explained(t, filepath.Base(path), string(text))
			want := strings.TrimSuffix(path, ".ftsh") + ".txt"
			if *update {
				if err := os.WriteFile(want, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if text, _ := os.ReadFile(want); got != string(text) {
				t.Errorf("got\n%s\nwant\n%s", got, text)
			}
		})
	}
}

func explained(t testing.TB, name, text string) string {
	t.Helper()
	file, err := parser.Parse(&ast.Source{Name: name, Text: text}, parser.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return explain.Text(file, explain.Config{IsBuiltin: func(name string) bool {
		return name == "echo" || name == "exit" || name == "sleep" || name == "read" || name == "retryafter" ||
			name == "failure" || name == "giveup"
	}})
}

var exactCases = []struct{ name, script, want string }{
	{"pacing", "try for 1 hour every 1 minute\nmake\nend", "attempts      at most 60\n"},
	{"fixed waits", "try 4 times backoff fixed from 90 s\nmake\nend", "start at      0s, 1m30s, 3m, 4m30s\n"},
	{"doubled waits", "try 5 times backoff exact from 1 s to 4 s\nmake\nend", "start at      0s, 1s, 3s, 7s, 11s\n"},
	{"waits that are raised", "try 3 times backoff exact from 0 s to 1 s by 10\nmake\nend",
		"start at      0s, 1ms, 11ms\n"},
	{"a pace that is raised", "try for 10 s every 0 s\nmake\nend", "start at      0s, 1ms, 2ms, 3ms"},
	{"attempts and waits", "try 4 times each 1m backoff fixed from 90 s\nmake\nend", "longest       8m30s\n"},
	{"no attempt", "try 0 times\nmake\nend", "attempts      none\n"},
	{"a limit around", "try for 10m\ntry for 1h\nmake\nend\nend",
		"around it     the limit of line 1 leaves it at most 10m\n"},
	{"only on", "try 2 times only on 75 64 .to. 78 matching x\nmake\nend",
		"ends at once  all failures but 75 64 .to. 78 matching x\n"},
	{"a script with an end", "for i in 1 .to. 10\nsleep 2 minutes\nend", "longest       20m, and a kill timeout"},
	{"beside each other", "forall i in a b c d .limit. 3\nsleep 10\nend", "longest       20s, and a kill timeout"},
	{"a function", "f\nfunction f\ntry for 2 days\nmake\nend\nend", "longest       2d, and a kill timeout"},
	{"recursion", "f\nfunction f\nf\nend", "no limit: function f calls itself"},
	{"a limit from a function", "try f() times\nmake\nend\nfunction f\nreturn 3\nend",
		"in its clauses is computed, or too large"},
	{"an unknown limit", "wc -l < x -> n\ntry $n times\nmake\nend", "its clauses depend on $n"},
	{"a default", "try for ${LIMIT:-2h}\nmake\nend", "assumed       the defaults of $LIMIT\n"},
	{"jobs", "on slurm --time=9 .limit. 20\nmake\nend", "x:1: on slurm --time=9 .limit. 20\n" +
		"    runs          programs and pipelines of programs as jobs of slurm\n" +
		"    at a time     at most 20 jobs, queued or running\n\n"},
	{"pilots", "n=3\non slurm .pilots. $n\nmake\nend",
		"pilots        at most 3 jobs, which take the programs one after another\n"},
	{"as many pilots as the environment says", "on slurm .pilots. $n\nmake\nend", "pilots        $n jobs, which"},
	{"jobs within jobs", "on slurm\non here\nmake\nend\non slurm --mem=1G\nmake\nend\nend",
		"around it     the options of line 1 hold, too\n"},
	{"jobs within jobs, with others between", "on slurm\non here\non slurm --mem=1G\nmake\nend\nend\nend",
		"around it     the options of line 1 hold, too\n"},
	{"no jobs", "on here\nmake\nend", "runs          its programs here, none as a job\n"},
	{"at each start", "on start\nmake\nend", "runs          here, and again whenever the script is continued\n"},
	{"put off", "try 3 times each 1 s backoff fixed from 100 ms\nretryafter 4\nfailure\nend",
		"longest       8s\n    waits, too    for what its retryafter says\n"},
	{"put off in a function", "try 3 times\nf\nend\nfunction f\nretryafter 4\nfailure\nend", "longest       8s\n"},
	{"put off as long as it is told", "try 3 times\nretryafter -f h\nend", "no limit: the retryafter of line 2"},
	{"put off within a limit", "try for 1 minute or 3 times\nretryafter -f h\nend", "longest       1m\n"},
	{"a question", "read x", "no limit: read in line 1 waits for its input"},
	{"a question to a file", "read x < list", "longest       0s, and"},
	{"one of a block's file", "if true\nread x\nend < list", "longest       0s, and"},
	{"nested", "try 5 times\ntry 4 times\ntry 3 times\nmake\nend\nend\nend",
		"at most 5 × 4 × 3 = 60 times, with the tries around it\n"},
	{"what lies between", "try 3 times\nforany i in a b c\ntry 2 times\nmake\nend\nend\nend",
		"at most 3 × 3 × 2 = 18 times, with the tries around it\n"},
	{"a hedge between", "try 3 times\nforany i in a b .hedge. 1 s\ntry 2 times\nmake\nend\nend\nend",
		"at most 3 × 2 × 2 = 12 times, with the tries around it\n"},
	{"a range between", "try 3 times\nforall i in 1 .to. 10\ntry 2 times\nmake\nend\nend\nend",
		"at most 3 × 10 × 2 = 60 times, with the tries around it\n"},
	{"a loop around all", "for i in a b\ntry 3 times\ntry 2 times\nmake\nend\nend\nend",
		"at most 3 × 2 = 6 times, with the tries around it\n"},
	{"a function called twice", "try 3 times\nf\nf\nend\nfunction f\ntry 2 times\nmake\nend\nend",
		"at most 6 × 2 = 12 times, with the tries around it\n"},
	{"a function called here and there",
		"try 3 times\nfor i in a b\nf\nend\nend\nf\nfunction f\ntry 2 times\nmake\nend\nend",
		"at most 7 × 2 = 14 times, with the tries around it\n"},
	{"functions that call each other", "try 3 times\nx=g()\nend\nfunction f\ntry 2 times\nmake\nend\nend\n" +
		"function g\nfor i in a b\nf\nend\nend", "at most 3 × 2 × 2 = 12 times, with the tries around it\n"},
	{"a list that is not known", "ls -> l\ntry 3 times\nfor i in $l\ntry 2 times\nmake\nend\nend\nend",
		"in all        not known, with the tries around it: how many turns the for loop of line 3 makes\n"},
	{"a loop without a count", "try 3 times\nwhile try read x\ntry 2 times\nmake\nend\nend\nend",
		"in all        not known, with the tries around it: how many turns the while loop of line 2 makes\n"},
	{"recursion with tries", "function f\ntry 2 times\ntry 2 times\nf\nend\nend\nend\nf",
		"in all        not known, with the tries around it: function f calls itself\n"},
	{"in a verify", "try 3 times\nmake\nverify\ntry 2 times\nmake\nend\nend",
		"in all        not known, with the tries around it: how often the verify of line 1 is asked\n"},
	{"in a catch", "try 3 times\ntry 2 times\nmake\ncatch\ntry 4 times\nmake\nend\nend\nend",
		"at most 3 × 4 = 12 times, with the tries around it\n"},
	{"within a time", "try for 1 hour\ntry 3 times\ntry 2 times\nmake\nend\nend\nend",
		"at most 17 × 3 × 2 = 102 times, with the tries around it\n"},
	{"within a time whose waits have no least", "try for 1 hour backoff normal\ntry 2 times\nmake\nend\nend",
		"in all        not known, with the tries around it: how often the try of line 1 repeats it\n"},
	{"within a time and a pace", "try for 1 hour every 10 min\nforany h in a b c\ntry 2 times\nmake\nend\nend\nend",
		"at most 6 × 3 × 2 = 36 times, with the tries around it\n"},
	{"within a time and a policy", "try for 1 hour backoff exact from 10 m\ntry 2 times\nmake\nend\nend",
		"at most 5 × 2 = 10 times, with the tries around it\n"},
	{"a time within attempts", "try 5 times\ntry for 1 m every 10 s\nmake\nend\nend",
		"at most 5 × 6 = 30 times, with the tries around it\n"},
	{"a range with a step", "for i in 1 .to. 9 .step. 3\nsleep 1\nend", "longest       3s, and"},
	{"a step between", "try 3 times\nfor i in 9 .to. 1 .step. 4\ntry 2 times\nmake\nend\nend\nend",
		"at most 3 × 3 × 2 = 18 times, with the tries around it\n"},
	{"never less than what can happen", "sleep 5 secs\nsleep 1 hr", "longest       1h1m, and"},
	{"never less, in days", "sleep 3 days\nsleep 1", "longest       3d1h, and"},
	{"never less, in parts of a second", "sleep 0.1234", "longest       124ms, and"},
	{"a limit around that is not round", "try for 3605 s\ntry for 2h\nmake\nend\nend", "leaves it at most 1h1m\n"},
	{"more than can be counted",
		strings.Repeat("try 2 times\n", 63) + "make\n" + strings.Repeat("end\n", 63),
		"in all        no limit: with the tries around it, more often than can be counted\n"},
	{"longer than can be said", "for i in 1 .to. 1000000\nfor j in 1 .to. 1000000\nsleep 1 day\nend\nend",
		"longest       no limit: it may take more than 292 years\n"},
	{"a time that cannot be used", "try for 300000 days\nmake\nend",
		"attempts      not known before it runs: a number or a time in its clauses is computed, or too large to be used\n"},
	{"a function in an argument", "try 3 times\nexport x=f()\nend\nfunction f\nsleep 10\nreturn 1\nend",
		"as a whole\n    longest       3"},
	{"hedged", "forany i in a b c .hedge. 5 s\nsleep 10\nend", "longest       20s, and"},
	{"a pace and attempts that take a part of it", "try 3 times every 10 s\nsleep 4\nend", "longest       24s\n"},
	{"a pace and attempts that take longer", "try 3 times every 10 s\nsleep 14\nend", "longest       42s\n"},
	{"a catch that ends the loop", "for i in 1 .to. 10\ntry\nsleep 2\ncatch\nsleep 60\nexit 1\nend\nend",
		"longest       1m20s, and"},
	{"a catch that fails, in a try that repeats it",
		"try 3 times backoff fixed from 1 s\ntry\nsleep 1\ncatch\nsleep 10\nfailure\nend\nend",
		"as a whole\n    longest       35s, and"},
	{"a catch that fails, in one that catches it",
		"for i in 1 .to. 3\ntry\ntry\nsleep 1\ncatch\nsleep 10\nfailure\nend\ncatch\necho no\nend\nend",
		"longest       33s, and"},
	{"a catch that fails, in a forany", "forany i in 1 2 3\ntry\nsleep 1\ncatch\nsleep 10\nfailure\nend\nend",
		"longest       33s, and"},
	{"a catch that returns", "for i in 1 .to. 3\nf\nend\nfunction f\ntry\nsleep 1\ncatch\nsleep 10\nreturn\nend\nend",
		"longest       33s, and"},
	{"a catch that breaks", "for i in 1 .to. 3\nfor j in 1 2\ntry\nsleep 1\ncatch\nsleep 10\nbreak\nend\nend\nend",
		"longest       36s, and"},
	{"a catch that goes on", "for i in 1 .to. 10\ntry\nsleep 2\ncatch\nsleep 60\nend\nend", "longest       10m20s, and"},
	{"curl's own limit", "try 3 times backoff fixed from 1 s\ncurl -fsS --max-time 10 https://example.org/\nend",
		"longest       32s\n"},
	{"curl's own limit, for each of its transfers",
		"curl -m 5 -o a https://a.example.org/ -H 'A: b' -o b https://b.example.org/", "longest       10s, and"},
	{"curl's own patterns", "curl -m 5 'https://example.org/[1-9]'", "no limit: curl"},
	{"curl's own patterns switched off", "curl -g -m 5 'https://example.org/[1-9]'", "longest       5s, and"},
	{"a limit of curl's that is none", "curl -m 0 https://example.org/", "no limit: curl"},
	{"curl's own retries", "curl --retry 3 --max-time 10 https://example.org/", "no limit: curl"},
	{"timeout", "timeout -k 5 20 make", "longest       25s, and"},
	{"a pace without end", "try 5 times backoff normal from 1 s\nsleep 1\nend",
		"no limit: the waits of the policy normal"},
	{"verify, asked as often as there may be attempts",
		"try 3 times each 1 s backoff fixed from 1 s\nmake\nverify\nlook\nend", "longest       20s\n"},
	{"verify, asked before them, too",
		"try 3 times each 1 s key k backoff fixed from 1 s\nsleep 5\nverify\nfailure\nend", "longest       13s\n"},
	{"verify, asked until the limit", "try for 1 minute or 2 times each 1 s\nmake\nverify\nfailure\nend",
		"longest       1m, and verify"},
	{"a sense before each attempt", "resource r\nsense\nsleep 3\nend\nend\ntry for 20 s or 2 times via r\nsleep 1\nend",
		"as a whole\n    longest       20s, and"},
	{"more attempts than are simulated", "try 100000 times backoff fixed from 1 s\nfailure\nend",
		"as a whole\n    longest       27h47m, and"},
	{"waits that grow longer than is simulated",
		"try 10000 times backoff exact from 1 s to 1 hour by 1.0001\nfailure\nend",
		"as a whole\n    longest       208d10h, and"},
	{"a constant", "limit=3h\ntry for $limit\nmake\nend", "longest       3h\n"},
}

// TestExact holds numbers that can be known without dice.
func TestExact(t *testing.T) {
	for _, c := range exactCases {
		t.Run(c.name, func(t *testing.T) {
			if got := explained(t, "x", c.script+"\n"); !strings.Contains(got, c.want) {
				t.Errorf("no %q in\n%s", c.want, got)
			}
		})
	}
}

// TestRepeatable holds that the same script is explained in the same words.
func TestRepeatable(t *testing.T) {
	const script = "try for 3 days backoff full\nmake\nend\n"
	if one, two := explained(t, "x", script), explained(t, "x", script); one != two {
		t.Errorf("%s\n%s", one, two)
	}
}

// BenchmarkText explains the tries whose schedules are the longest. Wanted are 50 ms.
func BenchmarkText(b *testing.B) {
	for name, script := range map[string]string{
		"many":   "try for 30 days backoff full from 1 ms to 1 s\nmake\nend\n",
		"paced":  "try for 30 days every 1 ms\nmake\nend\n",
		"common": "try for 1 hour\nmake\nend\n",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				explained(b, "x", script)
			}
		})
	}
}

// BenchmarkExamples explains each of the project's examples. Wanted are 50 ms for any.
func BenchmarkExamples(b *testing.B) {
	flat, _ := filepath.Glob("../../examples/*.ftsh")
	deep, _ := filepath.Glob("../../examples/*/*.ftsh")
	for _, path := range append(flat, deep...) {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(filepath.Base(path), func(b *testing.B) {
			for b.Loop() {
				explained(b, path, string(text))
			}
		})
	}
}

// TestLinear explains nested tries, functions and loops in a time that grows with their number.
func TestLinear(t *testing.T) {
	const deep = 1000
	for name, script := range map[string]string{
		"tries": strings.Repeat("try 2 times\n", deep) + "true\n" + strings.Repeat("end\n", deep),
		"limits": strings.Repeat("try for 1 hour or 2 times each 1 m\n", deep) + "giveup\n" + strings.Repeat("end\n",
			deep),
		"loops":     strings.Repeat("try 2 times\nfor i in 1 2 3\n", deep) + "true\n" + strings.Repeat("end\nend\n", deep),
		"unknown":   strings.Repeat("try 2 times\nwhile true\n", deep) + "true\n" + strings.Repeat("end\nend\n", deep),
		"catches":   strings.Repeat("try 2 times\ncatch\n", deep) + "true\n" + strings.Repeat("end\n", deep),
		"functions": manyFunctions(deep),
	} {
		start := time.Now()
		explained(t, "x", script)
		if took := time.Since(start); took > 20*time.Second { // 0.1 to 0.2 s where nothing else runs
			t.Errorf("%s: it took %v", name, took)
		}
	}
}

// manyFunctions is functions that call the next, twice.
func manyFunctions(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "function f%d\ntry 2 times\nf%d\nf%d\nend\nend\n", i, i+1, i+1)
	}
	fmt.Fprintf(&text, "function f%d\ntrue\nend\nf0\n", n)
	return text.String()
}
