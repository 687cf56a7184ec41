// Package server is a simulated server: how long it takes, how much it can do
// at once, when it is out of order, and what it does to those who ask too
// much of it. A [Spec] has all that can be said of a server; a [Server] is one of a simulation, which answers
// each [Request] that is sent to it, in virtual time.
package server
