package parser

import (
	"strings"
	"testing"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/lexer"
)

// sample has every construct of the language.
const sample = `#!/usr/bin/ftsh
# comment
x="a ${b:-c '} $d" ; y=(1 .add. 2) .mul. f(1, $x)
cat << E 2> /dev/null | tr a 'b
c' |& sort \
	-u -> v # comment
text $x
E
a |
	b
function f
	local z=$1
	return $z .add. 1
end
try for 3 days or 5 times each 1 s backoff full from 1 ms by 2 except on 2 missing matching "a b"
	echo ~/x *.c [a-z]? $@ "$*" ${10} $$ > f 2>&1
catch
	if .not. .exists. $x .and. ( $y .lt. 3 )
		echo a
	else if try grep x y
		shift 2
	else
		export q=1
	end
finally
	forany i in a, b 1 .to. 3 .inorder. .hedge. 2 seconds
		success
	end => out
end ->> log
resource r.1
	slots 4 # comment
	budget 10 percent at least $n per minute
	breaker 5 failures in 1 minute probe every 30 s
	sense
		true
	end
end
try for 1 s via r.1
end
forall i in .lines. $v .limit. 3 .keepgoing.
	while true
		if true
			continue
		end
		break
	end
	while try read -s : x rest
		set -- "${x%%*.[a-z]}" $@ ${#rest} \{a,b} ${1#a
b${2:-*}\}}
	end < f
end
`

func TestSampleIsValid(t *testing.T) {
	if _, err := Parse(&ast.Source{Name: "s", Text: sample}, Config{}); err != nil {
		t.Fatal(err)
	}
}

// Every beginning of a valid script is valid, or all that is wrong with it is that
// more is to come. The latter, if a block, a string or a document is open there.
func TestPrefixes(t *testing.T) {
	for i := range len(sample) {
		text := sample[:i]
		_, err := Parse(&ast.Source{Name: "s", Text: text}, Config{})
		checkList(t, text, err)
		list, _ := err.(diag.List)
		if isOpen(text) && len(list) == 0 || len(list) > 0 && !list[0].Incomplete {
			t.Errorf("cut at %q: not incomplete: %v", text[max(0, i-20):], err)
		}
	}
}

// isOpen reports whether something is open at the end of a text.
func isOpen(text string) bool {
	lx := lexer.New(text, false)
	for lx.More() {
		for _, tok := range lx.Unit() {
			if tok.Type == lexer.Missing || tok.Type == lexer.Unfinished {
				return true
			}
		}
	}
	return false
}

// checkList sees that errors are as they should be.
func checkList(t *testing.T, text string, err error) {
	t.Helper()
	list, ok := err.(diag.List)
	switch {
	case err == nil:
		return
	case !ok || len(list) == 0 || len(list) > 10:
		t.Errorf("%q: no list of at most ten: %v", text, err)
	}
	last := false
	for _, e := range list {
		switch {
		case last && !e.Incomplete:
			t.Errorf("%q: an error after what is incomplete: %v", text, err)
		case e.Incomplete != (e.Open != ""):
			t.Errorf("%q: open %q of %v", text, e.Open, e)
		case !e.Pos.IsValid() || e.Pos.Offset < 0 || int(e.Pos.Offset) > len(text):
			t.Errorf("%q: no place: %v", text, e)
		case strings.Contains(e.Message, "unexpected token") || strings.Contains(e.Message, "sub-expression") ||
			e.Message == "":
			t.Errorf("%q: not our words: %v", text, e)
		}
		last = e.Incomplete
		e.Text()
	}
}
