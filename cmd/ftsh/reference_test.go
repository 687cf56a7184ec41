package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ftsh/testdata/skip"
)

// referencePage is the page of the manual that is the reference of the language.
const referencePage = "reference.md"

// elsewhere maps what the reference says in its own place to what the page says instead.
var elsewhere = strings.NewReplacer(
	"under `conformance/`, `conformance2/`, `conformance3/` and `conformance4/`",
	"under `testdata/conformance`, `testdata/conformance2`, `testdata/conformance3` and `testdata/conformance4`",
	"See the issue that introduces it.",
	"The manual page `interactive` describes the prompt, the page `progress` what scripts show on a terminal.",
	"SLURM.md has the protocol and the measurements.",
	"The manual page `submission` has the protocol, `testdata/slurm/figures.md` the measurements.",
)

// TestReferenceIsTheSame compares the page and the conformance cases with those they
// were taken from, where these lie beside the repository.
func TestReferenceIsTheSame(t *testing.T) {
	const original = "../../../shared"
	text, err := os.ReadFile(original + "/LANGUAGE.md")
	if err != nil {
		skip.Test(t, "there is nothing here to compare the reference with")
	}
	got := strings.Split(readPage(t, "manual/"+referencePage), "\n")
	wanted := strings.Split(elsewhere.Replace(string(text)), "\n")
	for n, want := range wanted {
		if n >= len(got) || got[n] != want {
			t.Fatalf("line %d of the reference is not\n%s", n+1, want)
		}
	}
	for _, folder := range []string{"conformance", "conformance2", "conformance3", "conformance4"} {
		sameFiles(t, original+"/"+folder, "../../testdata/"+folder)
	}
}

// sameFiles wants two folders to hold the same.
func sameFiles(t *testing.T, want, got string) {
	t.Helper()
	wanted, found := folder(t, want), folder(t, got)
	for name, text := range wanted {
		if found[name] != text {
			t.Errorf("%s is not as in %s", filepath.Join(got, name), want)
		}
	}
	for name := range found {
		if _, known := wanted[name]; !known {
			t.Errorf("%s is not in %s", name, want)
		}
	}
}

// folder is the text of each file of a folder.
func folder(t *testing.T, path string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(path)
	must(t, err)
	files := map[string]string{}
	for _, entry := range entries {
		files[entry.Name()] = readPage(t, filepath.Join(path, entry.Name()))
	}
	return files
}
