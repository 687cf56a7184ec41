package simulate

import (
	"ftsh/ast"
	"ftsh/cmd/ftshsim/herd/measure"
	"strings"
)

// Part is the clients of a crowd that run the same.
type Part struct {
	Name   string // what reports call it
	Script *Script
	Share  float64 // of the clients, in any unit
}

// PartTally holds what was counted of a [Part].
type PartTally struct {
	Wanted   int           // clients
	Done     int           // of them
	Requests int           // that they sent
	Good     int           // of those, answered well and in time
	Took     measure.Times // of those that were done, from their own beginning
}

// divideCrowd makes parts of the crowd, with the scripts that they run.
func (s *simulation) divideCrowd() {
	if s.parts = s.Mixed; len(s.parts) == 0 {
		s.parts = []Part{{Script: s.Script, Share: 1}}
	}
	for _, part := range s.parts {
		file := part.Script.parseTree()
		s.files, s.environs = append(s.files, file), append(s.environs, mentioned(file, s.Environ))
	}
	s.Parts = make([]PartTally, len(s.parts))
}

// mentioned returns what a script can see of the environment: nobody looks at what else its programs are given.
func mentioned(file *ast.File, environ []string) (list []string) {
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if _, is := file.Names.Lookup(name); is || name == "HOME" {
			list = append(list, entry)
		}
	}
	return list
}

// assignPart gives a client to the part that is furthest behind its share: so they alternate
// also where clients come one after the other.
func (s *simulation) assignPart(n int) int {
	all := 0.0
	for _, part := range s.parts {
		all += part.Share
	}
	best, most := 0, -1.0
	for i, part := range s.parts {
		if behind := part.Share/all*float64(n+1) - float64(s.Parts[i].Wanted); behind > most {
			best, most = i, behind
		}
	}
	s.Parts[best].Wanted++
	return best
}

// quantities of the parts of mixed crowds.
func partQuantities(part int, name string) []quantity {
	of := func(what string, measure func(*PartTally) float64) quantity {
		return quantity{name: name + ": " + what, measure: func(o outcome) float64 { return measure(&o.Parts[part]) }}
	}
	clients := of("clients", func(p *PartTally) float64 { return float64(p.Wanted) })
	finished := of("finished", func(p *PartTally) float64 { return float64(p.Done) }).worthy(84)
	clients.people, finished.people = true, true
	return []quantity{
		clients, finished,
		of("time to finish, median (s)", func(p *PartTally) float64 { return p.Took.Percentile(50, p.Wanted-p.Done) }),
		of("time to finish, 95 % (s)",
			func(p *PartTally) float64 { return p.Took.Percentile(95, p.Wanted-p.Done) }).worthy(83),
		of("requests", func(p *PartTally) float64 { return float64(p.Requests) }),
		of("requests answered well", func(p *PartTally) float64 { return float64(p.Good) }),
	}
}
