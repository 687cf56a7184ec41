package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/licensecheck"
)

// module is a module whose code is in a program.
type module struct {
	path, version string
	licences      []string // by their SPDX names
	text          string   // of all of them
}

// writeLicences completes SBOMs of programs by the licences of all modules in them, and writes a file with the texts of
// these licences.
//
// cyclonedx-gomod and go-licenses would detect licences, too, and were tried: they find the GPL for freetype, which may
// be used under its own licence, one of other words for golang.org/x, and none for svgo and for Go itself. So they are
// found by licensecheck, by which pkg.go.dev finds them.
func writeLicences(file string, boms []string) error {
	known := map[string]module{}
	for _, path := range boms {
		if err := addLicences(path, known); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	modules := slices.SortedFunc(maps.Values(known), func(a, b module) int { return strings.Compare(a.path, b.path) })
	return os.WriteFile(file, []byte(licenceTexts(modules)), 0o644)
}

// addLicences writes into an SBOM under which licences its components are.
func addLicences(path string, known map[string]module) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var bom struct {
		Metadata   map[string]any   `json:"metadata"`
		Components []map[string]any `json:"components"`
	}
	var whole map[string]any
	if err := errors.Join(json.Unmarshal(text, &bom), json.Unmarshal(text, &whole)); err != nil {
		return err
	}
	if len(bom.Components) == 0 {
		return errors.New("it has no components, not even Go itself")
	}
	for _, component := range bom.Components {
		m, err := findModule(fmt.Sprint(component["name"]), fmt.Sprint(component["version"]), known)
		if err != nil {
			return err
		}
		component["licenses"] = m.elements()
	}
	delete(bom.Metadata, "tools") // the hash of what wrote it, which is another where it was built elsewhere
	whole["metadata"], whole["components"] = bom.Metadata, bom.Components
	text, err = json.MarshalIndent(whole, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// findModule returns a module with its licences: one that is known already, or one that is read. Go itself is std.
func findModule(path, version string, known map[string]module) (module, error) {
	if m, ok := known[path]; ok {
		return m, nil
	}
	dir, err := goroot()
	if path != "std" {
		dir, err = downloadModule(path, version)
	}
	if err != nil {
		return module{}, err
	}
	m, err := newModule(path, version, dir)
	known[path] = m
	return m, err
}

// elements are a module's licences as an SBOM has them.
func (m module) elements() []any {
	var list []any
	for _, name := range m.licences {
		list = append(list, map[string]any{"license": map[string]any{"id": name}})
	}
	return list
}

// goroot returns the folder of Go itself.
func goroot() (dir string, err error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	return strings.TrimSpace(string(out)), err
}

// downloadModule sees to it that a module's sources are on this machine, and says where.
func downloadModule(path, version string) (dir string, err error) {
	out, err := exec.Command("go", "mod", "download", "-json", path+"@"+version).Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s@%s: %w", path, version, err)
	}
	var found struct{ Dir string }
	err = json.Unmarshal(out, &found)
	return found.Dir, err
}

// newModule reads the licences in a module's folder. One that has none of those that are accepted is refused.
func newModule(path, version, dir string) (module, error) {
	m := module{path: path, version: version}
	for _, pattern := range []string{"LICEN[CS]E*", "COPYING*", "NOTICE*", "PATENTS", "licenses/*"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return m, err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return m, err
			}
			m.text += strings.TrimSpace(decodeText(text)) + "\n\n"
			m.licences = append(m.licences, classifyLicence(text)...)
		}
	}
	slices.Sort(m.licences)
	m.licences = slices.Compact(m.licences)
	if len(m.licences) == 0 {
		return m, fmt.Errorf("%s has no licence that is accepted here: look into %s", path, dir)
	}
	return m, nil
}

// decodeText is a text in UTF-8; what is not must be in Latin-1, as some old licences are.
func decodeText(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	runes := make([]rune, len(text))
	for i, b := range text {
		runes[i] = rune(b)
	}
	return string(runes)
}

// accepted are the licences under which a program may contain code, by their SPDX names. Of several that a module
// leaves the choice of, those count that are named here.
var accepted = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-4.0", "FTL", "MIT", "OFL-1.1"}

// classifyLicence names the licences in a text.
func classifyLicence(text []byte) (names []string) {
	for _, match := range licensecheck.Scan(text).Match {
		if slices.Contains(accepted, match.ID) {
			names = append(names, match.ID)
		}
	}
	return names
}

// licenceTexts is the text of all licences, each with what it is for.
func licenceTexts(modules []module) string {
	var b strings.Builder
	b.WriteString("Programs of ftsh contain code under the licences below, besides their own (Apache-2.0).\n")
	for _, m := range modules {
		fmt.Fprintf(&b, "\n%s\n%s %s (%s)\n%[1]s\n\n%[5]s\n",
			strings.Repeat("=", 78), m.path, m.version, strings.Join(m.licences, ", "), strings.TrimSpace(m.text))
	}
	return b.String()
}
