package interp_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"ftsh/ast"
	"ftsh/interp"
	"ftsh/interp/event"
	"ftsh/parser"
)

// heard keeps what an observer is told.
type heard struct {
	mu   sync.Mutex
	text strings.Builder
}

func (h *heard) Enabled(int) bool { return true }

func (h *heard) Observe(e event.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	fmt.Fprintf(&h.text, "%s %q %s %s %s\n", e.Kind, e.Command, e.Name, e.Value, e.Message)
}

// TestSecretsOfAProgram holds that neither the observer nor the live view of a program that embeds the interpreter is
// told a secret, that this program can mask its own texts by what was told, and that two scripts have nothing in
// common.
func TestSecretsOfAProgram(t *testing.T) {
	s := newStage(t)
	const script = "secret token\nforall x in a b .keepgoing.\n token=hush-$x\n sh -c 'exit 3' $token\nend"
	var observer, view heard
	var secrets event.Mask
	config := s.config(1)
	config.Observer, config.View, config.Secrets = &observer, &view, &secrets
	if err := interp.New(config).Run(context.Background(), parse(t, script)); err == nil {
		t.Error("the script has succeeded")
	}
	for what, h := range map[string]*heard{"observer": &observer, "view": &view} {
		if text := h.text.String(); strings.Contains(text, "hush") || !strings.Contains(text, "***") {
			t.Errorf("the %s is told\n%s", what, text)
		}
	}
	if got := secrets.Text("hush-a, hush-b and hush-c"); got != "***, *** and hush-c" {
		t.Errorf("the program says %s", got)
	}
	var other heard
	config = s.config(1)
	config.Observer = &other
	if err := interp.New(config).Run(context.Background(), parse(t, "x=hush-a")); err != nil ||
		!strings.Contains(other.text.String(), "x hush-a") {
		t.Errorf("another script: %v\n%s", err, &other.text)
	}
}

// TestSecretAtThePrompt holds that a variable which has a value already can become a secret, as it does at the prompt.
func TestSecretAtThePrompt(t *testing.T) {
	s := newStage(t)
	var observer heard
	config := s.config(1)
	config.Observer = &observer
	runner, names := interp.New(config), &ast.Names{}
	for _, line := range []string{"x=hush-a", "secret x", "y=$x", "x=hush-b", "z=hush-b"} {
		file, err := parser.Parse(&ast.Source{Name: "prompt", Text: line}, parser.Config{Interactive: true, Names: names})
		if err == nil {
			err = runner.Run(context.Background(), file)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Count(observer.text.String(), "hush"); got != 1 {
		t.Errorf("%d times, want 1, before the variable was secret:\n%s", got, &observer.text)
	}
}
