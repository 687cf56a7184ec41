package expand

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"ftsh/ast"
	"ftsh/interp/value"
)

// evalEnv has the variables of the expressions below.
func evalEnv() *fake {
	env := with("word", "abc", "x", "a b", "tail", "abc\n\n", "digits", " 12\n", "yes", "true", "empty", "", "nul", "\x00")
	env.vars["n"], env.vars["max"], env.vars["min"] = value.Int(7), value.Int(math.MaxInt64), value.Int(math.MinInt64)
	env.vars["big"] = value.Large(file("yes\n"))
	env.args = []string{"one", "two\n"}
	env.call = func(_ context.Context, c *ast.Call, args []value.Value) (value.Value, error) {
		return value.Captured(fmt.Sprint(c.Name, len(args)) + "\n"), nil
	}
	return env
}

// evalCase is an expression and what it comes to, exactly.
type evalCase struct {
	name string
	expr ast.Expr
	want string
}

func checkEval(t *testing.T, cases []evalCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v, err := Eval(t.Context(), evalEnv(), c.expr)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := v.Exact(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestOperands(t *testing.T) {
	checkEval(t, []evalCase{
		{"word", of("abc"), "abc"},
		{"words join", of(word("a", inQuotes("x"), ref("n"))), "aa b7"},
		{"reference is copied", of(ref("tail")), "abc\n\n"},
		{"in parentheses too", paren(ref("nul")), "\x00"},
		{"quoted is expanded", of(inQuotes("tail")), "abc"},
		{"parameter is copied", of(ref("2")), "two\n"},
		{"default is copied", of(or(ref("nope"), "d")), "d"},
		{"pattern is text", of(word(glob("*"))), "*"},
		{"call", call("f", 1, ref("x")), "f2\n"},
	})
}

func TestArithmetic(t *testing.T) {
	checkEval(t, []evalCase{
		{"add", op("add", 7, 2), "9"},
		{"sub", op("sub", 2, 7), "-5"},
		{"chain", op("sub", op("sub", 10, 3), 2), "5"},
		{"mul", op("mul", paren(op("add", 7, 2)), 3), "27"},
		{"div", op("div", -7, 2), "-3"},
		{"div negative", op("div", 7, -2), "-3"},
		{"mod", op("mod", -7, 3), "-1"},
		{"mod negative", op("mod", 7, -3), "1"},
		{"mod of the smallest", op("mod", ref("min"), -1), "0"},
		{"pow", op("pow", 2, 10), "1024"},
		{"pow 0", op("pow", 0, 0), "1"},
		{"pow 62", op("pow", 2, 62), "4611686018427387904"},
		{"pow smallest", op("pow", -2, 63), "-9223372036854775808"},
		{"pow of one", op("pow", -1, ref("max")), "-1"},
		{"add to the top", op("add", op("sub", ref("max"), 1), 1), "9223372036854775807"},
		{"mul 0", op("mul", 0, ref("max")), "0"},
		{"mul by 0", op("mul", ref("min"), 0), "0"},
		{"mul to the bottom", op("mul", ref("min"), 1), "-9223372036854775808"},
		{"variable", op("add", ref("n"), ref("n")), "14"},
		{"blanks around", op("add", ref("digits"), " 1 "), "13"},
		{"leading zeros", op("add", "007", "-08"), "-1"},
		{"plus sign", op("add", "+5", 1), "6"},
		{"constant 007 is text", of("007"), "007"},
	})
}

func TestComparisons(t *testing.T) {
	checkEval(t, []evalCase{
		{"eq", op("eq", ref("word"), "abc"), "true"},
		{"eq drops newlines", op("eq", ref("tail"), "abc"), "true"},
		{"eq of empty", op("eq", ref("empty"), "PENDING"), "false"},
		{"eq is about text", op("eq", 5, "05"), "false"},
		{"eq number", op("eq", ref("n"), 7), "true"},
		{"eq number as text", op("eq", ref("n"), "7"), "true"},
		{"ne", op("ne", ref("n"), 8), "true"},
		{"eq large", op("eq", ref("big"), "yes"), "true"},
		{"eq call", op("eq", call("f"), "f0"), "true"},
		{"eql", op("eql", 5, "05"), "true"},
		{"neql", op("neql", 5, "05"), "false"},
		{"lt", op("lt", -1, 0), "true"},
		{"le", op("le", 0, 0), "true"},
		{"gt", op("gt", 0, 0), "false"},
		{"ge", op("ge", ref("max"), ref("min")), "true"},
		{"matches anywhere", op("matches", "a1b", "[0-9]"), "true"},
		{"matches from the start", op("matches", "a1b", "^[0-9]"), "false"},
		{"matches empty", op("matches", ref("empty"), "^$"), "true"},
	})
}

func TestBooleans(t *testing.T) {
	checkEval(t, []evalCase{
		{"and", op("and", op("lt", 1, 2), "true"), "true"},
		{"or", op("or", "false", ref("yes")), "true"},
		{"or before and", op("or", "true", op("and", "false", "true")), "true"},
		{"not", op("not", "true"), "false"},
		{"not not", op("not", paren(op("not", "true"))), "true"},
		{"and stops", op("and", "false", "nonsense"), "false"},
		{"or stops", op("or", "true", ref("undefined")), "true"},
		{"a chain stops and goes on", op("or", op("and", "false", "nonsense"), "true"), "true"},
		{"defined", op("defined", "word"), "true"},
		{"defined though empty", op("defined", "empty"), "true"},
		{"not defined", op("defined", "undefined"), "false"},
	})
}

func TestRanges(t *testing.T) {
	checkEval(t, []evalCase{
		{"range", to(1, 4), "1 2 3 4"},
		{"range downward", to(3, ref("n"), 2), "3 5 7"},
		{"range from above", to(3, 1), "1 2 3"},
		{"range of one", to(5, 5), "5"},
		{"range at the top", to(op("sub", ref("max"), 1), ref("max")), "9223372036854775806 9223372036854775807"},
		{"range of everything", to(ref("min"), ref("max"), ref("max")), "-9223372036854775808 -1 9223372036854775806"},
	})
}

// faultEnv has the variables of the expressions below.
func faultEnv() *fake {
	env := with("empty", "", "long", strings.Repeat("ab", 100), "nul", "1\x00", "control", "\x1b[2J", "true", "true")
	env.vars["max"], env.vars["min"] = value.Int(math.MaxInt64), value.Int(math.MinInt64)
	env.call = func(context.Context, *ast.Call, []value.Value) (value.Value, error) { return value.String("\x00"), nil }
	return env
}

func checkFaults(t *testing.T, cases []evalCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Eval(t.Context(), faultEnv(), c.expr)
			wantFault(t, err, c.want)
		})
	}
}

func TestOperandFaults(t *testing.T) {
	checkFaults(t, []evalCase{
		{"undefined", of(ref("nope")), "variable nope was never set; ${nope:-text} gives a default"},
		{"undefined operand", op("add", ref("nope"), 1), "variable nope was never set; ${nope:-text} gives a default"},
		{"no integer", op("add", "abc", 1), `"abc" is not an integer`},
		{"no integer on the right", op("lt", 1, "1.5"), `"1.5" is not an integer`},
		{"empty", op("add", ref("empty"), 1), `"" is not an integer`},
		{"inner blank", op("add", "1 2", 1), `"1 2" is not an integer`},
		{"hexadecimal", op("add", "0x10", 1), `"0x10" is not an integer`},
		{"underscore", op("add", "1_000", 1), `"1_000" is not an integer`},
		{"long", op("add", ref("long"), 1), `"` + strings.Repeat("ab", 30) + `"… is not an integer`},
		{"control characters", op("add", ref("control"), 1), `"\x1b[2J" is not an integer`},
		{"NUL", op("eq", ref("nul"), 1), "the value of nul holds a NUL byte, which no word can"},
		{"NUL from a function", op("eq", call("f"), 1), "the value holds a NUL byte, which no word can"},
	})
}

func TestArithmeticFaults(t *testing.T) {
	const tooBig = "9223372036854775807 .add. 1 does not fit into a 64-bit integer"
	checkFaults(t, []evalCase{
		{"too large to read", op("add", "9223372036854775808", 1),
			`"9223372036854775808" does not fit into a 64-bit integer`},
		{"too small to read", op("add", "-9223372036854775809", 1),
			`"-9223372036854775809" does not fit into a 64-bit integer`},
		{"add", op("add", ref("max"), 1), tooBig},
		{"add in a chain", op("add", op("add", op("sub", ref("max"), 0), 1), 1), tooBig},
		{"add below", op("add", ref("min"), -1), "-9223372036854775808 .add. -1 does not fit into a 64-bit integer"},
		{"sub", op("sub", -2, ref("max")), "-2 .sub. 9223372036854775807 does not fit into a 64-bit integer"},
		{"sub smallest", op("sub", 0, ref("min")), "0 .sub. -9223372036854775808 does not fit into a 64-bit integer"},
		{"mul", op("mul", 4294967296, 2147483648), "4294967296 .mul. 2147483648 does not fit into a 64-bit integer"},
		{"mul smallest", op("mul", -1, ref("min")), "-1 .mul. -9223372036854775808 does not fit into a 64-bit integer"},
		{"mul by -1", op("mul", ref("min"), -1), "-9223372036854775808 .mul. -1 does not fit into a 64-bit integer"},
		{"div by zero", op("div", 1, 0), "1 .div. 0: division by zero"},
		{"mod by zero", op("mod", 1, 0), "1 .mod. 0: division by zero"},
		{"div smallest", op("div", ref("min"), -1), "-9223372036854775808 .div. -1 does not fit into a 64-bit integer"},
		{"pow", op("pow", 2, 63), "2 .pow. 63 does not fit into a 64-bit integer"},
		{"pow far", op("pow", 10, ref("max")), "10 .pow. 9223372036854775807 does not fit into a 64-bit integer"},
		{"negative exponent", op("pow", 1, -1), "1 .pow. -1: the exponent is below zero"},
	})
}

func TestOtherFaults(t *testing.T) {
	checkFaults(t, []evalCase{
		{"no boolean", op("and", "maybe", "true"), `"maybe" is not a boolean: true or false is wanted`},
		{"True", op("not", "True"), `"True" is not a boolean: true or false is wanted`},
		{"number for boolean", op("or", "false", 1), `"1" is not a boolean: true or false is wanted`},
		{"right side", op("or", "false", ref("empty")), `"" is not a boolean: true or false is wanted`},
		{"pattern", op("matches", "a", "("), "\"(\" is not a pattern: missing closing ): `(`"},
		{"defined", op("defined", "a b"), `"a b" is not the name of a variable (write .defined. x, without a $)`},
		{"lines", op("lines", "x"), ".lines. makes a list, which only for, forany and forall take"},
		{"zero step", to(1, 2, 0), ".step. 0: a step above zero is wanted (.to. always counts upward)"},
		{"negative step", to(1, 2, -1), ".step. -1: a step above zero is wanted (.to. always counts upward)"},
		{"bound", to(1, "x"), `"x" is not an integer`},
		{"long range", to(1, 100_000_000),
			"a range of 100000000 numbers is too long for a value (at most 16777216 bytes); a for loop can walk it"},
		{"longer range", to(1, 4_000_000),
			"a range of 4000000 numbers is too long for a value (at most 16777216 bytes); a for loop can walk it"},
		{"endless range", to(ref("min"), ref("max")), "the range has more than 9223372036854775807 numbers"},
	})
}

func TestTruthAndInteger(t *testing.T) {
	env := with("flag", "true\n", "count", "3\n")
	if b, err := Truth(t.Context(), env, of(ref("flag"))); err != nil || !b {
		t.Errorf("Truth: %v, %v", b, err)
	}
	if _, err := Truth(t.Context(), env, of("maybe")); err == nil {
		t.Error("maybe is a boolean")
	}
	if n, err := Integer(t.Context(), env, of(ref("count"))); err != nil || n != 3 {
		t.Errorf("Integer: %v, %v", n, err)
	}
	_, err := Integer(t.Context(), env, to(1, 3))
	wantFault(t, err, `"1 2 3" is not an integer`)
}

func TestCallErrorsPassThrough(t *testing.T) {
	failed := errors.New("failed in its own way")
	env := with()
	env.call = func(context.Context, *ast.Call, []value.Value) (value.Value, error) { return value.Value{}, failed }
	for _, e := range []ast.Expr{call("f"), op("add", 1, call("f")), op("eq", call("f"), "x"), op("not", call("f")),
		to(1, call("f"))} {
		if _, err := Eval(t.Context(), env, e); err != failed {
			t.Errorf("%T: got %v", e, err)
		}
		if _, err := List(t.Context(), env, []ast.Expr{e}); err != failed {
			t.Errorf("%T in a list: got %v", e, err)
		}
	}
	if _, err := Duration(t.Context(), env, period(call("f"), ast.Second)); err != failed {
		t.Errorf("a duration: got %v", err)
	}
}

func TestCallTakesValuesAsTheyAre(t *testing.T) {
	env := with("tail", "a\n")
	env.call = func(_ context.Context, _ *ast.Call, args []value.Value) (value.Value, error) {
		if first, _ := args[0].Exact(); first != "a\n" {
			t.Errorf("got %q", first)
		}
		if n, ok := args[1].Int(); !ok || n != 3 {
			t.Errorf("got %v", args[1])
		}
		return value.Int(1), nil
	}
	if _, err := Eval(t.Context(), env, call("f", ref("tail"), op("add", 1, 2))); err != nil {
		t.Fatal(err)
	}
}

func TestDeepExpressions(t *testing.T) {
	const depth = 10_000
	nest := func(n int, seed any, wrap func(ast.Expr) ast.Expr) ast.Expr {
		e := of(seed)
		for range n {
			e = wrap(e)
		}
		return e
	}
	env := with()
	env.call = func(_ context.Context, _ *ast.Call, args []value.Value) (value.Value, error) { return args[0], nil }
	cases := []struct {
		name string
		expr ast.Expr
		want string
	}{
		{"parentheses", nest(depth, 7, func(e ast.Expr) ast.Expr { return paren(e) }), "7"},
		{"left", nest(depth, 0, func(e ast.Expr) ast.Expr { return op("add", paren(e), 1) }), "10000"},
		{"right", nest(depth, 0, func(e ast.Expr) ast.Expr { return op("add", 1, paren(e)) }), "10000"},
		{"not", nest(depth, "true", func(e ast.Expr) ast.Expr { return op("not", paren(e)) }), "true"},
		{"and on the right", nest(depth, "true", func(e ast.Expr) ast.Expr { return op("and", "true", paren(e)) }), "true"},
		{"comparisons", nest(depth, "true", func(e ast.Expr) ast.Expr { return op("eq", paren(e), "true") }), "true"},
		{"calls", nest(depth, "x", func(e ast.Expr) ast.Expr { return call("f", e) }), "x"},
		{"long chain", nest(20*depth, 0, func(e ast.Expr) ast.Expr { return op("add", e, 1) }), "200000"},
		{"long or", nest(20*depth, "false", func(e ast.Expr) ast.Expr { return op("or", e, "false") }), "false"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v, err := Eval(t.Context(), env, c.expr)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := v.Exact(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// file is captured output for tests.
type file string

func (f file) Bytes() (string, error) { return string(f), nil }
func (f file) Size() int64            { return int64(len(f)) }
func (f file) Share()                 {}

func TestIntegersNeedNoMemory(t *testing.T) {
	env := &fake{slots: []value.Value{{}, value.Int(1 << 40)}}
	test, next := op("lt", slot(1), strconv.Itoa(math.MaxInt64)), op("add", slot(1), 1)
	allocs := testing.AllocsPerRun(100, func() {
		if more, err := Truth(t.Context(), env, test); err != nil || !more {
			t.Fatal(more, err)
		}
		env.slots[1], _ = Eval(t.Context(), env, next)
	})
	if allocs > 0 {
		t.Errorf("%v allocations per turn", allocs)
	}
}
