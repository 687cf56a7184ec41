package interp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/ast"
	"ftsh/interp"
	"ftsh/interp/world"
	"ftsh/parser"
)

// A hook has programs that does something else while a program runs.
type hook struct {
	*bubble
	meanwhile func()
}

func (h hook) Run(ctx context.Context, c *world.Command) (world.Status, error) {
	h.meanwhile()
	return h.bubble.Run(ctx, c)
}

// typed runs a line of a prompt.
func typed(t *testing.T, r *interp.Runner, line string) {
	t.Helper()
	file, err := parser.Parse(&ast.Source{Name: "prompt", Text: line},
		parser.Config{Interactive: true, Names: r.Names(), Functions: r.Functions()})
	if err == nil {
		err = r.Run(t.Context(), file)
	}
	if err != nil {
		t.Errorf("%q: %v", line, err)
	}
}

// TestFork holds what a Runner sees that was made from another, between two lines of a prompt and while a program runs.
func TestFork(t *testing.T) {
	const look = `say ${x:-none} ${y:-none} $# ${1:-none} $PWD`
	for _, c := range []struct{ name, before, during, want string }{
		{"nothing", "", "", "none none 1 arg /tmp"},
		{"variables and directory", "x=1; export y=2; cd /", "", "1 2 1 arg /"},
		{"parameters", "set -- p q", "", "none none 2 p /tmp"},
		{"while a program runs", "x=1", "set -- p; y=2; cd /usr; work 1s; x=3; y=3; cd /", "1 2 1 p /usr"},
		{"outside of the function that runs", "x=1", "function f; local z; y=2; work 1s; end; f p q", "1 2 1 arg /tmp"},
		{"parameters outside", "set -- a b", "function g; work 1s; end; function f; g c; end; f p q", "none none 2 a /tmp"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bubble{start: time.Now()}
				config := b.config()
				config.Script.Args, config.Script.Dir, config.Mode.Aside = []string{"arg"}, "/tmp", true
				var r, fork *interp.Runner
				makeFork := func() { fork = r.Fork(func(*interp.Config) {}) }
				config.World = b.world(hook{b, makeFork})
				r = interp.New(config)
				typed(t, r, strings.ReplaceAll(c.before, "; ", "\n"))
				if c.during == "" {
					makeFork()
				} else {
					typed(t, r, strings.ReplaceAll(c.during, "; ", "\n"))
				}
				typed(t, r, "x=changed\ny=changed\nset -- changed a b c\ncd /proc")
				typed(t, fork, look)
				if got := b.words(); got != c.want {
					t.Errorf("the fork sees %s, want %s", got, c.want)
				}
				typed(t, fork, "x=fork\ncd /dev")
				typed(t, r, look)
				if got := b.words(); got != c.want+" changed changed 4 changed /proc" {
					t.Errorf("the Runner sees %s", got)
				}
			})
		})
	}
}

// faulty is a machine that fails in a way that none of ours does.
type faulty struct{ *bubble }

func (faulty) Run(context.Context, *world.Command) (world.Status, error) {
	return world.Status{}, errors.New("the machine is not there")
}

// TestFaultyPrograms has the error of a world that is no StartError, and not that it was cut off, be a failure.
func TestFaultyPrograms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{start: time.Now()}
		config := b.config()
		config.World = b.world(faulty{b})
		typed(t, interp.New(config), `try 2 times every 1 s
	work 1s
catch
	if ${error.kind} .ne. error .or. ${error.message} .ne. 'cannot run work: the machine is not there'
		failure ${error.message}
	end
end`)
	})
}

// TestPromptAsks holds what a prompt is told of its Runner between two lines.
func TestPromptAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{start: time.Now()}
		config := b.config()
		config.Script.Environ, config.Script.Dir = []string{"HOME=/root", "GONE=1"}, "/tmp"
		r := interp.New(config)
		look := func() string {
			value, set := r.Lookup("x")
			return fmt.Sprintf("variables %v functions %v resources %v x=%s %v in %s", r.Variables(), r.Functions(),
				r.Resources(), value, set, r.Directory())
		}
		if got, want := look(), "variables [GONE HOME] functions [] resources [] x= false in /tmp"; got != want {
			t.Errorf("before the first line: %s\nwant %s", got, want)
		}
		typed(t, r, "x=1\nif false\nnever=$y\nend\nunset GONE\nfunction g\nend\nfunction f\nend\nresource r\nend\ncd /")
		const want = "variables [HOME OLDPWD PWD x] functions [f g] resources [r] x=1 true in /"
		if got := look(); got != want {
			t.Errorf("then: %s\nwant %s", got, want)
		}
	})
}
