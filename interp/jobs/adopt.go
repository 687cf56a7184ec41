package jobs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Pilots of an earlier shell: a later one finds them by the folders that name the script's journal and the place in it,
// or by the claim of a program.

// adoptAll finds the pilots that an earlier shell has left there.
func (p *Pilots) adoptAll() {
	entries, _ := os.ReadDir(string(p.cluster.folder)) // what cannot be seen now is found by the claims
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), p.like.Words[0]+"-") {
			continue
		}
		_, o, err := openTicket(p.cluster.folder.join(entry.Name()))
		if err == nil && o.Pilot && o.Journal == p.like.Journal && o.Site == p.like.Site {
			p.adopt(entry.Name())
		}
	}
}

// adopt takes a pilot for ours.
func (p *Pilots) adopt(name string) *pilot {
	p.mu.Lock()
	defer p.mu.Unlock()
	if v := p.known[name]; v != nil {
		return v
	}
	job := p.like
	job.Crowd, job.Resumed = nil, true
	job.Folder, job.Within = p.cluster.folder.join(name), inode(string(p.cluster.folder))
	v := &pilot{job: &job, ticket: ticket{folder: folder(job.Folder), name: name}, former: true, gone: make(chan struct{})}
	p.known[name] = v
	p.live++
	p.ended.Go(func() { p.tend(v) })
	return v
}

// idles waits until a pilot has ended the last program that an earlier shell gave it; false: it has ended, or is not
// needed any more. One that was told to end is given nothing.
func (v *pilot) idles(p *Pilots) bool {
	if !v.former {
		return true
	}
	for ; ; v.handed++ {
		if _, err := os.Lstat(v.ticket.join(nextPrefix + strconv.Itoa(v.handed+1))); err != nil {
			break
		}
	}
	for pause := firstLook; ; pause = min(pause*5/4, longestLook/4) {
		if _, err := v.ticket.read(endName); err != nil && !v.busy() {
			return true
		}
		select {
		case <-v.gone:
			return false
		case <-p.closing:
			return false
		case <-after(p.cluster.Clock, pause):
		}
	}
}

// busy reports whether the last program that a pilot was given is still to be run, or runs.
func (v *pilot) busy() bool {
	var last nextProgram
	if v.handed == 0 || v.ticket.readJSON(nextPrefix+strconv.Itoa(v.handed), &last) != nil {
		return false
	}
	program := ticket{folder: folder(last.Folder), name: filepath.Base(string(last.Folder))}
	held, made := program.claimed(last.Generation)
	if !made {
		_, err := os.Lstat(string(last.Folder))
		return !errors.Is(err, fs.ErrNotExist)
	}
	_, there, _ := program.ended(last.Generation)
	return held.Pilot == v.ticket.name && !there
}

// findPilot finds the pilot that has claimed the program; false: none has. It may be one that an earlier shell gave
// it to.
func (r *running) findPilot() bool {
	held, made := r.ticket.claimed(r.generation)
	if !made || held.Pilot == "" {
		return false
	}
	if r.pilot == nil || r.pilot.ticket.name != held.Pilot {
		r.release()
		r.pilot, r.number = r.job.pilots.adopt(held.Pilot), held.Number
		r.submitted, r.over = r.clock().Now(), 0
	}
	return true
}

// mayBeTaken is closed when it is time to look whether a pilot has taken a program that an earlier shell may have
// given it; nil if none can have.
func (r *running) mayBeTaken() <-chan struct{} {
	if r.generation != r.sought {
		return nil
	}
	waiting := r.job.pilots.wait(0)
	return after(r.clock(), max(longestLook, time.Duration(waiting)*lookShare))
}

// elsewhere sees whether another pilot has the program than was thought.
func (r *running) elsewhere() bool {
	before := r.pilot
	return r.findPilot() && r.pilot != before
}
