package diag

import "strings"

// Nearest finds the word of a list that was probably meant by a misspelt one; ""
// if none is near.
func Nearest(text string, known []string) string {
	best, least := "", 3
	if n := len(strings.Trim(text, ".")); n < 5 {
		least = min(n, 2)
	}
	if len(text) > 20 {
		return ""
	}
	for _, k := range known {
		if d := distance(text, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// Misspelt finds the word of a list of which a text is surely a misspelt one: the first letter is the same, and another
// is changed, added or left out, or two neighbours have changed places. "" if there is none: short words are all near
// to some other.
func Misspelt(text string, known []string) string {
	for _, k := range known {
		if len(text) > 3 && strings.HasPrefix(k, text[:1]) &&
			(swapped(text, k) || min(len(text), len(k)) > 4 && distance(text, k) == 1) {
			return k
		}
	}
	return ""
}

// distance counts the letters that must be changed, added or left out to make one word
// of another, or 1 if two neighbours have changed places.
func distance(a, b string) int {
	if swapped(a, b) {
		return 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// swapped reports whether two neighbouring letters are all that differs.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i+1 < len(a); i++ {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}
