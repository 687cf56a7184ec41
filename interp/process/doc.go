// Package process starts the processes of a shell and is sure that they are dead.
package process
