package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// module is a module whose code is in a program.
type module struct {
	path, version string
	licence       string // by its SPDX name
	text          string // of the licence
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
	text, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "LICENSE"))
	if err != nil {
		return nil, err
	}
	modules := []module{{path: "std", version: runtime.Version(), text: string(text)}}
	for path, version := range versions {
		text, err := licenceOf(path, version)
		if err != nil {
			return nil, err
		}
		modules = append(modules, module{path: path, version: version, text: text})
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	for i := range modules {
		if modules[i].licence = classify(modules[i].text); modules[i].licence == "" {
			return nil, fmt.Errorf("the licence of %s is not one that this program knows: look at it", modules[i].path)
		}
	}
	return modules, nil
}

// licenceOf is the text of a module's licence.
func licenceOf(path, version string) (string, error) {
	out, err := exec.Command("go", "mod", "download", "-json", path+"@"+version).Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s@%s: %w", path, version, err)
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(out, &found); err != nil {
		return "", err
	}
	for _, name := range []string{"LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE", "COPYING"} {
		text, err := os.ReadFile(filepath.Join(found.Dir, name))
		if err == nil {
			return string(text), nil
		}
	}
	return "", fmt.Errorf("%s has no licence in %s: %w", path, found.Dir, errors.ErrUnsupported)
}

// classify tells a licence by sentences that only it has.
func classify(text string) string {
	has := func(sentence string) bool { return strings.Contains(strings.Join(strings.Fields(text), " "), sentence) }
	switch {
	case has("Apache License Version 2.0"):
		return "Apache-2.0"
	case has("Permission is hereby granted, free of charge"):
		return "MIT"
	case has("Redistribution and use in source and binary forms") && has("may be used to endorse"):
		return "BSD-3-Clause"
	case has("Redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	case has("Freetype Project LICENSE"), has("FreeType Project"):
		return "FTL"
	case has("SIL OPEN FONT LICENSE"):
		return "OFL-1.1"
	}
	return ""
}

// licences is the text of all licences, each with what it is for.
func licences(modules []module) string {
	var b strings.Builder
	b.WriteString("Programs of ftsh contain code under the licences below, besides their own (Apache-2.0).\n")
	for _, m := range modules {
		fmt.Fprintf(&b, "\n%s\n%s %s (%s)\n%[1]s\n\n%[5]s\n", strings.Repeat("=", 78), m.path, m.version, m.licence, strings.TrimSpace(m.text))
	}
	return b.String()
}
