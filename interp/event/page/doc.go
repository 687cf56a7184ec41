// Package page writes reports as one HTML page: nothing in it comes from elsewhere, it has
// no scripts, and it is light or dark as its reader likes it.
package page
