package main

import (
	_ "embed"
	"fmt"
	"slices"
)

// exampleSpec is a SPEC to begin with.
//
//go:embed example.spec
var exampleSpec string

const specUsage = `ftshsim spec: a SPEC to begin with, for ftshsim run --server

  ftshsim spec > my.spec
`

// printSpec is `ftshsim spec`.
func printSpec(args []string) int {
	if slices.Equal(args, []string{"--help"}) {
		fmt.Print(specUsage)
		return statusSuccess
	}
	if len(args) > 0 {
		return refuseToRun(fmt.Errorf("spec takes no arguments, but got %q", args),
			"ftshsim spec > my.spec makes a file of it")
	}
	fmt.Print(exampleSpec)
	return statusSuccess
}
