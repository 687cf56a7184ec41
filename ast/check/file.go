package check

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"ftsh/ast"
)

// writeAtomic advises => in place of >, for more than one rule.
const writeAtomic = "write => instead of >: the file is replaced when the command has succeeded"

// truncated looks for commands, pipelines and blocks that write to a file which they read.
func truncated(s *script) {
	for _, x := range s.statements {
		stages, list := stagesOf(x.node)
		for _, stage := range stages {
			list = append(list, stage.Redirects...)
		}
		for _, out := range list {
			if out.Op != ast.Out && out.Op != ast.Both || isDevice(out.Target) {
				continue
			}
			if target := fileOf(out.Target); s.surelyReads(stages, list, target) {
				s.addFinding(out.Pos, "the file is emptied before it is read", writeAtomic, atomicEdits(out)...)
			}
		}
	}
}

// stagesOf are the commands that a statement runs at the same time, and its own redirections.
func stagesOf(x *ast.Stmt) (stages []*ast.Command, list []*ast.Redirect) {
	list = append(list, x.Redirects...)
	switch n := x.Node.(type) {
	case *ast.Command:
		stages = []*ast.Command{n}
	case *ast.Pipeline:
		stages = n.Stages
	}
	return stages, list
}

// surelyReads reports whether one of the commands surely reads a file.
func (s *script) surelyReads(stages []*ast.Command, list []*ast.Redirect, target string) bool {
	for _, r := range list {
		if r.Op == ast.In && fileOf(r.Target) == target {
			return true
		}
	}
	for _, stage := range stages {
		for _, w := range s.toolOf(stage).filesRead() {
			if fileOf(w) == target {
				return true
			}
		}
	}
	return false
}

// filesRead are the words that surely name files which the program reads.
func (t tool) filesRead() []*ast.Word {
	switch t.name {
	case "cat", "sort", "uniq", "head", "tail", "cut", "paste", "join",
		"nl", "tac", "rev", "fold", "fmt", "column", "iconv",
		"gzip", "zcat", "xz", "xzcat", "zstd", "base64", "shuf":
		return t.list[1:]
	case "grep", "egrep", "fgrep", "awk", "gawk", "mawk", "sed", "jq":
		for i, w := range t.list[1:] {
			if text, _ := w.Literal(); !strings.HasPrefix(text, "-") {
				return t.list[i+2:] // after the pattern or program
			}
		}
	}
	return nil
}

// atomicEdits changes > into =>, where that means the same.
func atomicEdits(r *ast.Redirect) []Edit {
	begin := int(r.Pos.Offset)
	if r.Op != ast.Out || r.FD >= 0 || !strings.HasPrefix(r.Pos.Source.Text[begin:], ">") {
		return nil
	}
	return []Edit{{r.Pos.Source, begin, begin + 1, "=>"}}
}

// isDevice reports whether a file is none that could be replaced.
func isDevice(target *ast.Word) bool {
	lit, literal := target.Parts[0].(*ast.Lit)
	return literal && slices.ContainsFunc([]string{"/dev/", "/proc/", "/sys/"}, func(folder string) bool {
		return strings.HasPrefix(lit.Text, folder)
	})
}

// fileOf is the shape of a word as the name of a file: ./a is a.
func fileOf(w *ast.Word) string { return strings.TrimPrefix(shapeOf(w), "./") }

// shapeOfOutput is a text that is the same for the same ${ command }, and that no shell would take apart.
func shapeOfOutput(o *ast.Output) string {
	hash := fnv.New64a()
	for _, stage := range o.Stages() {
		for _, w := range stage.Words {
			fmt.Fprintf(hash, "%q ", shapeOf(w))
		}
		fmt.Fprint(hash, "|")
	}
	return fmt.Sprintf("\x00%x\x00", hash.Sum64())
}

// shapeOf is a text that is the same for words of the same value, however they are quoted.
func shapeOf(w *ast.Word) string {
	if w == nil {
		return ""
	}
	var text strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *ast.Lit:
			text.WriteString(part.Text)
		case *ast.Ref:
			text.WriteString("\x00" + part.Name + "\x00" + shapeOf(part.Default))
		case *ast.Glob:
			text.WriteString("\x01" + part.Pattern)
		case *ast.Tilde:
			text.WriteString("\x02" + part.User)
		case *ast.Output:
			text.WriteString(shapeOfOutput(part))
		}
	}
	return text.String()
}
