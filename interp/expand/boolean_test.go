package expand_test

import (
	"context"
	"strings"
	"testing"

	"ftsh/ast"
	"ftsh/interp/expand"
)

// TestNegationMeant holds what is said where .not. takes less than was meant, and that it is said only there.
func TestNegationMeant(t *testing.T) {
	for text, want := range map[string]string{
		`.not. $x .matches. "re"`:                         ".not. ($x .matches. …)",
		`.not. "$x$x" .eq. re`:                            `.not. ("$x$x" .eq. …)`,
		`.not. ($x) .lt. 5`:                               ".not. (($x) .lt. …)",
		`true .and. .not. $x .neql. 5`:                    ".not. ($x .neql. …)",
		`.not. $x`:                                        "",
		`(.not. $x) .and. true`:                           "",
		`.not. true .eq. $y .and. $x`:                     "",
		`.not. ($x .eql. 5) .and. true`:                   "",
		`.not. (true .and. $x) .and. true`:                "",
		`.not. "` + strings.Repeat("a", 58) + `" .eq. re`: `.not. ("` + strings.Repeat("a", 58) + `" .eq. …)`,
		`.not. "` + strings.Repeat("a", 59) + `" .eq. re`: "",
	} {
		test := parse(t, "if "+text+"\nend\n").(*ast.If).Branches[0].Test.Expr
		_, err := expand.Truth(context.Background(), expand.With(nil, "x", "abc", "y", "false"), test)
		if err == nil {
			t.Errorf("%s: no error", text)
			continue
		}
		if _, got, _ := strings.Cut(strings.TrimSuffix(err.Error(), ")"), "; write  "); got != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
