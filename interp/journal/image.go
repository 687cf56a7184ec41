package journal

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Image is the tree of a journal. A node is there as long as it has a key, or a node below it has.
// Safe for concurrent use; [Journal.Write] changes that of an open journal.
type Image struct {
	mu      sync.RWMutex
	root    *node
	began   time.Time
	last    time.Time
	machine string
	host    string
	recent  []recent
	dropped []int64 // files in NAME.d whose values are in the tree no more

	readAgain func(v value) json.RawMessage // a value that was released; nil: none may be
}

type node struct {
	keys     map[string]value
	children map[string]*node
}

// value is the value of a key.
type value struct {
	raw  json.RawMessage // nil: in a file, and not read yet
	file int64           // its name in NAME.d; 0: it stands in the record
	sum  uint32          // of the file
	line int             // of the record, if a file is named there
}

func newImage() *Image { return &Image{root: &node{}} }

// Get gives the value of a key of a node. It must not be changed.
func (i *Image) Get(path, key string) (json.RawMessage, bool) {
	i.mu.RLock()
	var v value
	var found bool
	if n := i.root.findNode(path); n != nil {
		v, found = n.keys[key]
	}
	i.mu.RUnlock()
	if v.raw == nil && v.file != 0 && i.readAgain != nil {
		v.raw = i.readAgain(v)
	}
	return v.raw, found
}

// Release lets go of a value that stands in a file of its own: whoever has taken it over needs the memory. Get would
// read the file again.
func (i *Image) Release(path, key string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	n := i.root.findNode(path)
	if n == nil || i.readAgain == nil {
		return
	}
	if v := n.keys[key]; v.file != 0 {
		v.raw = nil
		n.keys[key] = v
	}
}

// Size returns the bytes that values which stand in files of their own take in memory.
func (i *Image) Size() (size int) {
	i.mu.RLock()
	defer i.mu.RUnlock()
	i.root.visitValues(func(v value) {
		if v.file != 0 {
			size += len(v.raw)
		}
	})
	return size
}

// Children gives the names of the nodes right below a node, sorted as strings.
func (i *Image) Children(path string) []string {
	i.mu.RLock()
	defer i.mu.RUnlock()
	if n := i.root.findNode(path); n != nil {
		return slices.Sorted(maps.Keys(n.children))
	}
	return nil
}

// Keys gives the keys of a node, sorted.
func (i *Image) Keys(path string) []string {
	i.mu.RLock()
	defer i.mu.RUnlock()
	if n := i.root.findNode(path); n != nil {
		return slices.Sorted(maps.Keys(n.keys))
	}
	return nil
}

// Last is when the last record was written, by the clock of then; zero if there is none.
func (i *Image) Last() time.Time {
	i.mu.RLock()
	defer i.mu.RUnlock()
	return i.last
}

// Began is when the journal was made.
func (i *Image) Began() time.Time {
	i.mu.RLock()
	defer i.mu.RUnlock()
	return i.began
}

// Host is the name of the host that began the journal.
func (i *Image) Host() string {
	i.mu.RLock()
	defer i.mu.RUnlock()
	return i.host
}

// findNode gives the node at a path, nil if there is none.
func (n *node) findNode(path string) *node {
	for n != nil && path != "" {
		var name string
		name, path, _ = strings.Cut(path, "/")
		n = n.children[name]
	}
	return n
}

// makeNode gives the node at a path, and makes it.
func (n *node) makeNode(path string) *node {
	for path != "" {
		var name string
		name, path, _ = strings.Cut(path, "/")
		child := n.children[name]
		if child == nil {
			child = &node{}
			if n.children == nil {
				n.children = map[string]*node{}
			}
			n.children[name] = child
		}
		n = child
	}
	return n
}

// removeBelow takes a key, or with all the whole node, from below n; then nodes that have become empty.
func (n *node) removeBelow(path, key string, all bool, gone func(value)) {
	if path == "" {
		n.clearKey(key, all, gone)
		return
	}
	name, rest, _ := strings.Cut(path, "/")
	child := n.children[name]
	if child == nil {
		return
	}
	child.removeBelow(rest, key, all, gone)
	if len(child.keys) == 0 && len(child.children) == 0 {
		delete(n.children, name)
	}
}

func (n *node) clearKey(key string, all bool, gone func(value)) {
	if !all {
		if v, found := n.keys[key]; found {
			gone(v)
			delete(n.keys, key)
		}
		return
	}
	n.visitValues(gone)
	n.keys, n.children = nil, nil
}

// visitValues visits all values, in any order.
func (n *node) visitValues(visit func(value)) {
	for _, v := range n.keys {
		visit(v)
	}
	for _, child := range n.children {
		child.visitValues(visit)
	}
}

// walkKeys visits all keys, in an order that is the same each time.
func (n *node) walkKeys(path string, visit func(path, key string, v value)) {
	for _, key := range slices.Sorted(maps.Keys(n.keys)) {
		visit(path, key, n.keys[key])
	}
	for _, name := range slices.Sorted(maps.Keys(n.children)) {
		below := name
		if path != "" {
			below = path + "/" + name
		}
		n.children[name].walkKeys(below, visit)
	}
}

// applyChange makes a change, and keeps its value. The image must be locked, or be nobody else's yet.
func (i *Image) applyChange(c Change, file int64, sum uint32, line int) {
	if c.Drop || (c.Value == nil && file == 0) {
		i.root.removeBelow(c.Path, c.Key, c.Drop, i.forgetValue)
		return
	}
	n := i.root.makeNode(c.Path)
	if n.keys == nil {
		n.keys = map[string]value{}
	}
	i.forgetValue(n.keys[c.Key])
	n.keys[c.Key] = value{raw: c.Value, file: file, sum: sum, line: line}
}

func (i *Image) forgetValue(v value) {
	if v.file != 0 {
		i.dropped = append(i.dropped, v.file)
	}
}
