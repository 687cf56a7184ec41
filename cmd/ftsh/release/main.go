package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := runRelease(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func runRelease(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "pages":
		return writePages(".", args[1], args[2])
	case len(args) >= 3 && args[0] == "licences":
		return writeLicences(args[1], args[2:])
	case len(args) == 2 && args[0] == "processor":
		return compilesFor(args[1])
	}
	return errors.New("wanted: pages DIR FTSHSIM, licences FILE SBOM…, or processor ARCHITECTURE")
}

// writePages writes man pages and completions below dir, from the repository at root.
func writePages(root, dir, simulator string) error {
	shell, err := shellCommand(root)
	if err != nil {
		return err
	}
	crowd, err := simulatorCommand(simulator)
	if err != nil {
		return err
	}
	files := manPages(crowd)
	for _, p := range []program{shell, crowd} {
		files["completion/bash/"+p.name] = bashCompletion(p)
		files["completion/zsh/_"+p.name] = zshCompletion(p)
		files["completion/fish/"+p.name+".fish"] = fishCompletion(p)
	}
	return writeFiles(dir, files)
}

// writeFiles writes files by their names relative to dir.
func writeFiles(dir string, files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
