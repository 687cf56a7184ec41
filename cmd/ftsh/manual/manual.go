// Package manual is the pages that `ftsh --manual` shows, for programs that show parts of them.
package manual

import "embed"

// Pages holds each page as NAME.md.
//
//go:embed *.md
var Pages embed.FS
