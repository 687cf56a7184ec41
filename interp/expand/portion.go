package expand

import (
	"slices"
	"strings"
	"unicode/utf8"

	"ftsh/ast"
	"ftsh/interp/value"
)

// portionOf is the part of the value v that a reference asks for.
func portionOf(env Env, ref *ast.Ref, v value.Value) (value.Value, error) {
	text, err := textOf(ref, v)
	switch {
	case err != nil:
		return value.Value{}, err
	case ref.Portion == ast.Length:
		return value.Int(int64(utf8.RuneCountInString(text))), nil
	}
	p := affix{longest: ref.Portion != ast.WithoutPrefix && ref.Portion != ast.WithoutSuffix}
	p.suffix = ref.Portion == ast.WithoutSuffix || ref.Portion == ast.WithoutLongestSuffix
	for _, part := range ref.Pattern.Parts {
		if err := p.addPart(env, part, ref.Pattern.Pos); err != nil {
			return value.Value{}, err
		}
	}
	if ref.Portion < ast.FirstReplaced {
		return value.String(p.cutFrom(text)), nil
	}
	with := ""
	if ref.Instead != nil {
		if with, err = Word(env, ref.Instead); err != nil {
			return value.Value{}, err
		}
	}
	return value.String(p.replaceIn(text, with, ref.Portion == ast.AllReplaced)), nil
}

// replaceIn returns a text with another in place of the first match, or of each. A pattern with a * matches once at
// most, and nowhere if it does not where what stands before the * first matches: so the time is at most
// the product of both lengths.
func (a *affix) replaceIn(text, with string, each bool) string {
	if len(a.elements) == 0 {
		return text
	}
	star := slices.IndexFunc(a.elements, func(e token) bool { return e.kind == anyText })
	lead := affix{elements: a.elements[:max(star, 0)]}
	var out strings.Builder
	done := 0
	for at := 0; at < len(text) || at == 0; {
		_, width := character(text[at:])
		if star >= 0 && lead.matchLength(text[at:]) < 0 {
			at += max(width, 1)
			continue
		}
		length := a.matchLength(text[at:])
		if length >= 0 {
			out.WriteString(text[done:at] + with)
			done = at + length
		}
		if star >= 0 || length >= 0 && !each {
			break
		}
		at += max(length, width, 1)
	}
	return out.String() + text[done:]
}

// affix is a pattern for the beginning or the end of a text.
type affix struct {
	suffix, longest bool
	elements        []token // each for one character, or any number of them
	at, next        []bool  // places in the pattern, for one match after the other
}

// addPart takes the next part of the pattern. What comes out of a value is literal.
func (a *affix) addPart(env Env, part ast.Part, at ast.Pos) error {
	if glob, ok := part.(*ast.Glob); ok {
		a.elements = appendSpecial(a.elements, glob.Pattern)
		return nil
	}
	text, err := partText(env, part, at)
	for text != "" {
		_, width := character(text)
		a.elements = append(a.elements, token{literal, text[:width]})
		text = text[width:]
	}
	return err
}

// cutFrom returns a text without the affix that matches; all of it if none does.
func (a *affix) cutFrom(text string) string {
	n := a.matchLength(text)
	switch {
	case n < 0:
		return text
	case a.suffix:
		return text[:len(text)-n]
	}
	return text[n:]
}

// matchLength returns the length of the affix that matches, in bytes, negative if none does. It keeps
// the set of all places in the pattern that the characters so far lead to, so that the
// time is at most the product of both lengths.
func (a *affix) matchLength(text string) int {
	n := len(a.elements)
	if a.at == nil {
		a.at, a.next = make([]bool, n+1), make([]bool, n+1)
	}
	at, next := a.at, a.next
	clear(at)
	at[0] = true
	best := -1
	for length := 0; ; {
		alive := a.skipStars(at)
		if at[n] {
			best = length
		}
		if !alive || length == len(text) || best >= 0 && !a.longest {
			return best
		}
		char := a.nextRune(text, length)
		length += len(char)
		clear(next)
		for i, reached := range at[:n] {
			switch e := a.elementAt(i); {
			case !reached:
			case e.kind == anyText:
				next[i] = true
			case e.matchWidth(char) == len(char):
				next[i+1] = true
			}
		}
		at, next = next, at
	}
}

// skipStars lets each * match nothing, and reports whether the pattern may go on.
func (a *affix) skipStars(at []bool) (alive bool) {
	for i := range a.elements {
		if at[i] && a.elementAt(i).kind == anyText {
			at[i+1] = true
		}
		alive = alive || at[i]
	}
	return alive
}

// elementAt is the element at an index, counted from the end of the text that is cut.
func (a *affix) elementAt(i int) token {
	if a.suffix {
		i = len(a.elements) - 1 - i
	}
	return a.elements[i]
}

// nextRune is the character after so many bytes, counted from that end.
func (a *affix) nextRune(text string, length int) string {
	if a.suffix {
		text = text[:len(text)-length]
		_, width := utf8.DecodeLastRuneInString(text)
		return text[len(text)-width:]
	}
	_, width := character(text[length:])
	return text[length : length+width]
}
