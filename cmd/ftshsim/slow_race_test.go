//go:build race

package main

const slow = true
