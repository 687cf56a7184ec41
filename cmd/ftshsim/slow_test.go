//go:build !race

package main

// slow tells whether tests take ten times as long.
const slow = false
