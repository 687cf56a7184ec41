package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/packages"
)

// compilesFor finds out whether all packages, with their tests, compile for another processor. It reads the sources of
// all that is imported, so that nothing has to be compiled. What is wrong goes to standard error.
func compilesFor(processor string) error {
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes,
		Tests: true,
		Env:   append(os.Environ(), "GOOS=linux", "GOARCH="+processor, "CGO_ENABLED=0"),
	}
	found, err := packages.Load(config, "./...", "./testdata/everywhere", "./testdata/faults")
	if err != nil {
		return err
	}
	if wrong := packages.PrintErrors(found); wrong > 0 || len(found) == 0 {
		return fmt.Errorf("%d errors in %d packages for %s", wrong, len(found), processor)
	}
	fmt.Printf("%s: %d packages and tests compile\n", processor, len(found))
	return nil
}
