package faults

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// tally counts the tries of each fault.
var tally struct {
	mu    sync.Mutex
	order []string
	rows  map[string]*row
	soak  []string // lines of a table
}

type row struct{ tried, survived int }

// fault tries a fault, in as many rounds as were asked for.
func fault(t *testing.T, name string, f func(s *stage)) {
	t.Helper()
	for round := range *rounds {
		ok := t.Run(fmt.Sprintf("%s/%d", name, round+1), func(t *testing.T) { f(newStage(t)) })
		count(name, ok)
	}
}

func count(name string, ok bool) {
	tally.mu.Lock()
	defer tally.mu.Unlock()
	if tally.rows == nil {
		tally.rows = map[string]*row{}
	}
	r := tally.rows[name]
	if r == nil {
		r = &row{}
		tally.rows[name] = r
		tally.order = append(tally.order, name)
	}
	r.tried++
	if ok {
		r.survived++
	}
}

// publish writes the counts.
func publish(file string) error {
	var text strings.Builder
	fmt.Fprintf(&text, `# Faults: tried, survived, lost

Written by `+"`go test ./testdata/faults -rounds %d -write -timeout 0`"+`, on Linux %s, %d processors; with -soak it
writes the part below, too, which takes a quarter of an hour.
A fault is survived if afterwards no process and no temporary file is left, no output file is torn, the exit status
is right, and the log tells the truth.

| fault | tried | survived | lost |
| --- | ---: | ---: | ---: |
`, *rounds, kernel(), runtime.NumCPU())
	var all row
	for _, name := range tally.order {
		r := tally.rows[name]
		fmt.Fprintf(&text, "| %s | %d | %d | %d |\n", name, r.tried, r.survived, r.tried-r.survived)
		all.tried += r.tried
		all.survived += r.survived
	}
	fmt.Fprintf(&text, "| **all** | **%d** | **%d** | **%d** |\n", all.tried, all.survived, all.tried-all.survived)
	if !*soaking {
		text.WriteString(soaked(file))
	} else {
		text.WriteString("\n## Soak\n\nWhat the shell has while one script runs on and on: after a tenth of it " +
			"(descriptors and goroutines: of a short run), and at its end.\n\n" +
			"| script | done | memory of its own, kB | descriptors | threads | goroutines |\n" +
			"| --- | ---: | ---: | ---: | ---: | ---: |\n")
		text.WriteString(strings.Join(tally.soak, "\n") + "\n")
	}
	return os.WriteFile(file, []byte(text.String()), 0o644)
}

// soaked returns what the file tells of the last soak.
func soaked(file string) string {
	text, _ := os.ReadFile(file)
	_, after, found := strings.Cut(string(text), "\n## Soak\n")
	if !found {
		return ""
	}
	return "\n## Soak\n" + after
}

func kernel() string {
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	parts := strings.SplitN(string(release), ".", 3)
	return strings.TrimSpace(strings.Join(parts[:min(2, len(parts))], "."))
}
