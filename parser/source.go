package parser

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"ftsh/ast"
)

// sourceFile reads and parses what a script sources. A file that is sourced twice
// is parsed once, so that two files may source the same third one.
func (b *builder) sourceFile(word *token) ast.Node {
	out := &ast.SourceFile{Path: b.splitWord(word, false)}
	pos := b.posOf(word)
	path, literal := out.Path.Literal()
	switch {
	case b.depth > 0:
		b.errorf(pos, "source stands at the top level, not inside another statement")
		return out
	case !literal || path == "":
		b.errorf(pos, "source takes a literal path, since the script is parsed before it runs")
		return out
	case b.config.Alone:
		b.program.unread = true
		return out
	case !strings.HasPrefix(path, "/"):
		path = folderOf(b.realPath(b.src.Name)) + path
	}
	file, begun := b.files[path]
	switch {
	case file != nil:
	case begun || path == b.sources[0].Name:
		b.errorf(pos, "%s sources itself, directly or through another file", path)
	default:
		file = b.readSource(pos, path)
	}
	out.File = file
	return out
}

// realPath is the name of a file with the symbolic links to it followed: what it sources lies beside it,
// and not beside a link in a folder of programs.
func (p *program) realPath(name string) string {
	const mostLinks = 40
	for range mostLinks {
		link, err := os.Readlink(p.reachable(name))
		if err != nil {
			break
		}
		if !strings.HasPrefix(link, "/") {
			link = folderOf(name) + link
		}
		name = link
	}
	return name
}

// reachable is the path of a file from this process's directory.
func (p *program) reachable(name string) string {
	if p.config.Dir == "" || strings.HasPrefix(name, "/") {
		return name
	}
	return p.config.Dir + "/" + name
}

// readSource parses a file.
func (b *builder) readSource(pos ast.Pos, path string) *ast.File {
	read := b.config.ReadFile
	if read == nil {
		read = os.ReadFile
	}
	text, err := read(b.reachable(path))
	if err != nil {
		var file *fs.PathError
		if errors.As(err, &file) {
			err = file.Err
		}
		b.errorf(pos, "cannot read %s: %v", path, err)
		return nil
	}
	if b.files == nil {
		b.program.files = map[string]*ast.File{}
	}
	b.files[path] = nil
	file := b.program.parseText(&ast.Source{Name: path, Text: string(text)})
	b.files[path] = file
	return file
}
