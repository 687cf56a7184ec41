package interp_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/ast/explain"
	"ftsh/interp"
	"ftsh/testdata/skip"
)

// TestExplained runs random nested scripts in virtual time, and holds the longest time that it sees against what
// --explain says: never less than what can happen.
func TestExplained(t *testing.T) {
	seed := rand.Uint64()
	dice := rand.New(rand.NewPCG(seed, 0))
	for range skip.Times(300, 60) {
		a := &planner{dice: dice}
		script := a.group(3, false)
		file := parse(t, script)
		most, unlimited := explain.Longest(file, explain.Config{IsBuiltin: func(name string) bool {
			return interp.IsBuiltin(name) || name == "perhaps"
		}})
		if unlimited != "" {
			t.Fatalf("seed %d: all is limited here, and explained is: no limit: %s\n%s", seed, unlimited, script)
		}
		for range 4 {
			var took time.Duration
			synctest.Test(t, func(t *testing.T) {
				b := &bubble{start: time.Now()}
				config := b.config()
				config.Seed = dice.Uint64()
				withBuiltins(&config, map[string]interp.Builtin{"perhaps": perhaps(dice)})
				_ = interp.New(config).Run(t.Context(), file)
				took = b.Now()
			})
			if took > most {
				t.Fatalf("seed %d: it took %v, and at most %v was explained\n%s", seed, took, most, script)
			}
		}
	}
}

// perhaps fails half of the time.
func perhaps(dice *rand.Rand) interp.Builtin {
	var mu sync.Mutex // branches have the same dice
	return func(context.Context, int, []string) error {
		mu.Lock()
		defer mu.Unlock()
		if dice.IntN(2) == 0 {
			return errors.New("no")
		}
		return nil
	}
}

// planner writes random scripts that only wait, fail and try again.
type planner struct{ dice *rand.Rand }

// group writes statements; limited tells that a try around cuts off what takes too long.
func (a *planner) group(depth int, limited bool) string {
	var text strings.Builder
	for range 1 + a.dice.IntN(2) {
		text.WriteString(a.statement(depth, limited))
	}
	return text.String()
}

func (a *planner) statement(depth int, limited bool) string {
	n := 1 + a.dice.IntN(4)
	if depth == 0 || a.dice.IntN(4) == 0 {
		leaves := []string{"perhaps\n", fmt.Sprintf("sleep %d\n", n)}
		if limited {
			leaves = append(leaves, "work 1h\n", fmt.Sprintf("retryafter %d\nperhaps\n", n))
		}
		return leaves[a.dice.IntN(len(leaves))]
	}
	body := a.group(depth-1, limited)
	switch a.dice.IntN(6) {
	case 0:
		return fmt.Sprintf("for i in 1 .to. %d\n%send\n", n, body)
	case 1:
		return fmt.Sprintf("forall i in 1 .to. %d .limit. 2\n%send\n", n, body)
	case 2:
		return fmt.Sprintf("forany i in 1 .to. %d .hedge. %d s\n%send\n", n, 1+a.dice.IntN(3), body)
	case 3:
		return fmt.Sprintf("if true\n%selse\n%send\n", body, a.group(depth-1, limited))
	}
	return a.try(depth, limited, n)
}

func (a *planner) try(depth int, limited bool, n int) string {
	clauses := [...]string{
		fmt.Sprintf("for %d s", 2*n), fmt.Sprintf("%d times", n), fmt.Sprintf("%d times every %d s", n, n),
		fmt.Sprintf("%d times backoff full from 1 s to 4 s", n), fmt.Sprintf("%d times backoff exact from 1 s to 4 s", n),
	}[a.dice.IntN(5)]
	key, verify := "", ""
	// past a limit it has the kill timeout, which is not explained
	if !strings.HasPrefix(clauses, "for") && a.dice.IntN(3) == 0 {
		key, verify = [...]string{"", " key k"}[a.dice.IntN(2)], "verify\nperhaps\nabsent\n"
	}
	text := "try " + clauses + key + " each 7 s\n" + a.group(depth-1, true) + verify
	if a.dice.IntN(3) == 0 {
		text += "catch\n" + a.group(depth-1, limited) + [...]string{"", "failure\n"}[a.dice.IntN(2)]
	}
	if a.dice.IntN(4) == 0 {
		text += "finally\nperhaps\n" // what it does longer comes out of the kill timeout
	}
	return text + "end\n"
}
