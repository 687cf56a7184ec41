package event

import (
	"encoding/base64"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ftsh/ast"
)

// Mask replaces the values of secret variables by *** in what the shell says. It knows each value that it was told
// of from then on. The zero Mask, and nil, know none, and cost one comparison. Safe for concurrent use.
//
// A value is found as it is, in pieces (each of its lines; its words with one blank between, as an unquoted reference
// splits it; each of these words where nothing else stands), percent-encoded, in base64, with the escapes of quoted
// text (\n, \", \x1b), and cut off by an ellipsis.
type Mask struct {
	any    atomic.Bool // there is at least one
	mu     sync.RWMutex
	known  map[string]bool
	pieces map[uint32][]string // what is sought, by its first four bytes
	first  []bool              // which bytes these begin with; nil: there are none
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

// Add has a value masked from now on, and reports whether that is new.
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
		m.known, m.pieces, m.words = map[string]bool{}, map[uint32][]string{}, map[string]bool{}
		m.first = make([]bool, 256)
	}
	m.known[value] = true
	m.addPiece(value)
	m.addPiece(strings.TrimSpace(value))
	m.addPiece(strings.Join(strings.Fields(value), " "))
	m.addPiece(base64.RawStdEncoding.EncodeToString([]byte(value)))
	m.addPiece(base64.RawURLEncoding.EncodeToString([]byte(value)))
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

// addPiece adds a piece, unless it is too short or known.
func (m *Mask) addPiece(piece string) {
	if len(piece) < shortestSecret {
		return
	}
	key := beginning(piece)
	if !slices.Contains(m.pieces[key], piece) {
		m.pieces[key], m.first[piece[0]] = append(m.pieces[key], piece), true
	}
}

// beginning is the first four bytes of a text.
func beginning(text string) uint32 {
	return uint32(text[0]) | uint32(text[1])<<8 | uint32(text[2])<<16 | uint32(text[3])<<24
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
	if len(found) == 0 && !slices.ContainsFunc(words, m.isWord) {
		return words
	}
	masked, at := make([]string, len(words)), 0
	for i, word := range words {
		if masked[i] = coverSpans(word, at, found); m.isWord(word) {
			masked[i] = stars
		}
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

// coverSpans returns a text in which the spans are replaced. They are counted from before its beginning, by so much.
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

// isWord reports whether a text is a word of a value.
func (m *Mask) isWord(text string) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.words[text]
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
	found = m.scanText(found, original{text: text})
	for _, e := range encodings {
		if strings.Contains(text, e.sign) {
			found = m.scanText(found, decodeText(text, e.undo))
		}
	}
	return joinSpans(found)
}

// scanText appends the places of secrets in a text, which may be a decoded one.
func (m *Mask) scanText(found []span, o original) []span {
	text := o.text
	for i := range max(0, len(text)-shortestSecret+1) {
		if !m.first[text[i]] {
			continue
		}
		for _, piece := range m.pieces[beginning(text[i:])] {
			if length := matchedLength(text[i:], piece); length > 0 {
				found = append(found, span{o.placeBefore(i), o.placeBefore(i + length)})
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

// joinSpans returns the spans in order, those that overlap as one.
func joinSpans(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	kept := spans[:0]
	for _, s := range spans {
		if n := len(kept); n > 0 && s.from < kept[n-1].to {
			kept[n-1].to = max(kept[n-1].to, s.to)
			continue
		}
		kept = append(kept, s)
	}
	return kept
}
