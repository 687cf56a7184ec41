//go:build !race

package main

// slow reports whether tests take ten times as long.
const slow = false
