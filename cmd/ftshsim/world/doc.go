// Package world describes what scripts meet in a simulation: servers, and commands that
// only take time, as a small file describes them.
//
//	server *.example.org              # commands that name such a host call it
//	    slots 20                      # requests served at the same time
//	    queue 100                     # that may wait; more are refused
//	    takes lognormal 100 ms 2 s    # median and 99th percentile
//	    failure 1 percent
//	    outage from 10 minutes to 15 minutes
//	end
//	command tar gzip                  # they call nobody
//	    takes 2 s
//	end
//
// The manual page `simulator` has all lines. [Parse] reads such a file; its
// errors point to what is wrong. [World.Route] tells whom a command concerns.
package world
