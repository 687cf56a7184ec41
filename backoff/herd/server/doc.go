// Package server is a simulated server: how long it takes, how much it can do
// at once, when it is out of order, and what it does to those who ask too
// much of it.
package server
