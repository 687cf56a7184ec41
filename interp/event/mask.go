package event

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"ftsh/ast"
)

// Mask replaces the values of secret variables by *** in what the shell says. It knows each value that it was told
// of from then on. The zero Mask, and nil, know none, and cost one comparison. Safe for concurrent use.
//
// A value is found as it is, in pieces (each of its lines; its words with one blank between, as an unquoted reference
// splits it; each of these words where nothing else stands), percent-encoded or in base64 as a whole, as quoted text
// has it (\n, \", \x1b), and cut off by an ellipsis.
type Mask struct {
	any    atomic.Bool // there is at least one
	mu     sync.RWMutex
	known  map[string]bool
	pieces map[string][]string // what is sought, by its first shortestSecret bytes
	first  *[256]bool          // which bytes these begin with
	words  map[string]bool     // of values that have several: they are masked where they stand alone
}

const (
	// shortestSecret is the length from which on a value is masked: what is shorter stands anywhere by chance.
	shortestSecret = 4
	// longestSecret limits how much of a value is sought.
	longestSecret = 1 << 20

	stars = "***"
)

// Any reports whether there is anything to mask.
func (m *Mask) Any() bool { return m != nil && m.any.Load() }

// Add masks a value from now on, and reports whether it was not masked before.
func (m *Mask) Add(value string) (added bool) {
	value = value[:min(len(value), longestSecret)]
	if len(value) < shortestSecret {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known[value] {
		return false
	}
	if m.known == nil {
		m.known, m.pieces, m.first, m.words = map[string]bool{}, map[string][]string{}, new([256]bool), map[string]bool{}
	}
	m.known[value] = true
	m.addPiece(value)
	m.addPiece(strings.Join(strings.Fields(value), " "))
	m.addPiece(base64.RawStdEncoding.EncodeToString([]byte(value)))
	m.addPiece(base64.RawURLEncoding.EncodeToString([]byte(value)))
	for _, unescaped := range []string{"", "!'()*", "$&+=:@"} { // as one takes a form or JavaScript or a path for it
		for _, format := range []string{"%%%02X", "%%%02x"} {
			encoded := percentEncoded(value, format, unescaped)
			m.addPiece(encoded)
			m.addPiece(strings.ReplaceAll(encoded, "%20", "+"))
		}
	}
	for line := range strings.Lines(value) {
		m.addPiece(strings.TrimSpace(line))
	}
	for word := range strings.FieldsSeq(value) {
		if len(word) >= shortestSecret && word != value {
			m.words[word] = true
		}
	}
	m.any.Store(true)
	return true
}

// percentEncoded is a text with all bytes but letters, digits and a few signs in that format.
func percentEncoded(text, format, unescaped string) string {
	var out []byte
	for _, c := range []byte(text) {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', strings.IndexByte("-._~"+unescaped, c) >= 0:
			out = append(out, c)
		default:
			out = fmt.Appendf(out, format, c)
		}
	}
	return string(out)
}

// addPiece adds a piece as it is and as quoted text has it, unless it is too short.
func (m *Mask) addPiece(piece string) {
	if len(piece) < shortestSecret {
		return
	}
	quoted, ascii := strconv.Quote(piece), strconv.QuoteToASCII(piece)
	for _, spelling := range []string{
		piece, quoted[1 : len(quoted)-1], ascii[1 : len(ascii)-1], VisibleLine(piece), strings.ReplaceAll(piece, "'", `'\''`),
	} {
		if key := spelling[:shortestSecret]; !slices.Contains(m.pieces[key], spelling) {
			m.pieces[key], m.first[spelling[0]] = append(m.pieces[key], spelling), true
		}
	}
}

// Text is a text with each secret in it replaced.
func (m *Mask) Text(text string) string {
	found := m.findSecrets(text)
	if len(found) == 0 {
		return text
	}
	return coverSpans(text, 0, found)
}

// Hides reports whether a text holds a secret.
func (m *Mask) Hides(text string) bool { return len(m.findSecrets(text)) > 0 }

// Words are the words of a command, or of a call, with each secret in them replaced, also one that
// was split over several.
func (m *Mask) Words(words []string) []string {
	if !m.Any() {
		return words
	}
	found := m.findSecrets(strings.Join(words, " "))
	masked, at := make([]string, len(words)), 0
	for i, word := range words {
		masked[i] = m.Text(coverSpans(word, at, found))
		at += len(word) + 1
	}
	return masked
}

// Event is an event with each secret in it replaced.
func (m *Mask) Event(e Event) Event {
	if !m.Any() {
		return e
	}
	if e.Job != nil {
		job := *e.Job
		job.Asked = m.Words(job.Asked)
		e.Job = &job
	}
	e.Command, e.Items = m.Words(e.Command), m.Words(e.Items)
	for _, text := range []*string{&e.Name, &e.Value, &e.Message, &e.Stderr} {
		*text = m.Text(*text)
	}
	if e.Pos.Source != nil && m.Hides(e.Pos.Source.Name) {
		e.Pos.Source = &ast.Source{Name: m.Text(e.Pos.Source.Name)}
	}
	return e
}

// span is a part of a text: where it begins, and where what follows it does.
type span struct{ from, to int }

// coverSpans replaces spans of a text, which are counted from so many bytes before it.
func coverSpans(text string, before int, spans []span) string {
	var out strings.Builder
	at := 0
	for _, s := range spans {
		from, to := max(s.from-before, at), min(s.to-before, len(text))
		if from >= to {
			continue
		}
		out.WriteString(text[at:from])
		out.WriteString(stars)
		at = to
	}
	out.WriteString(text[at:])
	return out.String()
}

// findSecrets returns the places of secrets in a text: in order, and apart from each other.
func (m *Mask) findSecrets(text string) (found []span) {
	if !m.Any() || len(text) < shortestSecret {
		return nil
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.words[text] {
		return []span{{0, len(text)}}
	}
	for i := range len(text) - shortestSecret + 1 {
		if !m.first[text[i]] {
			continue
		}
		for _, piece := range m.pieces[text[i:i+shortestSecret]] {
			end := i + matchedLength(text[i:], piece)
			switch last := len(found) - 1; {
			case end == i:
			case last >= 0 && i < found[last].to:
				found[last].to = max(found[last].to, end)
			default:
				found = append(found, span{i, end})
			}
		}
	}
	return found
}

// matchedLength returns the length of a piece at the beginning of a text, whole or cut by an ellipsis; 0: it is not
// there.
func matchedLength(text, piece string) int {
	if strings.HasPrefix(text, piece) {
		return len(piece)
	}
	same := shortestSecret // as the index has it
	for same < len(piece) && same < len(text) && piece[same] == text[same] {
		same++
	}
	if strings.HasPrefix(text[same:], cut) {
		return same
	}
	return 0
}
