// Package explain says in words and numbers what the tries of a script will do:
// `ftsh --explain`.
//
// No number comes from a formula of this package. The schedule of a try is made by
// backoff itself, in virtual time, as if every attempt failed at once: many times
// with seeded dice for the median, and once with dice that always show their least
// and their greatest number for the bounds. So the answer changes with backoff, and
// is the same every time.
//
// What depends on a variable is taken from its default (${LIMIT:-2h}), or from the
// only text that the script assigns to it; where there is neither, it is not known,
// and this is said.
package explain
