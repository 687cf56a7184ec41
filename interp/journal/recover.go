package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// recovered holds what was read of a file.
type recovered struct {
	position         // behind the last good line
	image    *Image  // as all good lines have made it
	base     int64   // how many of the bytes are the tree of the last rewriting
	ends     []int64 // of each line
	claim    int     // up to which line all was on disk, as is known from elsewhere or as the lines say
	torn     int     // lines that are dropped
	line     parsed
	path     string
}

// version is that of the format. It does not change as long as it only grows.
const version = 2

// recoverText reads all lines of a file up to the first that is not whole. That and all after it
// are torn, if nothing says that they were on disk, as so many are known to have been; else the file is corrupt. With
// an error, too, it gives what it has read.
func recoverText(path string, text []byte, known int, unchained bool) (*recovered, error) {
	r := &recovered{image: newImage(), path: path, claim: known}
	r.check, r.unchained = firstCheck, unchained
	rest := text
	for len(rest) > 0 {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		good, err := r.readLine(line, ended)
		if err != nil {
			return r, err
		}
		if !good {
			r.torn = bytes.Count(bytes.TrimSuffix(rest, []byte("\n")), []byte("\n")) + 1
			r.noteClaims(rest)
			break
		}
		rest = after
	}
	switch {
	case r.lines == 0:
		return r, r.corruptLine("it is not the first line of a journal")
	case r.claim > r.lines && len(rest) == 0:
		return r, r.corruptLine("it was on disk, and is missing")
	case r.claim > r.lines:
		return r, r.corruptLine("it was on disk, and is no longer what was written")
	}
	return r, nil
}

func (r *recovered) corruptLine(reason string) error {
	return &CorruptError{Path: r.path, Line: r.lines + 1, Reason: reason}
}

// readLine reads a line; good is false if it is not whole.
func (r *recovered) readLine(line []byte, ended bool) (good bool, err error) {
	text, c, checked := claimedCheck(line)
	if !ended || !checked || r.checkOf(text) != c {
		return false, nil
	}
	p := &r.line
	if err := p.parseLine(line); err != nil {
		return false, r.corruptLine(err.Error())
	}
	if p.n != int64(r.lines+1) {
		return false, nil
	}
	switch {
	case r.lines > 0:
	case p.kind != headerKind:
		return false, nil
	case p.version != version:
		return false, r.corruptLine(fmt.Sprintf("it is of format %d, and this program knows %d: "+
			"go on with the program that has written it, or remove it", p.version, version))
	default:
		r.image.began, r.image.machine, r.image.host = p.at, p.machine, p.host
	}
	r.check, r.claim = c, max(r.claim, int(p.synced))
	r.lines++
	r.size += int64(len(line) + 1)
	r.ends = append(r.ends, r.size)
	if p.kind == treeKind {
		r.base = r.size
	}
	r.applyChanges()
	return true, nil
}

// claimedEnd is up to where the file was on disk.
func (r *recovered) claimedEnd() int64 {
	if r.claim == 0 {
		return 0
	}
	return r.ends[r.claim-1]
}

func (r *recovered) applyChanges() {
	for _, c := range r.line.changes {
		c.Value = bytes.Clone(c.Value) // not the whole file for a few values
		r.image.applyChange(c.Change, c.file, c.sum, r.lines)
	}
	if r.line.at.After(r.image.last) {
		r.image.last = r.line.at
	}
	if r.line.recent != "" {
		r.image.rememberRecent(r.line.at, r.line.recent)
	}
}

// noteClaims raises the claim by what lines after a bad one say was on disk. The check of a line can be
// had if the one before has kept its own, or all that it is the check of.
func (r *recovered) noteClaims(rest []byte) {
	before := []check{r.check}
	for line := range bytes.Lines(rest) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		text, c, checked := claimedCheck(line)
		sums := make([]check, len(before))
		for i, b := range before {
			sums[i] = (&position{check: b, unchained: r.unchained}).checkOf(text)
		}
		var p parsed
		if checked && slices.Contains(sums, c) && p.parseLine(line) == nil {
			r.claim = max(r.claim, int(p.synced))
		}
		before = []check{sums[len(sums)-1], c}
	}
}

// readAll reads a file.
func readAll(f File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	text := make([]byte, info.Size)
	n, err := f.ReadAt(text, 0)
	return text[:n], err
}

// readValues reads the values that stand in files of their own.
func (r *recovered) readValues(fs FS) (err error) {
	r.image.root.walkKeys("", func(path, key string, v value) {
		if v.file == 0 || err != nil {
			return
		}
		raw, failed := readValue(fs, valueFile(r.path, v.file))
		if failed != nil || checksum(0, raw) != v.sum || !json.Valid(raw) {
			err = &CorruptError{Path: r.path, Line: v.line, Reason: fmt.Sprintf(
				"the value that it has in %s is gone, or is not what was written", valueFile(r.path, v.file))}
			return
		}
		v.raw = raw
		r.image.root.findNode(path).keys[key] = v
	})
	return err
}

func readValue(fs FS, path string) ([]byte, error) {
	f, err := fs.Open(path, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return readAll(f)
}

// valueFolder returns the folder of a journal's long values.
func valueFolder(path string) string { return path + ".d" }

func valueFile(path string, file int64) string {
	return filepath.Join(valueFolder(path), strconv.FormatInt(file, 10))
}
