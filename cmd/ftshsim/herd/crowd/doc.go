// Package crowd is many clients of one simulated server: they do pieces of
// work, try again by the code of the shell when a request fails, and are
// counted. A crowd needs no goroutine; a client that waits is an event and a
// backoff.Loop.
package crowd
