package parser

import (
	"testing"

	"ftsh/ast"
)

func to(op ast.RedirectOp, fd int, file string) *ast.Redirect {
	return &ast.Redirect{Op: op, FD: fd, Target: word(lit(file))}
}

func into(op ast.RedirectOp, fd int, name string) *ast.Redirect {
	return &ast.Redirect{Op: op, FD: fd, Var: ast.Var{Name: name}}
}

func TestRedirections(t *testing.T) {
	dup := func(op ast.RedirectOp, fd, from int) *ast.Redirect {
		return &ast.Redirect{Op: op, FD: fd, Dup: from}
	}
	tests := map[string]*ast.Command{
		"a < f":        cmd("a", to(ast.In, -1, "f")),
		"a 3<f":        cmd("a", to(ast.In, 3, "f")),
		"a > f b":      cmd("a", "b", to(ast.Out, -1, "f")),
		"a2>f":         cmd("a2", to(ast.Out, -1, "f")),
		"a 2>f":        cmd("a", to(ast.Out, 2, "f")),
		"a 12>f":       cmd("a", "12", to(ast.Out, -1, "f")),
		"a 2 > f":      cmd("a", "2", to(ast.Out, -1, "f")),
		"a >> f 2>> g": cmd("a", to(ast.Append, -1, "f"), to(ast.Append, 2, "g")),
		"a => f":       cmd("a", to(ast.Atomic, -1, "f")),
		"a b=>f":       cmd("a", "b=", to(ast.Out, -1, "f")),
		"a >& f":       cmd("a", to(ast.Both, -1, "f")),
		"a &> f":       cmd("a", to(ast.Both, -1, "f")),
		"a >>& f":      cmd("a", to(ast.AppendBoth, -1, "f")),
		"a &>> f":      cmd("a", to(ast.AppendBoth, -1, "f")),
		"a >&2":        cmd("a", dup(ast.DupOut, -1, 2)),
		"a >& 2":       cmd("a", dup(ast.DupOut, -1, 2)),
		"a 2>&1":       cmd("a", dup(ast.DupOut, 2, 1)),
		"a >& 22":      cmd("a", to(ast.Both, -1, "22")),
		"a >& ./2":     cmd("a", to(ast.Both, -1, "./2")),
		"a <&3":        cmd("a", dup(ast.DupIn, -1, 3)),
		"a 4<& 3":      cmd("a", dup(ast.DupIn, 4, 3)),
		"a -> v":       cmd("a", into(ast.ToVar, -1, "v")),
		"a->v":         cmd("a-", to(ast.Out, -1, "v")),
		"a ->v":        cmd("a", into(ast.ToVar, -1, "v")),
		"a 2-> v":      cmd("a", into(ast.ToVar, 2, "v")),
		"a ->> v":      cmd("a", into(ast.AppendVar, -1, "v")),
		"a 2->>v":      cmd("a", into(ast.AppendVar, 2, "v")),
		"a ->& v":      cmd("a", into(ast.BothVar, -1, "v")),
		"a ->>& v":     cmd("a", into(ast.AppendBothVar, -1, "v")),
		"a -< v":       cmd("a", into(ast.FromVar, -1, "v")),
		"a 3-< v":      cmd("a", into(ast.FromVar, 3, "v")),
		"a --b -":      cmd("a", "--b", "-"),
		"> f":          cmd(to(ast.Out, -1, "f")),
		"> f a":        cmd("a", to(ast.Out, -1, "f")),
		"a > *.c":      cmd("a", to(ast.Out, -1, "*.c")),
		"a > $f\"b\"":  cmd("a", &ast.Redirect{Op: ast.Out, FD: -1, Target: word(ref("f"), double("b"))}),
		"a > ~/f":      cmd("a", &ast.Redirect{Op: ast.Out, FD: -1, Target: word(&ast.Tilde{}, lit("/f"))}),
		"a \\> b":      cmd("a", raw(">", `\>`), "b"),
		"a '>' f":      cmd("a", single(">"), "f"),
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) { check(t, text, want) })
	}
}

func TestRedirectedBlock(t *testing.T) {
	file, err := Parse(&ast.Source{Text: "try\na\nend > f 2-> v # why\n"}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	s := file.Body.List[0]
	if len(s.Redirects) != 2 || s.Redirects[0].Op != ast.Out || s.Redirects[1].Var.Name != "v" || s.After != "# why" {
		t.Errorf("%+v", s)
	}
}

func TestHereDocuments(t *testing.T) {
	part := func(text string) *ast.Lit { return &ast.Lit{Text: text, Raw: text, Quote: ast.Document} }
	written := func(text, raw string) *ast.Lit { return &ast.Lit{Text: text, Raw: raw, Quote: ast.Document} }
	inside := func(r *ast.Ref) *ast.Ref { r.Quote = ast.Document; return r }
	doc := func(delimiter any, parts ...ast.Part) *ast.Redirect {
		r := to(ast.Here, -1, "")
		r.Target = val(delimiter).Word
		r.Body = word(parts...)
		return r
	}
	tabs := func(r *ast.Redirect) *ast.Redirect { r.Op = ast.HereTabs; return r }
	tests := map[string]struct {
		text string
		want []ast.Node
	}{
		"expanded": {"cat << E\na $x\nE\nb\n",
			[]ast.Node{cmd("cat", doc("E", part("a "), inside(ref("x")), part("\n"))), cmd("b")}},
		"quoted":       {"cat << 'E'\n$x\\\n\nE\n", []ast.Node{cmd("cat", doc(single("E"), single("$x\\\n\n")))}},
		"escaped word": {"cat << \\E\n$x\nE\n", []ast.Node{cmd("cat", doc(raw("E", `\E`), single("$x\n")))}},
		"empty":        {"cat << E\nE\n", []ast.Node{cmd("cat", doc("E", part("")))}},
		"escapes": {"cat << E\n\\$x \\\" \\' \\\\ \\`\nE\n",
			[]ast.Node{cmd("cat", doc("E", written("$x \\\" \\' \\ `\n", "\\$x \\\" \\' \\\\ \\`\n")))}},
		"joined lines":    {"cat << E\na\\\nE\nE\n", []ast.Node{cmd("cat", doc("E", written("aE\n", "a\\\nE\n")))}},
		"quotes are text": {"cat << E\n\"a' #b\nE\n", []ast.Node{cmd("cat", doc("E", part("\"a' #b\n")))}},
		"tabs": {"cat <<- E\n\ta\n\t\t$x\n\tE\n",
			[]ast.Node{cmd("cat", tabs(doc("E", written("a\n", "\ta\n\t\t"), inside(ref("x")), part("\n"))))}},
		"tabs, quoted": {"cat <<- 'E'\n\ta\n\tE\n",
			[]ast.Node{cmd("cat", tabs(doc(single("E"), &ast.Lit{Text: "a\n", Raw: "\ta\n", Quote: ast.Single})))}},
		"two": {"cat << A 3<< B > f\na\nA\nb\nB\nc\n",
			[]ast.Node{cmd("cat", doc("A", part("a\n")),
				func() *ast.Redirect { r := doc("B", part("b\n")); r.FD = 3; return r }(), to(ast.Out, -1, "f")), cmd("c")}},
		"more on the line": {"cat << E; echo \"x\ny\"; b\na\nE\nc",
			[]ast.Node{cmd("cat", doc("E", part("a\n"))), cmd("echo", double("x\ny")), cmd("b"), cmd("c")}},
		"piped": {"cat << E | b\na\nE\n",
			[]ast.Node{&ast.Pipeline{Stages: []*ast.Command{cmd("cat", doc("E", part("a\n"))), cmd("b")},
				Joins: []ast.Join{{}}}}},
		"piped on": {"cat << E |\na\nE\n\n b\n",
			[]ast.Node{&ast.Pipeline{Stages: []*ast.Command{cmd("cat", doc("E", part("a\n"))), cmd("b")},
				Joins: []ast.Join{{Broken: true}}}}},
		"in a block": {"try\ncat << E\nend\nE\nend\n",
			[]ast.Node{&ast.Try{Body: body(cmd("cat", doc("E", part("end\n"))))}}},
		"after a block": {"try\na\nend << E\nb\nE\n", []ast.Node{&ast.Try{Body: body(cmd("a"))}}},
		"in a test": {"if try cat << E\na\nE\nb\nend\n",
			[]ast.Node{&ast.If{Branches: []ast.Branch{
				{Test: ast.Test{Try: cmd("cat", doc("E", part("a\n")))}, Body: body(cmd("b"))}}}}},
		"crlf":            {"cat << E\r\na\r\nE\r\nb\r\n", []ast.Node{cmd("cat", doc("E", part("a\n"))), cmd("b")}},
		"no last newline": {"cat << E\na\nE", []ast.Node{cmd("cat", doc("E", part("a\n")))}},
		"keyword":         {"cat << end\na\nend\n", []ast.Node{cmd("cat", doc("end", part("a\n")))}},
		"dash":            {"cat -<< E\na\nE\n", []ast.Node{cmd("cat", "-", doc("E", part("a\n")))}},
		"default": {"cat << E\n${x:-a\nb}\nE\n", []ast.Node{cmd("cat", doc("E", func() *ast.Ref {
			r := inside(ref("x"))
			r.Braced, r.Default = ast.Curly, word(&ast.Lit{Text: "a\nb", Raw: "a\nb", Quote: ast.Double})
			return r
		}(), part("\n")))}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { check(t, test.text, test.want...) })
	}
}
