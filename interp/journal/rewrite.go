package journal

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

const (
	headerKind = "journal" // of the first line
	treeKind   = "tree"    // of the lines after it that a rewriting makes

	// rewriteFrom is the length from which on a journal is rewritten when it has doubled, in bytes.
	rewriteFrom = 1 << 20
	// treeLine is about how long lines of the tree are.
	treeLine = 32 << 10
)

// hasGrown reports whether the file is to be rewritten.
func (j *Journal) hasGrown() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.anew || j.size > j.config.limit && j.size > 2*j.base
}

// rewriteFile writes the tree to a new file, which replaces the old one. With it all that
// was written so far is on disk. The caller has the file. If the disk is full the old file stays,
// and is as good as it was.
func (j *Journal) rewriteFile() error {
	batch, bodies := j.takeSnapshot()
	next := position{check: firstCheck, unchained: j.config.unchained}
	var text []byte
	for _, body := range bodies {
		text = next.appendLine(text, len(bodies), body)
	}
	file, err := j.writeReplacement(batch, text)
	if err == nil {
		err = j.displaced()
	}
	if err == nil {
		j.config.Synced(min(j.syncedLines, next.lines))
		err = j.fs.Rename(j.path+newSuffix, j.path)
	}
	if err != nil {
		if file != nil {
			_ = file.Close()
		}
		_ = j.fs.Unlink(j.path + newSuffix)
		j.requeue(batch)
		return err
	}
	if j.file != nil {
		_ = j.file.Close()
	}
	j.file, j.position, j.base, j.reserved = file, next, next.size, next.size+reserveStep
	if len(batch) > 0 {
		j.written = batch[len(batch)-1].mark
	}
	if err := j.noteFile(); err != nil {
		return err
	}
	return j.folder.Sync()
}

// writeReplacement makes the new file, whole and on disk.
func (j *Journal) writeReplacement(batch []pending, text []byte) (File, error) {
	if err := j.storeValues(batch); err != nil {
		return nil, err
	}
	if err := j.fs.Unlink(j.path + newSuffix); err != nil && !errors.Is(err, unix.ENOENT) {
		return nil, err
	}
	file, err := j.fs.Open(j.path+newSuffix, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL)
	if err != nil {
		return nil, asFull(err)
	}
	if _, err := file.WriteAt(text, 0); err != nil {
		return file, asFull(err)
	}
	if err := j.reserveAt(file, int64(len(text)), reserveStep); err != nil {
		return file, asFull(err)
	}
	return file, file.Sync()
}

// errFull says that there was no room for the new file, and nothing else has gone wrong.
var errFull = errors.New("no room to rewrite it")

func asFull(err error) error {
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		return fmt.Errorf("%w: %w", errFull, err)
	}
	return err
}

// takeSnapshot takes what is pending, and encodes the tree that it leads to.
func (j *Journal) takeSnapshot() (batch []pending, bodies [][]byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.anew = false
	return j.takeLocked(), j.image.treeLines()
}

// treeLines gives the lines of a file that has the tree and nothing else.
func (i *Image) treeLines() [][]byte {
	i.mu.RLock()
	defer i.mu.RUnlock()
	header := appendHead(nil, i.began, headerKind)
	header = append(header, `"version":2,"machine":`...)
	header = appendQuoted(header, i.machine)
	header = appendQuoted(append(header, `,"host":`...), i.host)
	bodies := [][]byte{header}
	for _, r := range i.recentList() {
		body := append(appendHead(nil, r.at, treeKind), `"changes":[],"recent":`...)
		bodies = append(bodies, appendQuoted(body, r.text))
	}
	var body []byte
	i.root.walkKeys("", func(path, key string, v value) {
		if len(body) > treeLine {
			bodies, body = append(bodies, append(body, ']')), nil
		}
		if body == nil {
			body = append(appendHead(nil, i.last, treeKind), `"changes":[`...)
		} else {
			body = append(body, ',')
		}
		body = appendChange(body, Change{Path: path, Key: key, Value: v.raw}, v.file, v.sum)
	})
	if body != nil {
		bodies = append(bodies, append(body, ']'))
	}
	return bodies
}

// appendHead appends what all bodies begin with.
func appendHead(to []byte, at time.Time, kind string) []byte {
	to = at.UTC().AppendFormat(append(to, `"at":"`...), timeLayout)
	return append(appendQuoted(append(to, `","kind":`...), kind), ',')
}
