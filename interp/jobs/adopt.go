package jobs

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// Pilots of an earlier shell: a later one finds them by the folders that name the script's journal and the place in it,
// or by the claim of a program.

// adoptAll finds the pilots that an earlier shell has left there.
func (p *pilots) adoptAll() {
	entries, _ := os.ReadDir(string(p.cluster.folder)) // what cannot be seen now is found by the claims
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), p.like.Words[0]+"-") {
			continue
		}
		_, o, err := openTicket(p.cluster.folder.join(entry.Name()))
		if err == nil && o.Pilot && o.Journal == p.cluster.Journal && o.Site == p.like.Site {
			p.adopt(entry.Name())
		}
	}
}

// adopt takes a pilot for ours.
func (p *pilots) adopt(name string) *pilot {
	p.mu.Lock()
	defer p.mu.Unlock()
	if v := p.known[name]; v != nil {
		return v
	}
	job := p.like
	job.Crowd, job.Resumed = nil, true
	job.Folder, job.Within = p.cluster.folder.join(name), inode(string(p.cluster.folder))
	v := &pilot{job: &job, ticket: ticketAt(job.Folder), former: true, gone: make(chan struct{})}
	for v.ticket.has(nextPrefix + strconv.Itoa(v.handed+1)) {
		v.handed++
	}
	p.known[name] = v
	p.live++
	p.ended.Go(func() { p.tend(v) })
	return v
}

// busy reports whether the last program that a pilot was given is still to be run, or runs.
func (v *pilot) busy() bool {
	var last nextProgram
	if v.handed == 0 || v.ticket.readJSON(nextPrefix+strconv.Itoa(v.handed), &last) != nil {
		return false
	}
	program := ticketAt(string(last.Folder))
	held, made := program.claimed(last.Generation)
	if !made {
		_, err := os.Lstat(string(last.Folder))
		return !errors.Is(err, fs.ErrNotExist)
	}
	_, there, _ := program.ended(last.Generation)
	return held.Pilot == v.ticket.name && !there
}
