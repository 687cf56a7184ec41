package ast

import (
	"slices"
	"strings"
	"time"
)

// The words of the language. Whoever needs them (lexer, parser, completion, messages,
// tests of the manual) reads them here.

// Keywords are the words that begin a statement anywhere, and those that do so at the
// top level only.
func Keywords() (anywhere, top []string) {
	return []string{"try", "for", "forany", "forall", "while",
			"if", "case", "break", "continue", "return", "shift", "export", "local", "secret"},
		[]string{"function", "source", "resource"}
}

// Sections are the words that begin a further group of a statement: a try's in the
// order in which they stand there, an if's, and a case's.
func Sections() (try, conditional, choice []string) {
	return []string{"verify", "catch", "finally"}, []string{"else", "else if"}, []string{"when", "else"}
}

// IsName reports whether a text can be the name of a variable or a function.
func IsName(text string) bool {
	for i := range len(text) {
		c := text[i]
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return text != ""
}

// IsKeyword reports whether a word at the beginning of a command is a keyword wherever that stands.
func IsKeyword(word string) bool {
	anywhere, top := Keywords()
	return word == "end" || word == "on" || slices.Contains(anywhere, word) ||
		slices.Contains(top, word) || IsSection(word) && word != "when"
}

// IsSection reports whether a keyword begins a further group of a statement.
func IsSection(keyword string) bool {
	switch keyword {
	case "verify", "catch", "finally", "else", "else if", "when":
		return true
	}
	return false
}

// Settings are the words that begin what a resource holds.
func Settings() []string { return []string{"slots", "budget", "breaker", "sense"} }

// Kinds are the kinds of failure, which `only on` and its like name.
func Kinds() []string {
	return []string{
		"exit", "signal", "missing", "system", "timeout", "cancelled", "unknown",
		"lost", "memory", "redirect", "failure", "error",
	}
}

// units are the names of the units, of which the long and the middle one may have an s at the end, and their lengths.
var units = [...]struct {
	long, middle, short string
	length              time.Duration
}{
	Millisecond: {"millisecond", "", "ms", time.Millisecond},
	Second:      {"second", "sec", "s", time.Second},
	Minute:      {"minute", "min", "m", time.Minute},
	Hour:        {"hour", "hr", "h", time.Hour},
	Day:         {"day", "", "d", 24 * time.Hour},
}

// String is the unit's name, such as "minute".
func (u Unit) String() string { return units[u].long }

// Length returns the time that the unit takes; 0 for NoUnit.
func (u Unit) Length() time.Duration { return units[u].length }

// LookupUnit finds a unit by any of its names: minute, minutes, min, mins, m. NoUnit: it is none.
func LookupUnit(name string) Unit {
	one := strings.TrimSuffix(name, "s")
	for u := Millisecond; u <= Day; u++ {
		if n := units[u]; name == n.short || one != "" && (one == n.long || one == n.middle) {
			return u
		}
	}
	return NoUnit
}

// Units are the units' names, for more than one.
func Units() (names []string) {
	for u := Millisecond; u <= Day; u++ {
		names = append(names, u.String()+"s")
	}
	return names
}

// LoopOptions are the words that may follow the list of a loop.
func LoopOptions() []string {
	return []string{".inorder.", ".hedge.", ".limit.", ".keepgoing.", ".grouped."}
}

// Operators are all words of the shape of an operator that mean something, those of
// ranges and loops among them.
func Operators() []string {
	return slices.Concat([]string{".to.", ".step."}, LoopOptions(), operators[Or:])
}

// DottedNames are the names of the shell's own values.
func DottedNames() []string { return slices.Clone(dotted[TryAttempt:]) }

// IsGroupOfValues reports whether names of the shell's own values begin with that name and a dot.
func IsGroupOfValues(name string) bool {
	return slices.ContainsFunc(DottedNames(), func(dotted string) bool { return strings.HasPrefix(dotted, name+".") })
}

// Engines lists the words after `on`: `here`, and the batch systems.
func Engines() []string { return []string{"here", "slurm", "gridengine"} }

// EngineOptions are the words after an engine's own options.
func EngineOptions() []string { return []string{".limit.", ".pilots."} }
