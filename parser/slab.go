package parser

import "ftsh/ast"

// slab allocates many of one kind of node with few allocations: a script of 1 MB
// has 100,000 small nodes, and they live and die together.
type slab[T any] struct {
	free []T
	size int
}

// next returns a new zero T.
func (s *slab[T]) next() *T {
	if len(s.free) == 0 {
		s.size = min(4+2*s.size, 100)
		s.free = make([]T, s.size)
	}
	p := &s.free[0]
	s.free = s.free[1:]
	return p
}

// copy returns a list of its own with the same elements.
func (s *slab[T]) copy(list []T) []T {
	n := len(list)
	if len(s.free) < n {
		s.size = min(4+2*s.size, 100)
		s.free = make([]T, max(s.size, n))
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	copy(out, list)
	return out
}

// slabs are those that a builder allocates from.
type slabs struct {
	plains   slab[plain]
	lits     slab[ast.Lit]
	refs     slab[ast.Ref]
	parts    slab[ast.Part]
	words    slab[ast.Word]
	lists    slab[*ast.Word]
	operands slab[ast.Operand]
	commands slab[ast.Command]
}
