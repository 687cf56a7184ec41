package lexer

// The kinds of characters; a character may be of several.
const (
	blank   = 1 << iota // separates words
	ends                // ends a word besides
	letter              // of a name
	digit               //
	special             // needs a look inside a word
)

// class is the kind of each byte. A byte of no kind stands for itself; bytes
// from 128 are parts of longer characters.
var class = [256]uint8{
	0: special, ' ': blank, '\t': blank, '\r': special, '\n': ends,
	';': ends, '|': ends, '&': ends, '<': ends, '>': ends, '(': ends, ')': ends,
	'\\': special, '\'': special, '"': special, '$': special, '`': special, ',': special,
	'_': letter,
	'0': digit, '1': digit, '2': digit, '3': digit, '4': digit, '5': digit, '6': digit, '7': digit, '8': digit, '9': digit,
	'a': letter, 'b': letter, 'c': letter, 'd': letter, 'e': letter, 'f': letter, 'g': letter, 'h': letter, 'i': letter,
	'j': letter, 'k': letter, 'l': letter, 'm': letter, 'n': letter, 'o': letter, 'p': letter, 'q': letter, 'r': letter,
	's': letter, 't': letter, 'u': letter, 'v': letter, 'w': letter, 'x': letter, 'y': letter, 'z': letter,
	'A': letter, 'B': letter, 'C': letter, 'D': letter, 'E': letter, 'F': letter, 'G': letter, 'H': letter, 'I': letter,
	'J': letter, 'K': letter, 'L': letter, 'M': letter, 'N': letter, 'O': letter, 'P': letter, 'Q': letter, 'R': letter,
	'S': letter, 'T': letter, 'U': letter, 'V': letter, 'W': letter, 'X': letter, 'Y': letter, 'Z': letter,
}
