package versus

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
)

// tools are the columns, ours last. Those of a quick run are bash, parallel and ours.
var tools = []string{"bash", "parallel", "make", "sbatch", "snakemake", "tsp", "ftsh"}

const ours = "ftsh"

func isQuick(tool string) bool { return tool == "bash" || tool == "parallel" || tool == ours }

// row is a disaster.
type row struct {
	name, title string
	tags        []string
	text        string
}

func (r row) is(tag string) bool { return slices.Contains(r.tags, tag) }

// readRows reads the folder rows.
func readRows(t *testing.T) (rows []row) {
	t.Helper()
	names, err := filepath.Glob("rows/*/about")
	if err != nil || len(names) == 0 {
		t.Fatal("no rows: ", err)
	}
	for _, name := range names {
		lines := strings.SplitN(readFile(t, name), "\n", 3)
		rows = append(rows, row{
			name:  filepath.Base(filepath.Dir(name)),
			title: lines[0],
			tags:  strings.Fields(lines[1]),
			text:  strings.TrimSpace(lines[2]),
		})
	}
	return rows
}

// sum is that of a row's files: what was seen of others says nothing of these.
func (r row) sum(t *testing.T) string {
	t.Helper()
	all, folder := sha256.New(), filepath.Join("rows", r.name)
	err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && entry.Name() != "about" {
			fmt.Fprintf(all, "%s\n%s\n", file, readFile(t, file))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(all.Sum(nil))[:12]
}

// scripts are the files of a row that belong to a tool; none if it has no answer.
func (r row) scripts(t *testing.T, tool string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("rows", r.name, tool+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return filepath.Base(name) != tool && filepath.Base(name) != tool+".again"
	})
}

// lines counts those of a tool's scripts, without comments and blank ones.
func (r row) lines(t *testing.T, tool string) (n int) {
	t.Helper()
	for _, name := range r.scripts(t, tool) {
		for line := range strings.Lines(readFile(t, name)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				n++
			}
		}
	}
	return n
}

// stage copies a folder to where its scripts run, and returns their environment.
func stage(t *testing.T, folder string) (work string, environ []string) {
	t.Helper()
	top := t.TempDir()
	work = filepath.Join(top, "work")
	if err := os.CopyFS(work, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tmp", "home/.parallel", "state", "resources"} {
		if err := os.MkdirAll(filepath.Join(top, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"work/facts": "", "home/.parallel/will-cite": ""} {
		if err := os.WriteFile(filepath.Join(top, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return work, []string{
		"PATH=" + os.Getenv("PATH") + ":/usr/sbin:/sbin", "HOME=" + top + "/home", "TMPDIR=" + top + "/tmp",
		"XDG_STATE_HOME=" + top + "/state", "FTSH_STATE_DIR=" + top + "/resources", "FTSH_KILL_TIMEOUT=1",
		"XDG_CACHE_HOME=" + top + "/home", "PYTHONDONTWRITEBYTECODE=1", "LC_ALL=C.UTF-8", "TZ=UTC",
		"TS_SOCKET=" + top + "/tsp", shelltest.Marker + "=" + top,
	}
}

// play runs a row's disaster for a tool.
func (r row) play(t *testing.T, tool string) facts {
	t.Helper()
	work, environ := stage(t, filepath.Join("rows", r.name))
	library, err := filepath.Abs("lib.sh")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), longest+time.Minute)
	defer cancel()
	cell := exec.CommandContext(ctx, "versus-cell", library, tool)
	cell.Dir, cell.Env = work, environ
	var stderr bytes.Buffer
	cell.Stderr = &stderr
	out, err := cell.Output()
	var f facts
	if err == nil {
		err = json.Unmarshal(out, &f)
	}
	said, _ := os.ReadFile(filepath.Join(work, "complaints"))
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", tool, err, stderr.Bytes(), said)
	}
	t.Logf("%s %s: %s: %+v\n%s", r.name, tool, judge(f), f, said)
	return f
}

// TestRows runs the disasters, and wants what results.txt says of them.
func TestRows(t *testing.T) {
	shelltest.Shell(t)
	known := readResults(t)
	if *update {
		t.Cleanup(func() { known.write(t) })
	}
	for _, r := range readRows(t) {
		t.Run(r.name, func(t *testing.T) {
			if !r.is("quick") {
				skip.UnlessLong(t, "it is not one of the quick rows")
			}
			if r.is("root") && os.Getuid() != 0 {
				skip.Test(t, "it needs root")
			}
			t.Parallel()
			if r.is("slurm") {
				if _, err := exec.LookPath("sbatch"); err != nil {
					skip.Test(t, "it needs Slurm: run testdata/slurm/install")
				}
				alone(t)
			}
			for _, tool := range tools {
				if len(r.scripts(t, tool)) == 0 || !skip.Long() && !isQuick(tool) {
					continue
				}
				if _, err := exec.LookPath(tool); err != nil {
					skip.Say(t, "%s is not installed", tool)
					continue
				}
				seen := r.see(t, tool)
				if *update {
					known.set(seen)
				} else if was := known.cell(r.name, tool); was.verdict != seen.verdict || was.lines != seen.lines {
					t.Errorf("%s: %s in %d lines; results.txt has %q in %d: see -update",
						tool, seen.verdict, seen.lines, was.verdict, was.lines)
				}
			}
			known.seal(r.name, r.sum(t))
		})
	}
}

// alone waits until no other of these tests has a Slurm cluster: who has one listens.
func alone(t *testing.T) {
	for {
		lock, err := net.Listen("unix", "@ftsh-test-versus")
		if err == nil {
			t.Cleanup(func() { _ = lock.Close() })
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// see returns what happens in a cell, each time that it is looked at.
func (r row) see(t *testing.T, tool string) cell {
	t.Helper()
	seen := cell{row: r.name, tool: tool, lines: r.lines(t, tool)}
	var took []time.Duration
	for range *times {
		f := r.play(t, tool)
		if verdict := judge(f); seen.verdict != "" && verdict != seen.verdict {
			t.Errorf("%s: once %s, once %s", tool, seen.verdict, verdict)
		} else {
			seen.verdict = verdict
		}
		took = append(took, f.Took)
	}
	slices.Sort(took)
	seen.took = took[len(took)/2]
	return seen
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
