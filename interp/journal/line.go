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

// checkOf gives the check of a line that has this text before it.
func (c check) checkOf(text []byte) check {
	crc := checksum(checksum(0, c[:]), text)
	var digits check
	for i := range digits {
		digits[i] = hexDigits[crc>>(28-4*i)&15]
	}
	return digits
}

// position is the place in a file of the next line.
type position struct {
	lines int   // before it
	size  int64 // in bytes
	check check // of the line before

	unchained bool // a fault of tests: no check covers the one before
}

// checkOf gives the check of the next line, which has this text before it.
func (p *position) checkOf(text []byte) check {
	if p.unchained {
		return firstCheck.checkOf(text)
	}
	return p.check.checkOf(text)
}

// appendLine appends a line with a body, and moves the position behind it. synced is the number of
// the last line that is known to be on disk.
func (p *position) appendLine(to []byte, synced int, body []byte) []byte {
	start := len(to)
	p.lines++
	to = strconv.AppendInt(append(to, `{"n":`...), int64(p.lines), 10)
	to = strconv.AppendInt(append(to, `,"synced":`...), int64(synced), 10)
	to = append(append(to, ','), body...)
	p.check = p.checkOf(to[start:])
	to = append(append(append(to, checkKey...), p.check[:]...), checkEnd...)
	to = append(to, '\n')
	p.size += int64(len(to) - start)
	return to
}

// claimedCheck is the check that a line says it has, and what that has to be the check of; ok is false if
// the line does not end as one should. They are the best guess then: where they would stand.
func claimedCheck(line []byte) (text []byte, c check, ok bool) {
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

// parseLine reads a line whose check holds. What it does not know it passes over: the format only grows.
func (p *parsed) parseLine(line []byte) error {
	*p = parsed{changes: p.changes[:0]}
	s := scanner{text: line}
	err := s.readObject(func(key []byte) (err error) {
		switch string(key) {
		case "n":
			p.n, err = s.readNumber()
		case "synced":
			p.synced, err = s.readNumber()
		case "version":
			p.version, err = s.readNumber()
		case "kind":
			p.kind, err = s.readQuoted()
		case "machine":
			p.machine, err = s.readQuoted()
		case "host":
			p.host, err = s.readQuoted()
		case "recent":
			p.recent, err = s.readQuoted()
		case "at":
			p.at, err = s.readTime()
		case "changes":
			err = s.readArray(func() error { return p.readChange(&s) })
		default:
			_, err = s.readRaw()
		}
		return err
	})
	if err == nil && s.at != len(line) {
		err = errShape
	}
	return err
}

func (s *scanner) readTime() (time.Time, error) {
	text, err := s.readQuoted()
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(timeLayout, text)
}

// readChange reads a change.
func (p *parsed) readChange(s *scanner) error {
	var c parsedChange
	err := s.readObject(func(key []byte) (err error) {
		switch string(key) {
		case "path":
			c.Path, err = s.readQuoted()
		case "key":
			c.Key, err = s.readQuoted()
		case "value":
			c.Value, err = s.readRaw()
		case "drop":
			_, err = s.readRaw()
			c.Drop = true
		case "file":
			c.file, err = s.readNumber()
		case "sum":
			c.sum, err = s.readSum()
		default:
			_, err = s.readRaw()
		}
		return err
	})
	p.changes = append(p.changes, c)
	return err
}

func (s *scanner) readSum() (uint32, error) {
	text, err := s.readQuoted()
	if err != nil {
		return 0, err
	}
	sum, err := strconv.ParseUint(text, 16, 32)
	return uint32(sum), err
}
