package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLicences adds licences to an SBOM such as cyclonedx-gomod writes.
func TestLicences(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bom, file := filepath.Join(dir, "ftsh.cdx.json"), filepath.Join(dir, "licences.txt")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(bom, `{"bomFormat":"CycloneDX","metadata":{"tools":[{"hashes":[]}],"component":{"name":"ftsh"}},"components":[
		{"name":"github.com/alecthomas/participle/v2","version":"v2.1.4","hashes":[{"alg":"SHA-256"}]},
		{"name":"std","version":"go1.26.0"}]}`)
	if err := writeLicences(file, []string{bom, bom}); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(file)
	if n := strings.Count(string(text), "participle/v2 v2.1.4 (MIT)"); n != 1 ||
		!strings.Contains(string(text), "std go1.26.0 (BSD-3-Clause)") {
		t.Errorf("%d times a licence of participle, in\n%s", n, text)
	}
	text, _ = os.ReadFile(bom)
	var small strings.Builder
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	_ = json.NewEncoder(&small).Encode(value)
	want := `{"bomFormat":"CycloneDX","components":[` +
		`{"hashes":[{"alg":"SHA-256"}],"licenses":[{"license":{"id":"MIT"}}],` +
		`"name":"github.com/alecthomas/participle/v2","version":"v2.1.4"},` +
		`{"licenses":[{"license":{"id":"BSD-3-Clause"}}],"name":"std","version":"go1.26.0"}],` +
		`"metadata":{"component":{"name":"ftsh"}}}` + "\n"
	if small.String() != want {
		t.Errorf("got\n%swanted\n%s", small.String(), want)
	}
	write(bom, `{"bomFormat":"CycloneDX"}`)
	if err := writeLicences(file, []string{bom}); err == nil {
		t.Error("an SBOM without components is taken")
	}
	write(filepath.Join(dir, "LICENSE"), "You may do what you like.")
	if m, err := newModule("example.org/x", "v1.0.0", dir); err == nil {
		t.Errorf("a licence that nobody accepted is taken: %v", m.licences)
	}
}
