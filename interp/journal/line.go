package journal

import (
	"bytes"
	"hash/crc32"
	"strconv"
	"sync"
	"time"
)

// What a line ends with is its check: the CRC-32C of the eight digits with which the line before ends
// (zeros before the first) and of the line up to here.
const (
	checkKey    = `,"crc":"`
	checkEnd    = `"}`
	checkDigits = 8
	checkLength = len(checkKey) + checkDigits + len(checkEnd)
)

// check is the digits of a checksum.
type check [checkDigits]byte

var firstCheck = check{'0', '0', '0', '0', '0', '0', '0', '0'}

// castagnoli is made when the first journal needs it: most scripts have none.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// checksum continues the CRC-32C of what came before text (0 for nothing).
func checksum(before uint32, text []byte) uint32 { return crc32.Update(before, castagnoli(), text) }

// sum gives the check of a line that has this text before it.
func (c check) sum(text []byte) check {
	crc := checksum(checksum(0, c[:]), text)
	var digits check
	for i := range digits {
		digits[i] = hexDigits[crc>>(28-4*i)&15]
	}
	return digits
}

// position is where in a file the next line goes.
type position struct {
	lines int   // before it
	size  int64 // in bytes
	check check // of the line before

	unchained bool // a fault of tests: no check covers the one before
}

// sum gives the check of the next line, which has this text before it.
func (p *position) sum(text []byte) check {
	if p.unchained {
		return firstCheck.sum(text)
	}
	return p.check.sum(text)
}

// appendLine appends a line with a body, and moves the position behind it. synced is the number of
// the last line that is known to be on disk.
func (p *position) appendLine(to []byte, synced int, body []byte) []byte {
	start := len(to)
	p.lines++
	to = strconv.AppendInt(append(to, `{"n":`...), int64(p.lines), 10)
	to = strconv.AppendInt(append(to, `,"synced":`...), int64(synced), 10)
	to = append(append(to, ','), body...)
	p.check = p.sum(to[start:])
	to = append(append(append(to, checkKey...), p.check[:]...), checkEnd...)
	to = append(to, '\n')
	p.size += int64(len(to) - start)
	return to
}

// claimed is the check that a line says it has, and what that has to be the check of; ok is false if
// the line does not end as one should. They are the best guess then: where they would stand.
func claimed(line []byte) (text []byte, c check, ok bool) {
	at := len(line) - checkLength
	if at < 0 {
		return line, c, false
	}
	end := line[at:]
	ok = bytes.HasPrefix(end, []byte(checkKey)) && bytes.HasSuffix(end, []byte(checkEnd))
	return line[:at], check(end[len(checkKey) : len(checkKey)+checkDigits]), ok
}

// parsed is a line, but for its note.
type parsed struct {
	n, synced int64
	at        time.Time
	kind      string
	version   int64
	machine   string
	host      string
	recent    string
	changes   []parsedChange
}

type parsedChange struct {
	Change
	file int64
	sum  uint32
}

// parse reads a line whose check holds. What it does not know it passes over: the format only grows.
func (p *parsed) parse(line []byte) error {
	*p = parsed{changes: p.changes[:0]}
	s := scanner{text: line}
	err := s.object(func(key []byte) (err error) {
		switch string(key) {
		case "n":
			p.n, err = s.number()
		case "synced":
			p.synced, err = s.number()
		case "version":
			p.version, err = s.number()
		case "kind":
			p.kind, err = s.quoted()
		case "machine":
			p.machine, err = s.quoted()
		case "host":
			p.host, err = s.quoted()
		case "recent":
			p.recent, err = s.quoted()
		case "at":
			p.at, err = s.time()
		case "changes":
			err = s.array(func() error { return p.change(&s) })
		default:
			_, err = s.raw()
		}
		return err
	})
	if err == nil && s.at != len(line) {
		err = errShape
	}
	return err
}

func (s *scanner) time() (time.Time, error) {
	text, err := s.quoted()
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(timeLayout, text)
}

// change reads a change.
func (p *parsed) change(s *scanner) error {
	var c parsedChange
	err := s.object(func(key []byte) (err error) {
		switch string(key) {
		case "path":
			c.Path, err = s.quoted()
		case "key":
			c.Key, err = s.quoted()
		case "value":
			c.Value, err = s.raw()
		case "drop":
			_, err = s.raw()
			c.Drop = true
		case "file":
			c.file, err = s.number()
		case "sum":
			c.sum, err = s.sum()
		default:
			_, err = s.raw()
		}
		return err
	})
	p.changes = append(p.changes, c)
	return err
}

func (s *scanner) sum() (uint32, error) {
	text, err := s.quoted()
	if err != nil {
		return 0, err
	}
	sum, err := strconv.ParseUint(text, 16, 32)
	return uint32(sum), err
}
