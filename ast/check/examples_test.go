package check_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"ftsh/ast/check"
)

// example is what testdata has for a rule: a script in which it finds something once, and one like it that is right.
type example struct{ finds, passes string }

// examples returns the examples of all rules, by their codes.
func examples(t testing.TB) map[string]example {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/rules.txtar")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, f := range archive.Files {
		texts[f.Name] = string(f.Data[:len(f.Data)-1])
	}
	all := map[string]example{}
	for _, rule := range check.Rules() {
		e := example{texts[rule.Code+" finds"], texts[rule.Code+" passes"]}
		if all[rule.Code] = e; e.finds == "" || e.passes == "" {
			t.Errorf("testdata/rules.txtar lacks a script of %s", rule.Code)
		}
	}
	if len(texts) != 2*len(all) {
		t.Errorf("testdata/rules.txtar has %d scripts for %d rules", len(texts), len(all))
	}
	return all
}
