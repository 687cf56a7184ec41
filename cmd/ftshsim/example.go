package main

import (
	"context"
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
func printSpec(_ context.Context, args []string) error {
	switch {
	case slices.Equal(args, []string{"--help"}):
		fmt.Print(specUsage)
	case len(args) > 0:
		return &misuse{fmt.Errorf("spec takes no arguments, but got %q", args), "ftshsim spec > my.spec makes a file of it"}
	default:
		fmt.Print(exampleSpec)
	}
	return nil
}
