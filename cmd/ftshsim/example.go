package main

import (
	_ "embed"
	"fmt"
)

// exampleSpec is a SPEC to begin with.
//
//go:embed example.spec
var exampleSpec string

// printSpec is `ftshsim spec`.
func printSpec(args []string) int {
	if len(args) > 0 {
		return complain(fmt.Errorf("spec takes no arguments, but got %q", args), "ftshsim spec > my.spec makes a file of it")
	}
	fmt.Print(exampleSpec)
	return statusSuccess
}
