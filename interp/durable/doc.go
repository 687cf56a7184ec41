// Package durable is what a durable script needs besides its journal, and what needs nothing of the interpreter.
package durable
