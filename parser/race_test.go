//go:build race

package parser

// The race detector makes parsing ten times slower.
const raced = true
