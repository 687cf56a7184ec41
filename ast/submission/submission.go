// Package submission knows which options of a batch system an `on` may have, and which would break
// what it promises: that each program runs once, where the script stands, with its own input and output.
package submission

// Opaque stands for a word of which the text is not known before the script runs.
const Opaque = "\x00"

// RefuseOption finds the first of an engine's options that would break what `on` promises, and
// says what to write instead; -1: there is none. The words are those after the engine's name.
func RefuseOption(engine string, words []string) (at int, why string) {
	switch {
	case engine == "gridengine":
		return refuseQsub(words)
	case engine != "here":
		return refuseSbatch(engine, words)
	case len(words) > 0:
		return 0, "on here takes no options, as nothing is submitted"
	}
	return -1, ""
}
