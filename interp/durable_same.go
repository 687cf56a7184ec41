package interp

import (
	"crypto/sha256"
	"encoding/hex"

	"ftsh/ast"
)

// sum is the checksum of a function's text, computed once.
func (d *durable) sum(function *ast.Function) string {
	d.sums.mu.Lock()
	defer d.sums.mu.Unlock()
	sum, known := d.sums.list[function]
	if !known {
		if d.sums.list == nil {
			d.sums.list = make(map[*ast.Function]string)
		}
		sum = d.Durable.sum(ast.Stmt{Pos: function.Pos, Node: function})
		d.sums.list[function] = sum
	}
	return sum
}

// sum is the checksum of a statement's text without comments.
func (d *Durable) sum(s ast.Stmt) string {
	sum := sha256.Sum256([]byte(d.Canonical(s)))
	return hex.EncodeToString(sum[:12])
}
