// Command performance measures the shell beside dash and bash, and writes what came
// out to testdata/performance.md. From the top of the module:
//
//	go run ./testdata/performance -bench PATH
//
// PATH is the program that measures, which comes with the targets. With -quick it
// takes a minute instead of some, and is less exact. Nothing else should run on the machine.
//
// Beside the shell stand floors: what an empty Go program costs in the same run.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// report is the output of the program that measures.
type report struct {
	Met, Short int
	Rows       []row
}

type row struct {
	Metric, Unit   string
	Figures        map[string]float64
	Wrong          map[string]string
	Judged         *float64
	Against        string
	Limit          *float64
	AtLeast        bool
	Verdict, Note  string
	floor, stretch string
}

// stretches are the targets beyond the targets.
var stretches = map[string]string{
	"startup": "0.85", "startup_rss": "3", "spawn": "1.20", "loop": "0.05", "calls": "0.1", "waiting_memory": "850",
	"waiting_wakeups": "0.035", "forall_1000": "1.0", "forall_sleep": "1.0",
	"cancel_1": "8", "cancel_1000": "130", "deadline": "5", "parse": "0.7",
}

func main() {
	bench := flag.String("bench", "", "the program that measures")
	quick := flag.Bool("quick", false, "in a minute")
	flag.Parse()
	if err := run(*bench, *quick); err != nil {
		fmt.Fprintln(os.Stderr, "performance:", err)
		os.Exit(1)
	}
}

func run(bench string, quick bool) error {
	dir, err := os.MkdirTemp("", "performance-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	programs, err := build(dir)
	if err != nil {
		return err
	}
	all, busy, err := measure(dir, bench, quick, "--ftsh", programs["ftsh"])
	if err != nil {
		return err
	}
	floors, _, err := measure(dir, bench, quick,
		"--ftsh", programs["ftsh"], "--also", "empty="+programs["empty"], "--only", "startup,startup_rss")
	if err != nil {
		return err
	}
	idle, err := idleMemory(programs["idle"])
	if err != nil {
		return err
	}
	for i := range all.Rows {
		r := &all.Rows[i]
		for _, f := range floors.Rows {
			if f.Metric == r.Metric {
				r.floor = "empty program " + figure(f.Figures["empty"]) + ", ours " + figure(f.Figures["ftsh"])
			}
		}
		if r.Metric == "waiting_memory" {
			r.floor = "idle program " + figure(idle)
		}
		r.stretch = stretches[r.Metric]
	}
	return os.WriteFile("testdata/performance.md", []byte(page(all, busy, quick)), 0o644)
}

// build builds the shell and the floors.
func build(dir string) (map[string]string, error) {
	sources := map[string]string{
		"empty": "package main\n\nfunc main() {}\n",
		"idle":  "package main\n\nimport \"syscall\"\n\nfunc main() { syscall.Pause() }\n",
	}
	programs := map[string]string{}
	for _, name := range []string{"ftsh", "empty", "idle"} {
		programs[name] = filepath.Join(dir, name)
		what := "ftsh/cmd/ftsh"
		if text := sources[name]; text != "" {
			what = filepath.Join(dir, name+".go")
			if err := os.WriteFile(what, []byte(text), 0o600); err != nil {
				return nil, err
			}
		}
		linked := programs[name] + ".linked"
		build := exec.Command("go", "build", "-o", linked, what)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("cannot build %s: %w\n%s", name, err, out)
		}
		if err := install(linked, programs[name]); err != nil {
			return nil, err
		}
	}
	return programs, nil
}

// install copies a program that was just linked, as those who install it do. The linker writes its file through a
// mapping, page by page, and until that leaves the kernel's cache programs start a fifth more slowly from it
// (measured).
func install(linked, program string) error {
	text, err := os.ReadFile(linked)
	if err != nil {
		return err
	}
	return os.WriteFile(program, text, 0o700)
}

// measure runs the program that measures. busy holds what it says of the machine.
func measure(dir, bench string, quick bool, args ...string) (r report, busy string, err error) {
	file := filepath.Join(dir, "report.json")
	if args = append(args, "--json", file); quick {
		args = append(args, "--quick")
	}
	cmd := exec.Command(bench, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		return r, "", err // that something falls short is no error
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return r, "", err
	}
	first, _, _ := strings.Cut(string(out), "\n")
	_, busy, _ = strings.Cut(first, " on ")
	return r, busy, json.Unmarshal(text, &r)
}

// idleMemory is the PSS in kB of a Go program that waits, as one of fifty.
func idleMemory(program string) (float64, error) {
	const many = 50
	total := 0
	var all []*exec.Cmd
	defer func() {
		for _, c := range all {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	}()
	for range many {
		c := exec.Command(program)
		if err := c.Start(); err != nil {
			return 0, err
		}
		all = append(all, c)
	}
	for _, c := range all {
		rollup, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(c.Process.Pid), "smaps_rollup"))
		if err != nil {
			return 0, err
		}
		_, after, _ := strings.Cut(string(rollup), "\nPss:")
		kB, err := strconv.Atoi(strings.Fields(after + " 0")[0])
		if err != nil {
			return 0, err
		}
		total += kB
	}
	return float64(total) / many, nil
}

// page is the text of performance.md.
func page(r report, busy string, quick bool) string {
	var text strings.Builder
	how := ""
	if quick {
		how = " -quick"
	}
	fmt.Fprintf(&text, `# Speed and memory

Written by `+"`go run ./testdata/performance%s -bench PATH`"+` (Go %s, Linux %s, %s):
%s. %d targets met, %d not. Judged is the ratio to
dash or bash of the same run, or the figure itself. What falls short, and why, is told in testdata/floors.md.

| what | unit | ours | dash | bash | judged | target | stretch | floor |
| --- | --- | ---: | ---: | ---: | --- | --- | ---: | --- |
`, how, strings.TrimPrefix(runtime.Version(), "go"), kernel(),
		line("/proc/cpuinfo", "model name"), busy, r.Met, r.Short)
	for _, row := range r.Rows {
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", row.Metric, row.Unit,
			row.of("ftsh"), row.of("dash"), row.of("bash"), row.judgement(), row.target(), row.stretch, row.floor)
	}
	return text.String()
}

// of is a contestant's figure.
func (r row) of(name string) string {
	if why := r.Wrong[name]; why != "" {
		return "wrong: " + why
	}
	value, ok := r.Figures[name]
	if !ok {
		return ""
	}
	return figure(value)
}

func (r row) judgement() string {
	if r.Judged == nil {
		return ""
	}
	text := figure(*r.Judged)
	if r.Against != "" {
		text += " × " + r.Against
	}
	if r.Verdict != "ok" {
		text = "**" + text + "**"
	}
	return text
}

func (r row) target() string {
	if r.Limit == nil {
		return ""
	}
	sign := "≤ "
	if r.AtLeast {
		sign = "≥ "
	}
	return sign + strconv.FormatFloat(*r.Limit, 'f', -1, 64)
}

// figure is a number with three significant digits.
func figure(v float64) string {
	if v >= 1000 || v <= -1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// kernel is the version of Linux, two numbers of it.
func kernel() string {
	parts := strings.SplitN(line("/proc/sys/kernel/osrelease", ""), ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// line returns what a file of the system says after a key, or its first line.
func line(file, key string) string {
	text, _ := os.ReadFile(file)
	_, after, _ := strings.Cut(string(text), key)
	first, _, _ := strings.Cut(after, "\n")
	return strings.TrimLeft(first, "\t :")
}
