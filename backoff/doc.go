// Package backoff decides when to try again: policies, limits, a clock, and
// the one retry loop.
package backoff
