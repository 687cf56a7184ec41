package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"
)

// module is a module whose code is in a program.
type module struct {
	path, version string
	licences      []string // by their SPDX names
	text          string   // of all of them
}

// writeAbout writes what is in programs: sbom.cdx.json and licences.txt in dir.
func writeAbout(version, dir string, programs []string) error {
	modules, err := linked(programs)
	if err != nil {
		return err
	}
	sbom, err := billOfMaterials(version, modules)
	if err != nil {
		return err
	}
	return writeFiles(dir, map[string]string{"sbom.cdx.json": sbom, "licences.txt": licences(modules)})
}

// linked lists the modules in programs, and Go itself.
func linked(programs []string) ([]module, error) {
	versions := map[string]string{}
	for _, path := range programs {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for _, m := range info.Deps {
			versions[m.Path] = m.Version
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	std, err := newModule("std", runtime.Version(), strings.TrimSpace(string(root)))
	if err != nil {
		return nil, err
	}
	modules := []module{std}
	for path, version := range versions {
		dir, err := download(path, version)
		if err != nil {
			return nil, err
		}
		m, err := newModule(path, version, dir)
		if err != nil {
			return nil, err
		}
		modules = append(modules, m)
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return modules, nil
}

// download sees to it that a module's sources are on this machine, and says where.
func download(path, version string) (dir string, err error) {
	out, err := exec.Command("go", "mod", "download", "-json", path+"@"+version).Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s@%s: %w", path, version, err)
	}
	var found struct{ Dir string }
	err = json.Unmarshal(out, &found)
	return found.Dir, err
}

// newModule reads the licences in a module's folder. One of which none is known is refused.
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
			m.text += strings.TrimSpace(decoded(text)) + "\n\n"
			if name := classify(string(text)); name != "" && !slices.Contains(m.licences, name) {
				m.licences = append(m.licences, name)
			}
		}
	}
	if len(m.licences) == 0 {
		return m, fmt.Errorf("%s has no licence that this program knows: look into %s", path, dir)
	}
	return m, nil
}

// decoded is a text in UTF-8; what is not must be in Latin-1, as some old licences are.
func decoded(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	runes := make([]rune, len(text))
	for i, b := range text {
		runes[i] = rune(b)
	}
	return string(runes)
}

// classify tells a licence by sentences that only it has.
func classify(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for _, known := range []struct{ name, sentence, another string }{
		{"Apache-2.0", "Apache License Version 2.0", ""},
		{"OFL-1.1", "SIL OPEN FONT LICENSE", ""},
		{"MIT", "Permission is hereby granted, free of charge, to any person", ""},
		{"BSD-3-Clause", "Redistribution and use in source and binary forms", "endorse or promote"},
		{"BSD-2-Clause", "Redistribution and use in source and binary forms", ""},
		{"FTL", "The FreeType Project LICENSE", ""},
		{"CC-BY-4.0", "Creative Commons Attribution 4.0 International", ""},
	} {
		if strings.Contains(text, known.sentence) && strings.Contains(text, known.another) {
			return known.name
		}
	}
	return ""
}

// licences is the text of all licences, each with what it is for.
func licences(modules []module) string {
	var b strings.Builder
	b.WriteString("Programs of ftsh contain code under the licences below, besides their own (Apache-2.0).\n")
	for _, m := range modules {
		fmt.Fprintf(&b, "\n%s\n%s %s (%s)\n%[1]s\n\n%[5]s\n",
			strings.Repeat("=", 78), m.path, m.version, strings.Join(m.licences, ", "), strings.TrimSpace(m.text))
	}
	return b.String()
}
