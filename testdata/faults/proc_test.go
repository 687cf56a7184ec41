package faults

import (
	"os"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// field is a number in a file of "Key: number" lines, 0 if it is not there.
func field(file, key string) int {
	text, _ := os.ReadFile(file)
	_, after, _ := strings.Cut("\n"+string(text), "\n"+key)
	words := strings.Fields(after)
	if len(words) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(words[0])
	return n
}

// state is the letter of a process's state.
func state(pid int) byte {
	stat, _ := os.ReadFile("/proc/" + itoa(pid) + "/stat")
	_, rest, _ := strings.Cut(string(stat), ") ")
	if rest == "" {
		return 'X'
	}
	return rest[0]
}
