// Package files opens files for a script: by names from the directory that it stands in, which is held as a
// descriptor and not as a path; for output that replaces a file as a whole when it is complete; and without a name,
// for what is held for a while. Reads and writes wait for pipes without taking a thread, until a context is
// cancelled.
package files
