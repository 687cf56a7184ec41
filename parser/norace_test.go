//go:build !race

package parser

const raced = false
