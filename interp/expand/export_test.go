package expand

// With makes surroundings for the tests that parse scripts.
func With(args []string, pairs ...string) Env {
	env := with(pairs...)
	env.args = args
	return env
}
