// Package server is a simulated server: how long it takes, how much it can do
// at once, when it is out of order, and what it does to those who ask too
// much of it. It exports more names than others: what a SPEC can say of a server, and the
// distributions of the times that it takes ([Spread]), have one each.
package server
