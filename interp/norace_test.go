//go:build !race

package interp_test

// underRace tells that the race detector slows everything down.
const underRace = false
