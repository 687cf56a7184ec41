package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Change is a change of the tree. A path names a node: names joined by '/', "" is the root; names
// are not empty.
type Change struct {
	Path  string
	Key   string
	Value json.RawMessage // any JSON; nil: the key is removed
	Drop  bool            // the node and all below it are removed; Key and Value mean nothing
}

// Record holds changes that belong together: all of them are on disk, or none.
type Record struct {
	Kind    string         // a word for people
	Note    map[string]any // for people: line, text, …; recovery does not read it
	Changes []Change
	// Recent is something that [Image.Recent] tells people of for a while, though nothing is left of it in the tree.
	Recent string
	// Begins says that something begins with it: without room for the records after it, it is not written.
	Begins bool
	// Anew has the file be written anew with it: what stood there before and is no longer in the tree is gone.
	Anew bool
	// Casual says that nobody needs it on disk: it comes there with what is written after it.
	Casual bool
}

// Mark tells records apart: those that were written before have lower ones. The zero Mark is
// before all.
type Mark uint64

const (
	// timeLayout is that of when a record was written.
	timeLayout = "2006-01-02T15:04:05.000Z"
	// usualLine is more than most lines are long, in bytes.
	usualLine = 768
	// longestValue is that of a value that stands in its record, in bytes.
	longestValue = 64 << 10
)

// stored is a value that goes to a file of its own.
type stored struct {
	file int64
	raw  json.RawMessage
}

// pending is a record that is not in the file yet.
type pending struct {
	mark   Mark
	body   []byte // its line, between what says its place and its check
	values []stored
	begins bool
}

// encodeRecord returns the body of a line for a record, and names a file for each long value.
func (j *Journal) encodeRecord(r Record, now time.Time) (pending, error) {
	p := pending{mark: j.mark, begins: r.Begins, body: make([]byte, 0, usualLine)}
	p.body = now.UTC().AppendFormat(append(p.body, `"at":"`...), timeLayout)
	p.body = appendQuoted(append(p.body, `","kind":`...), r.Kind)
	p.body = append(p.body, `,"changes":[`...)
	for i, c := range r.Changes {
		if i > 0 {
			p.body = append(p.body, ',')
		}
		compact, err := compactValue(c)
		if err != nil {
			return p, err
		}
		c.Value = compact
		file, sum := int64(0), uint32(0)
		if len(c.Value) > j.config.long {
			j.files++
			file, sum = j.files, checksum(0, c.Value)
			p.values = append(p.values, stored{file, c.Value})
		}
		p.body = appendChange(p.body, c, file, sum)
		j.image.applyChange(c, file, sum, 0)
	}
	p.body = append(p.body, ']')
	if r.Recent != "" {
		j.image.rememberRecent(now, r.Recent)
		p.body = appendQuoted(append(p.body, `,"recent":`...), r.Recent)
	}
	if len(r.Note) > 0 {
		p.body = appendNote(append(p.body, `,"note":`...), r.Note)
	}
	return p, nil
}

// compactValue returns the value of a change on one line.
func compactValue(c Change) (json.RawMessage, error) {
	if c.Drop || c.Value == nil {
		return nil, nil
	}
	var text bytes.Buffer
	text.Grow(len(c.Value))
	if err := json.Compact(&text, c.Value); err != nil {
		return nil, fmt.Errorf("the value of %s %s is not JSON: %w", c.Path, c.Key, err)
	}
	return text.Bytes(), nil
}

// appendChange appends a change as one object.
func appendChange(to []byte, c Change, file int64, sum uint32) []byte {
	to = appendQuoted(append(to, `{"path":`...), c.Path)
	if c.Drop {
		return append(to, `,"drop":true}`...)
	}
	to = appendQuoted(append(to, `,"key":`...), c.Key)
	switch {
	case file != 0:
		to = fmt.Appendf(to, `,"file":%d,"sum":"%08x"`, file, sum)
	case c.Value != nil:
		to = append(append(to, `,"value":`...), c.Value...)
	}
	return append(to, '}')
}
