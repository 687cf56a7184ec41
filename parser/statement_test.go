package parser

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ftsh/ast"
)

// header is a try with nothing but its first line.
func header(change func(*ast.Try)) *ast.Try {
	t := &ast.Try{Body: body(cmd("x"))}
	change(t)
	return t
}

func TestTryHeader(t *testing.T) {
	v := func(name string) ast.Term { return ast.Term{Amount: val(ref(name))} }
	tests := map[string]func(*ast.Try){
		"try":                         func(t *ast.Try) {},
		"try for 30 minutes":          func(t *ast.Try) { t.For = lasts(term(30, ast.Minute)) },
		"try 5 times":                 func(t *ast.Try) { t.Times = val(5) },
		"try 1 time 10 seconds":       func(t *ast.Try) { t.Times, t.For = val(1), lasts(term(10, ast.Second)) },
		"try for 3 days or 100 times": func(t *ast.Try) { t.For, t.Times = lasts(term(3, ast.Day)), val(100) },
		"try 1 hour 30 m 5 ms": func(t *ast.Try) {
			t.For = lasts(term(1, ast.Hour), term(30, ast.Minute), term(5, ast.Millisecond))
		},
		"try 90s": func(t *ast.Try) { t.For = lasts(ast.Term{Amount: val("90s")}) },
		"try for 1h30m 250ms": func(t *ast.Try) {
			t.For = lasts(ast.Term{Amount: val("1h30m")}, ast.Term{Amount: val("250ms")})
		},
		"try for $n times or $t": func(t *ast.Try) { t.Times, t.For = val(ref("n")), lasts(v("t")) },
		"try $n s": func(t *ast.Try) {
			t.For = lasts(ast.Term{Amount: val(ref("n")), Unit: ast.Second})
		},
		"try 1.5 seconds": func(t *ast.Try) {
			t.For = lasts(ast.Term{Amount: val("1.5"), Unit: ast.Second})
		},
		"try 1 .add. 1 minutes": func(t *ast.Try) {
			t.For = lasts(ast.Term{Amount: bin(val(1), ast.Add, val(1)), Unit: ast.Minute})
		},
		"try f(1) times":       func(t *ast.Try) { t.Times = &ast.Call{Name: "f", Args: []ast.Expr{val(1)}} },
		"try each 5 s":         func(t *ast.Try) { t.Each = lasts(term(5, ast.Second)) },
		"try each 5 s 3 times": func(t *ast.Try) { t.Each, t.Times = lasts(term(5, ast.Second)), val(3) },
		"try 3 times every 1 s 5 ms": func(t *ast.Try) {
			t.Times, t.Every = val(3),
				lasts(term(1, ast.Second), term(5, ast.Millisecond))
		},
		"try every 2 s for 5 m": func(t *ast.Try) {
			t.For, t.Every = lasts(term(5, ast.Minute)),
				lasts(term(2, ast.Second))
		},
		"try 2 times backoff full": func(t *ast.Try) { t.Times, t.Backoff = val(2), &ast.Backoff{Policy: "full"} },
		"try 2 times backoff exact by 1.5": func(t *ast.Try) {
			t.Times, t.Backoff = val(2),
				&ast.Backoff{Policy: "exact", By: val("1.5")}
		},
		"try 2 times backoff normal to 1 m jitter 0.2 from 1 s": func(t *ast.Try) {
			t.Times = val(2)
			t.Backoff = &ast.Backoff{Policy: "normal", From: lasts(term(1, ast.Second)), To: lasts(term(1, ast.Minute)),
				Jitter: val("0.2")}
		},
		"try 2 times only on 75 timeout 64 .to. 78 $k": func(t *ast.Try) {
			t.Times = val(2)
			t.On = &ast.Conditions{List: []ast.Condition{{Value: val(75)}, {Value: val("timeout")},
				{Value: &ast.Range{From: val(64), To: val(78)}}, {Value: val(ref("k"))}}}
		},
		"try except on matching for 2 for 5 times": func(t *ast.Try) {
			t.Times = val(5)
			t.On = &ast.Conditions{Except: true, List: []ast.Condition{{Matching: word(lit("for"))}, {Value: val(2)}}}
		},
	}
	for text, change := range tests {
		t.Run(text, func(t *testing.T) { check(t, text+"\nx\nend\n", header(change)) })
	}
}

var varX = ast.Var{Name: "x"}

var statementsCases = map[string]struct {
	text string
	want ast.Node
}{
	"assignment":     {"x=a", set("x", val("a"))},
	"blanks after =": {"x= \t a", set("x", val("a"))},
	"empty":          {"x=", set("x", nil)},
	"empty, comment": {"x= # c", set("x", nil)},
	"hash at once":   {"x=#a", set("x", val("#a"))},
	"no glob":        {"x=*.[ch]", set("x", val("*.[ch]"))},
	"comma":          {"x=a,", set("x", val("a,"))},
	"keyword's name": {"try=for", set("try", val("for"))},
	"try sections": {"try\na\ncatch\nb\nfinally\nc\nend",
		&ast.Try{Body: body(cmd("a")), Catch: bodyOf(cmd("b")), Finally: bodyOf(cmd("c"))}},
	"empty try":   {"try\nend", &ast.Try{}},
	"empty catch": {"try\ncatch\nend", &ast.Try{Catch: &ast.Group{}}},
	"on one line": {"try 2 times; a; b; catch; c; end",
		&ast.Try{Times: val(2), Body: body(cmd("a"), cmd("b")), Catch: bodyOf(cmd("c"))}},
	"for": {"for x in a \"b c\"\ny\nend",
		&ast.For{Var: varX, List: []ast.Expr{val("a"), val(double("b c"))}, Body: body(cmd("y"))}},
	"for keywords": {"for in in in end try\nend",
		&ast.For{Var: ast.Var{Name: "in"}, List: []ast.Expr{val("in"), val("end"), val("try")}}},
	"commas": {"for x in a, b,c, d ,e\nend",
		&ast.For{Var: varX, List: []ast.Expr{val("a"), val("b,c"), val("d"), val(",e")}}},
	"escaped comma": {`for x in a\, "b,"` + "\nend",
		&ast.For{Var: varX, List: []ast.Expr{val(raw("a,", `a\,`)), val(double("b,"))}}},
	"ranges in a list": {"for x in a 1 .to. 3 .lines. $t f(1)\nend",
		&ast.For{Var: varX, List: []ast.Expr{val("a"), &ast.Range{From: val(1), To: val(3)}, un(ast.Lines, val(ref("t"))),
			&ast.Call{Name: "f", Args: []ast.Expr{val(1)}}}}},
	"list globs": {"for x in *.c\nend",
		&ast.For{Var: varX, List: []ast.Expr{val(word(&ast.Glob{Pattern: "*"}, lit(".c")))}}},
	"forany": {"forany x in a .inorder. .hedge. 2 seconds\nend",
		&ast.For{Kind: ast.Any, Var: varX, List: []ast.Expr{val("a")}, Inorder: true, Hedge: lasts(term(2, ast.Second))}},
	"hedge time": {"forany x in a .hedge. 90s .inorder.\nend",
		&ast.For{Kind: ast.Any, Var: varX, List: []ast.Expr{val("a")}, Inorder: true,
			Hedge: lasts(ast.Term{Amount: val("90s")})}},
	"forall": {"forall x in a .limit. 2 .add. $n .keepgoing.\nend",
		&ast.For{Kind: ast.All, Var: varX, List: []ast.Expr{val("a")}, Limit: bin(val(2), ast.Add, val(ref("n"))),
			Keepgoing: true}},
	"while": {"while $x .lt. 3\na\nend",
		&ast.While{Test: ast.Test{Expr: bin(val(ref("x")), ast.Lt, val(3))}, Body: body(cmd("a"))}},
	"while try": {"while try a b\nc\nend", &ast.While{Test: ast.Test{Try: cmd("a", "b")}, Body: body(cmd("c"))}},
	"if": {"if true\na\nend",
		&ast.If{Branches: []ast.Branch{{Test: ast.Test{Expr: val("true")}, Body: body(cmd("a"))}}}},
	"if try pipeline": {"if try a | b\nend",
		&ast.If{Branches: []ast.Branch{
			{Test: ast.Test{Try: &ast.Pipeline{Stages: []*ast.Command{cmd("a"), cmd("b")}, Joins: []ast.Join{{}}}}}}}},
	"else if": {"if a\nelse if b\nx\nelse \\\n if try c\nelse\ny\nend",
		&ast.If{Branches: []ast.Branch{{Test: ast.Test{Expr: val("a")}},
			{Test: ast.Test{Expr: val("b")}, Body: body(cmd("x"))}, {Test: ast.Test{Try: cmd("c")}}}, Else: bodyOf(cmd("y"))}},
	"nested": {"if a\nif b\nend\nelse\nend",
		&ast.If{Branches: []ast.Branch{
			{Test: ast.Test{Expr: val("a")}, Body: body(&ast.If{Branches: []ast.Branch{{Test: ast.Test{Expr: val("b")}}}})}},
			Else: &ast.Group{}}},
	"function": {"function f\nreturn $1\nend",
		&ast.Function{Name: "f", Body: body(&ast.Return{Value: val(&ast.Ref{Kind: ast.Positional, Name: "1", Index: 1})})}},
	"return":          {"function f\nreturn\nend", &ast.Function{Name: "f", Body: body(&ast.Return{})}},
	"shift":           {"shift", &ast.Shift{}},
	"shift n":         {"shift 2", &ast.Shift{By: val(2)}},
	"export":          {"export x", &ast.Export{Var: varX}},
	"export value":    {"export x=1 .add. 2", &ast.Export{Var: varX, Assign: true, Value: bin(val(1), ast.Add, val(2))}},
	"export empty":    {"export x=", &ast.Export{Var: varX, Assign: true}},
	"secret":          {"secret x", &ast.Secret{Vars: []ast.Var{varX}}},
	"secrets":         {"secret x \\\n end # c", &ast.Secret{Vars: []ast.Var{varX, {Name: "end"}}}},
	"habit function":  {"function wait\nend", &ast.Function{Name: "wait"}},
	"quoted habit":    {`"set" x`, cmd(double("set"), "x")},
	"[ is a program":  {`[ a = a ]`, cmd("[", "a", "=", "a", "]")},
	"sense elsewhere": {`sense x`, cmd("sense", "x")},
	"slots elsewhere": {`slots 4`, cmd("slots", "4")},
	"resource": {"resource r\nslots 4\nbudget 2 percent at least 5 per minute\nbreaker 5 failures in 1 m\nsense\na\n" +
		"end\nend", &ast.Resource{Name: "r", Body: body(
		&ast.Slots{Count: val(4)}, &ast.Budget{Percent: val(2), AtLeast: val(5)},
		&ast.Breaker{Failures: val(5), Within: lasts(term(1, ast.Minute))}, &ast.Sense{Body: body(cmd("a"))})}},
	"probe": {"resource r\nbreaker 1 failure in 2 s probe every 3 s\nend", &ast.Resource{Name: "r", Body: body(
		&ast.Breaker{Failures: val(1), Within: lasts(term(2, ast.Second)), Probe: lasts(term(3, ast.Second))})}},
	"in elsewhere":    {`in x`, cmd("in", "x")},
	"keyword, joined": {"tr\\\ny\nen\\\r\nd", &ast.Try{}},
	"crlf":            {"try\r\na\r\nend\r\n", &ast.Try{Body: body(cmd("a"))}},
}

func TestStatements(t *testing.T) {
	for name, test := range statementsCases {
		t.Run(name, func(t *testing.T) { check(t, test.text, test.want) })
	}
}

func TestExpressions(t *testing.T) {
	a, b, c := val("a"), val("b"), val("c")
	tests := map[string]ast.Expr{
		"1 .add. 2 .mul. 3":         bin(val(1), ast.Add, bin(val(2), ast.Mul, val(3))),
		"1 .sub. 2 .sub. 3":         bin(bin(val(1), ast.Sub, val(2)), ast.Sub, val(3)),
		"(1 .add. 2) .mul. 3":       bin(paren(bin(val(1), ast.Add, val(2))), ast.Mul, val(3)),
		"2 .pow. 3 .pow. 2":         bin(bin(val(2), ast.Pow, val(3)), ast.Pow, val(2)),
		"2 .mul. 3 .pow. 2":         bin(val(2), ast.Mul, bin(val(3), ast.Pow, val(2))),
		"a .or. b .and. c":          bin(a, ast.Or, bin(b, ast.And, c)),
		"a .eq. b .or. c .ne. a":    bin(bin(a, ast.Eq, b), ast.Or, bin(c, ast.Ne, a)),
		"a .eq. b .add. c":          bin(a, ast.Eq, bin(b, ast.Add, c)),
		".not. a .eq. b":            bin(un(ast.Not, a), ast.Eq, b),
		".not. .exists. a .and. b":  bin(un(ast.Not, un(ast.Exists, a)), ast.And, b),
		".not. a .pow. b":           un(ast.Not, bin(a, ast.Pow, b)),
		"1 .add. .not. a":           bin(val(1), ast.Add, un(ast.Not, a)),
		"1 .to. 3":                  &ast.Range{From: val(1), To: val(3)},
		"1 .to. 3 .add. 1 .step. 2": &ast.Range{From: val(1), To: bin(val(3), ast.Add, val(1)), Step: val(2)},
		"(1 .to. 3)":                paren(&ast.Range{From: val(1), To: val(3)}),
		"f()":                       &ast.Call{Name: "f"},
		"f( )":                      &ast.Call{Name: "f"},
		"f(1,2 ,\"a,b\")":           &ast.Call{Name: "f", Args: []ast.Expr{val(1), val(2), val(double("a,b"))}},
		"f(g(1), (2)) .add. 1": bin(&ast.Call{Name: "f",
			Args: []ast.Expr{&ast.Call{Name: "g", Args: []ast.Expr{val(1)}}, paren(val(2))}}, ast.Add, val(1)),
		"f (a)":                            nil,
		"-7":                               val(-7),
		"007":                              val("007"),
		"+7":                               val("+7"),
		"9223372036854775808":              val("9223372036854775808"),
		".x":                               val(".x"),
		"..":                               val(".."),
		"1.add.2":                          val("1.add.2"),
		"'.add.'":                          val(single(".add.")),
		"$a .matches. ^b.*$":               bin(val(ref("a")), ast.Matches, val("^b.*$")),
		"a\\\n .eq. b":                     bin(a, ast.Eq, b),
		"((a))":                            paren(paren(a)),
		"( .not. a ).and.b":                nil,
		"a .lt. b .and. (b .le. c) .or. a": bin(bin(bin(a, ast.Lt, b), ast.And, paren(bin(b, ast.Le, c))), ast.Or, a),
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			if want != nil {
				check(t, "x="+text, set("x", want))
			} else if _, err := Parse(&ast.Source{Text: "x=" + text}, Config{}); err == nil {
				t.Errorf("%q: no error", text)
			}
		})
	}
}

func TestPipelines(t *testing.T) {
	two := func(j ast.Join) *ast.Pipeline {
		return &ast.Pipeline{Stages: []*ast.Command{cmd("a", "b"), cmd("c")}, Joins: []ast.Join{j}}
	}
	check(t, "a b | c", two(ast.Join{}))
	check(t, "a b|c", two(ast.Join{}))
	check(t, "a b |& c", two(ast.Join{Stderr: true}))
	check(t, "a b |\n\n  # why\n c", two(ast.Join{Broken: true}))
	check(t, "a | b |&\nc > f", &ast.Pipeline{
		Stages: []*ast.Command{cmd("a"), cmd("b"), cmd("c", &ast.Redirect{Op: ast.Out, FD: -1, Target: word(lit("f"))})},
		Joins:  []ast.Join{{}, {Stderr: true, Broken: true}}})
}

func TestLocals(t *testing.T) {
	file, err := Parse(&ast.Source{Text: `
function f
	x=$a$b
	local a=1
	if $a .eq. b
		local b
	end
	echo $a -> b
	local a
end
function g
	x=$a
end
`}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	f := file.Functions[0]
	if diff := cmp.Diff([]string{"a", "b"}, f.Locals); diff != "" {
		t.Error(diff)
	}
	parts := f.Body.List[0].Node.(*ast.Assign).Value.(*ast.Operand).Word.Parts
	echo := f.Body.List[3].Node.(*ast.Command)
	g := file.Functions[1].Body.List[0].Node.(*ast.Assign).Value.(*ast.Operand).Word.Parts
	for i, test := range []struct {
		v     ast.Var
		local int
	}{
		{f.Body.List[0].Node.(*ast.Assign).Var, 0},
		{parts[0].(*ast.Ref).Var, 1}, // even before the declaration
		{parts[1].(*ast.Ref).Var, 2},
		{f.Body.List[1].Node.(*ast.Local).Var, 1},
		{echo.Redirects[0].Var, 2},
		{g[0].(*ast.Ref).Var, 0},
	} {
		if test.v.Local != test.local || test.v.Name != file.Names.Name(test.v.Number) {
			t.Errorf("%d: %+v, want local %d", i, test.v, test.local)
		}
	}
}

func TestReadsStderr(t *testing.T) {
	for text, want := range map[string]bool{"echo ${error.stderr}": true, "echo \"${x:-${error.stderr}}\"": true,
		"echo ${error.kind} error.stderr": false} {
		if file, err := Parse(&ast.Source{Text: text}, Config{}); err != nil || file.ReadsStderr != want {
			t.Errorf("%q: %v, %v", text, file.ReadsStderr, err)
		}
	}
}

func TestReadsCommand(t *testing.T) {
	for text, want := range map[string]bool{"echo ${error.command}": true, "echo \"${x:-${error.summary}}\"": true,
		"echo ${error.message}": false} {
		if file, err := Parse(&ast.Source{Text: text}, Config{}); err != nil || file.ReadsCommand != want {
			t.Errorf("%q: %v, %v", text, file.ReadsCommand, err)
		}
	}
}

// TestSecretsOfAFile holds that a file tells of every name that a secret makes so, wherever that stands, once.
func TestSecretsOfAFile(t *testing.T) {
	file, err := Parse(&ast.Source{Text: "secret a b\nfunction f\nlocal c\nif true\nsecret c a\nend\nend"}, Config{})
	if want := []string{"a", "b", "c"}; err != nil || !slices.Equal(file.Secrets, want) {
		t.Errorf("%q, %v, want %q", file.Secrets, err, want)
	}
}
