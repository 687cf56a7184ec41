// Package durable keeps in a journal where a script stands and what it has there, as values that come back in a later
// run. It knows statements as numbers and structures by their keys: what a try or a loop must remember is its own.
package durable
