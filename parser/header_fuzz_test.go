package parser

import (
	"strings"
	"testing"

	"ftsh/ast"
)

// The first line of a try is a small language of its own: whatever stands there,
// it is one try with one group, or it has an error in that line.
func FuzzTryHeader(f *testing.F) {
	for _, seed := range []string{
		"for 1 hour", "5 times each 2 s", "for 3 days or 100 times every 1h30m",
		"for $n times backoff full from 500 ms to 30 seconds by 1.5 jitter 0.2",
		"90s only on 75 64 .to. 78 timeout matching \"a b\"", "1 time except on 2 missing $kinds",
		"for (1 .add. 1) minutes 30 seconds", "f(1,2) times", "0 times backoff", "only on", "each",
		"key night unknown on 5 matching lost 1 hour", "unknown on timeout key \"a b\" 5 times via x", "key", "unknown on",
		"key a key b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if strings.ContainsAny(header, "\n;#<\\'\"`${\x00") {
			t.Skip("it may not end where the line does")
		}
		text := "try " + header + "\ntrue\nend\n"
		file, err := Parse(&ast.Source{Name: "s", Text: text}, Config{Functions: []string{"f"}})
		checkList(t, text, err)
		if err != nil {
			return
		}
		n, ok := file.Body.List[0].Node.(*ast.Try)
		if !ok || len(file.Body.List) != 1 || len(n.Body.List) != 1 {
			t.Fatalf("%q: %d statements, the first is %T", text, len(file.Body.List), file.Body.List[0].Node)
		}
	})
}
