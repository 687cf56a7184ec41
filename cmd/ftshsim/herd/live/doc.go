// Package live is the server and the clients of smira 2013 (Exponential backoff,
// an article and a workshop on highload), for real: an HTTP server that gets
// slower the more requests it has, and many clients that think, ask, hang up
// after a while, and try again by the policies of the shell. Stop the server for
// half a minute (SIGSTOP), let it go on, and see whether it ever recovers; the
// preset overload of the simulator shows the same within a second.
package live
