//go:build race

package skip

// UnderRace reports whether the race detector is on, which slows everything down.
const UnderRace = true
