// Package picture draws the figures of a report: as SVG or PNG, or with
// characters on a terminal.
package picture
