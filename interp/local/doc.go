// Package local is this machine as the world of a script: its programs and the process trees that they become, its
// files, its clock, the resources that all shells of a user share.
package local
