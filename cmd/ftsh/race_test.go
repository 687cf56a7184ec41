//go:build race

package main

// underRace tells that the race detector slows everything down.
const underRace = true
