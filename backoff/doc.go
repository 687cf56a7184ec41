// Package backoff decides when to try again: policies, limits, a clock, and
// the one retry loop of the shell.
//
// A try repeats a piece of work until it succeeds or a limit is reached, and
// waits between the attempts, longer each time and by chance, so that many
// clients of one server neither drown it nor march in step. The package has
// two layers, the lower one usable without the other, and so more exported names than others:
//
//   - A [Backoff], a [Policy] and its parameters, paces a try; a [Plan] adds the
//     limits, and [Loop] obeys both: told when an attempt
//     began and failed, it answers when the next may start, or for which
//     [Reason] there is none. It has no clock and no goroutine, so that a
//     simulator can run thousands of them.
//   - [Retry] is the loop with a [Clock], a context and real waits. The
//     interpreter runs every `try` through it.
//
// All time comes from a [Clock] and all randomness from [Dice]; nothing here
// reads the time of day or rolls dice of its own. With a simulated clock
// and a seeded source for the dice every run can be repeated, and no test has
// to sleep. The shell's own clock counts suspended time; it is in
// interp/process.
//
// # Invariants
//
//   - A wait is never negative, and no number of attempts makes T·Fⁿ overflow
//     or become anything but a number.
//   - No attempt starts at the deadline or later, and no wait reaches it. A
//     backoff wait that would is shortened, once: one last attempt starts when
//     between 50 and 95 % of what is left has passed. Late, since an outage may
//     end at any moment; at random, so that a herd with one deadline does not
//     meet there again; and so early that two attempts as long as the longest
//     so far still fit.
//   - Where pacing (Every) or a floor leaves no time before the deadline, the
//     try fails at once: waiting would not help it.
//   - With Every, attempts start at least so far apart; there is nothing random
//     about the waits, and no attempt is cut short.
//   - A floor raises the wait that was drawn, not the one that the
//     next grows from: a server that asks for an hour once does not slow the rest.
//   - Where both limits are reached, the reason is [Attempts].
//   - A cancelled context ends a wait at once.
//
// # Sources
//
//   - D. Thain, M. Livny: The Ethernet Approach to Grid Computing. HPDC 2003.
//     The obligations of a client: carrier sense, collision detection, random
//     exponential backoff, limited allocation.
//   - D. Thain: Exponential Backoff in Distributed Systems. 2009. The formula
//     of [Thain] and how to choose its parameters: T, the outer limit of the
//     service's response time; F, hardly matters; M, as low as its customers
//     want, but high enough that the server bears all clients at that rate. The
//     cap comes after the random factor, so that clients at the cap march in
//     step; [Ethernet] puts it before.
//   - M. Brooker: Exponential Backoff And Jitter. AWS Architecture Blog, 2015.
//     [Full], [Equal] and [Decorrelated].
//   - smira, 2013, on clients that retry against an overloaded server: [Normal].
//   - Google Cloud's guidance on retries (truncated exponential backoff):
//     [Additive].
//   - RFC 9110, HTTP Semantics, section 10.2.3: Retry-After, the usual origin
//     of a floor.
package backoff
