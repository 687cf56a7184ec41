//go:build !race

package faults

// underRace tells that the suite, and so the shell, has the race detector.
const underRace = false
