// Package spread has times that differ from one draw to the next: how long a server takes, how
// long a client thinks. A [Time] is read from a few words, such as `lognormal 100ms 2s`, or made
// of what was measured.
package spread
