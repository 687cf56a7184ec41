package parser

import (
	"testing"

	"ftsh/ast"
)

func one(n int) *ast.Ref { return &ast.Ref{Kind: ast.Positional, Name: itoa(n), Index: n} }

func special(name string, kind ast.RefKind) *ast.Ref { return &ast.Ref{Kind: kind, Name: name} }

func curly(r *ast.Ref) *ast.Ref { r.Braced = ast.Curly; return r }

var wordsCases = map[string]struct {
	text string
	want *ast.Command
}{
	"plain":          {`a b  c`, cmd("a", "b", "c")},
	"tabs":           {"a\tb\t", cmd("a", "b")},
	"keywords":       {`echo end try if catch in for`, cmd("echo", "end", "try", "if", "catch", "in", "for")},
	"operators":      {`echo .eq. .not. a,b ,`, cmd("echo", ".eq.", ".not.", "a,b", ",")},
	"equals":         {`dd if=x --a=b = a=`, cmd("dd", "if=x", "--a=b", "=", "a=")},
	"quoted keyword": {`'try' x`, cmd(single("try"), "x")},
	"escapes": {`a\ b \; \\ \$x \é`,
		cmd(raw("a b", `a\ b`), raw(";", `\;`), raw(`\`, `\\`), raw("$x", `\$x`), raw("é", `\é`))},
	"hash inside": {`a#b c`, cmd("a#b", "c")},
	"single": {`x 'a b' '' '$x\n' 'it\'s' '\\'`,
		cmd("x", single("a b"), single(""), single(`$x\n`), &ast.Lit{Text: "it's", Raw: `it\'s`, Quote: ast.Single},
			single(`\\`))},
	"double": {`x "a b" ""`, cmd("x", double("a b"), double(""))},
	"double escapes": {`x "\"\\\$\'\` + "`" + `\n"`,
		cmd("x", &ast.Lit{Text: "\"\\$'`\\n", Raw: "\\\"\\\\\\$\\'\\`\\n", Quote: ast.Double,
			Edge: ast.Edge{Open: true, Shut: true}})},
	"double lines":        {"x \"a\nb\"", cmd("x", double("a\nb"))},
	"double crlf":         {"x \"a\r\nb\" 'c\r\nd'\r\n", cmd("x", double("a\nb"), single("c\nd"))},
	"double continuation": {"x \"a\\\nb\"", cmd("x", double("ab"))},
	"single continuation": {"x 'a\\\nb'", cmd("x", single("a\\\nb"))},
	"adjacent":            {`a"b"'c'$d`, cmd(word(lit("a"), double("b"), single("c"), ref("d")))},
	"two strings":         {`"a""b"`, cmd(word(double("a"), double("b")))},
	"references": {`x $a ${b} $(c)`,
		cmd("x", ref("a"), curly(ref("b")), &ast.Ref{Name: "c", Var: ast.Var{Name: "c"}, Braced: ast.Round})},
	"adjacent references": {`$a$b.c`, cmd(word(ref("a"), ref("b"), lit(".c")))},
	"positional": {`x $1 $0 $9 ${10} $1x`,
		cmd("x", one(1), one(0), one(9), curly(one(10)), word(one(1), lit("x")))},
	"shorter portions": {`x ${a##b} ${a%b}`, cmd("x",
		&ast.Ref{Name: "a", Var: ast.Var{Name: "a"}, Braced: ast.Curly, Portion: ast.WithoutLongestPrefix,
			Pattern: word(&ast.Lit{Text: "b", Raw: "b", Quote: ast.Double})},
		&ast.Ref{Name: "a", Var: ast.Var{Name: "a"}, Braced: ast.Curly, Portion: ast.WithoutSuffix,
			Pattern: word(&ast.Lit{Text: "b", Raw: "b", Quote: ast.Double})})},
	"special": {`x $# $@ $* $$ "$@" ${@} "${@}"`,
		cmd("x", special("#", ast.Count), special("@", ast.Arguments), special("*", ast.Joined),
			special("$", ast.ProcessID), alone(special("@", ast.Arguments)), curly(special("@", ast.Arguments)),
			alone(curly(special("@", ast.Arguments))))},
	"dotted": {`x ${try.attempt}`,
		cmd("x", curly(&ast.Ref{Kind: ast.Shell, Name: "try.attempt", Dotted: ast.TryAttempt}))},
	"lone dollar":  {`x $ $= "x$" "$" a$`, cmd("x", "$", "$=", double("x$"), double("$"), "a$")},
	"dollar quote": {`$"a"`, cmd(word(lit("$"), double("a")))},
	"in a string": {`"a $b c"`, cmd(
		word(&ast.Lit{Text: "a ", Raw: "a ", Quote: ast.Double, Edge: ast.Edge{Open: true}}, inDouble(ref("b")),
			&ast.Lit{Text: " c", Raw: " c", Quote: ast.Double, Edge: ast.Edge{Shut: true}}))},
	"default": {`${a:-b c}`,
		cmd(&ast.Ref{Name: "a", Var: ast.Var{Name: "a"}, Braced: ast.Curly,
			Default: word(&ast.Lit{Text: "b c", Raw: "b c", Quote: ast.Double})})},
	"empty default": {`${1:-}`, cmd(&ast.Ref{Kind: ast.Positional, Name: "1", Index: 1, Braced: ast.Curly,
		Default: word(&ast.Lit{Quote: ast.Double})})},
	"nested default": {`${a:-${b:-c}}`,
		cmd(&ast.Ref{Name: "a", Var: ast.Var{Name: "a"}, Braced: ast.Curly,
			Default: word(&ast.Ref{Name: "b", Var: ast.Var{Name: "b"}, Quote: ast.Double, Braced: ast.Curly,
				Default: word(&ast.Lit{Text: "c", Raw: "c", Quote: ast.Double})})})},
	"portions": {`${a#*/} "${1%%[/-9]\*?$b}" ${#a}`, cmd(
		&ast.Ref{Name: "a", Var: ast.Var{Name: "a"}, Braced: ast.Curly, Portion: ast.WithoutPrefix,
			Pattern: word(&ast.Glob{Pattern: "*"}, &ast.Lit{Text: "/", Raw: "/", Quote: ast.Double})},
		&ast.Ref{Kind: ast.Positional, Name: "1", Index: 1, Quote: ast.Double, Braced: ast.Curly,
			Edge: ast.Edge{Open: true, Shut: true}, Portion: ast.WithoutLongestSuffix, Pattern: word(
				&ast.Glob{Pattern: "[/-9]"}, &ast.Lit{Text: "*", Raw: `\*`, Quote: ast.Double}, &ast.Glob{Pattern: "?"},
				inDouble(ref("b")))},
		&ast.Ref{Name: "a", Var: ast.Var{Name: "a"}, Braced: ast.Curly, Portion: ast.Length})},
	"brace in default": {`${a:-\}'}`,
		cmd(&ast.Ref{Name: "a", Var: ast.Var{Name: "a"}, Braced: ast.Curly,
			Default: word(&ast.Lit{Text: "}'", Raw: `\}'`, Quote: ast.Double})})},
	"globs": {`*.c a?b [a-z]x`,
		cmd(word(&ast.Glob{Pattern: "*"}, lit(".c")), word(lit("a"), &ast.Glob{Pattern: "?"}, lit("b")),
			word(&ast.Glob{Pattern: "[a-z]"}, lit("x")))},
	"sets": {`[!a] []a] [a\]b] [^]]`,
		cmd(&ast.Glob{Pattern: "[!a]"}, &ast.Glob{Pattern: "[]a]"}, &ast.Glob{Pattern: `[a\]b]`},
			&ast.Glob{Pattern: "[^]]"})},
	"no sets":           {`[ [] [a/b] [$x] a]`, cmd("[", "[]", "[a/b]", word(lit("["), ref("x"), lit("]")), "a]")},
	"url is no pattern": {`get http://x/?a=[1]*`, cmd("get", "http://x/?a=[1]*")},
	"quoted glob":       {`x "*" '?' \*`, cmd("x", double("*"), single("?"), raw("*", `\*`))},
	"tilde": {`~ ~/x ~bob/y a~ ~$x x~/y`,
		cmd(&ast.Tilde{}, word(&ast.Tilde{}, lit("/x")), word(&ast.Tilde{User: "bob"}, lit("/y")), "a~",
			word(lit("~"), ref("x")), "x~/y")},
	"continuation":   {"a \\\n  b c\\\nd", cmd("a", &ast.Word{Parts: []ast.Part{lit("b")}, Broken: true}, "cd")},
	"continued name": {"$na\\\nme e\\\r\nf", cmd(ref("name"), "ef")},
	"not ascii":      {`größe € "ü"`, cmd("größe", "€", double("ü"))},
	"braces": {`\{a,b\} a{ }x {} a{b} {a},{b}`,
		cmd(raw("{a,b}", `\{a,b\}`), "a{", "}x", "{}", "a{b}", "{a},{b}")},
	"path of a habit": {`/bin/test x`, cmd("/bin/test", "x")},
}

func TestWords(t *testing.T) {
	for name, test := range wordsCases {
		t.Run(name, func(t *testing.T) { check(t, test.text, test.want) })
	}
}

// A file of UTF-8 may begin with a mark that says so.
func TestByteOrderMark(t *testing.T) {
	check(t, "\ufeffecho a\n", cmd("echo", "a"))
}

func TestInvalidUTF8IsKeptInQuotes(t *testing.T) {
	check(t, "echo '\xff' \"\xfe\" # \xfd\x00\n", cmd("echo", single("\xff"), double("\xfe")))
}
