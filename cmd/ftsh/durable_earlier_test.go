package main

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"ftsh/testdata/shelltest"
)

// TestEarlierJournals goes on with journals that earlier programs have left, as testdata/journals has them: what had
// succeeded is not run again, and nothing is skipped. These files are not written anew when the format grows.
func TestEarlierJournals(t *testing.T) {
	shell := shelltest.Shell(t)
	files, err := filepath.Glob("testdata/journals/*.txtar")
	must(t, err)
	if len(files) < 2 {
		t.Fatalf("there are %d journals", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			must(t, err)
			part := func(name string) []byte {
				for _, f := range archive.Files {
					if f.Name == name {
						return f.Data
					}
				}
				t.Fatalf("it has no %s", name)
				return nil
			}
			dir := t.TempDir()
			for name, text := range map[string][]byte{"script.ftsh": part("script.ftsh"), "log": part("log"),
				"died": nil, "mended": nil, "j": adoptJournal(t, part("journal"), dir)} {
				must(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
			}
			args := append(strings.Fields(string(part("options"))), "--journal", filepath.Join(dir, "j"), "script.ftsh")
			cmd := exec.Command(shell, args...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			log, err := os.ReadFile(filepath.Join(dir, "log"))
			must(t, err)
			if got, want := sortedLines(log), sortedLines(part("want")); !slices.Equal(got, want) {
				t.Errorf("it did %q, want %q", got, want)
			}
		})
	}
}

func sortedLines(text []byte) []string { return slices.Sorted(strings.Lines(string(text))) }

// adoptJournal gives a journal the machine that there is and that directory, and its lines checks that cover these.
func adoptJournal(t *testing.T, text []byte, dir string) []byte {
	t.Helper()
	machine, _ := os.ReadFile("/etc/machine-id")
	if len(machine) == 0 {
		machine, _ = os.ReadFile("/var/lib/dbus/machine-id")
	}
	host, err := os.Hostname()
	must(t, err)
	var info syscall.Stat_t
	must(t, syscall.Stat(dir, &info))
	adopted := strings.NewReplacer("MACHINE", string(bytes.TrimSpace(machine)), "HOST", host, "DIR", dir,
		"DEVICE", strconv.FormatUint(uint64(info.Dev), 10), "INODE", strconv.FormatUint(info.Ino, 10)).Replace(string(text))
	var whole strings.Builder
	check := "00000000"
	for line := range strings.Lines(adopted) {
		line, _, _ = strings.Cut(line, `,"crc":"`)
		check = fmt.Sprintf("%08x", crc32.Checksum([]byte(check+line), crc32.MakeTable(crc32.Castagnoli)))
		fmt.Fprintf(&whole, "%s,\"crc\":\"%s\"}\n", line, check)
	}
	return []byte(whole.String())
}
