package memory

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
)

// Kill is the death of all processes: their locks are free.
func (s *FS) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.locked)
}

// Cut is a power cut, and what is there when the machine is on again.
func (s *FS) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.locked)
	for _, name := range slices.Sorted(maps.Keys(s.past)) { // in order, so that the dice decide alone
		if n := s.past[name][s.dice.IntN(len(s.past[name]))]; n != nil {
			s.names[name] = n
		} else {
			delete(s.names, name)
		}
	}
	clear(s.past)
	for name := range s.names {
		if s.names[filepath.Dir(name)] == nil {
			delete(s.names, name)
		}
	}
	lost := map[*node]bool{} // a file may have two names
	for _, name := range slices.Sorted(maps.Keys(s.names)) {
		if n := s.names[name]; !lost[n] {
			lost[n] = true
			s.loseUnsynced(n)
		}
	}
}

// loseUnsynced takes from a file what was not synced.
func (s *FS) loseUnsynced(n *node) {
	if bytes.Equal(n.data, n.disk) {
		return
	}
	low, high := min(len(n.data), len(n.disk)), max(len(n.data), len(n.disk))
	size := [...]int{len(n.data), len(n.disk), low + s.dice.IntN(high-low+1)}[s.dice.IntN(3)]
	kept := make([]byte, size)
	for at := 0; at < size; at += sector {
		s.loseSector(kept[at:min(at+sector, size)], sectorOf(n.data, at), sectorOf(n.disk, at))
	}
	n.data = kept
	n.syncSectors(true)
	n.disk = bytes.Clone(kept)
}

// loseSector decides what becomes of a sector. It comes as zeros.
func (s *FS) loseSector(to, now, old []byte) {
	if bytes.Equal(now, old) {
		copy(to, now)
		return
	}
	switch s.dice.IntN(4) {
	case 0:
		copy(to, now)
	case 1:
		copy(to, old)
	case 2:
		same := 0
		for same < len(now) && same < len(old) && now[same] == old[same] {
			same++
		}
		copy(to, old[:same])
	case 3:
		copy(to, old)
		copy(to, now[:s.dice.IntN(len(now)+1)])
	}
}
