// Package crowd is many clients of one simulated server: they do pieces of
// work, try again by the code of the shell when a request fails, and are
// counted. A client is a process of the simulation; a try within a try is a
// function that calls itself.
package crowd
