package expand

import (
	"context"
	"errors"
	"regexp"
	"time"

	"ftsh/ast"
)

var errSoon = errors.New("expand: not written yet")

// Patterns is a bounded cache of compiled regular expressions, safe for
// concurrent use. The zero Patterns is ready.
type Patterns struct{}

// Get compiles an RE2 pattern, or finds it compiled.
func (p *Patterns) Get(pattern string) (*regexp.Regexp, error) { return regexp.Compile(pattern) }

// Words appends to dst what the words of a command expand to.
func Words(env Env, dst []string, words []*ast.Word) ([]string, error) { return dst, errSoon }

// Word expands a word to exactly one string.
func Word(env Env, w *ast.Word) (string, error) { return "", errSoon }

// List expands the list of a loop.
func List(ctx context.Context, env Env, list []ast.Expr) (*Sequence, error) { return nil, errSoon }

// Eval evaluates an expression.
func Eval(ctx context.Context, env Env, e ast.Expr) (Value, error) { return Value{}, errSoon }

// Truth evaluates an expression that must be true or false.
func Truth(ctx context.Context, env Env, e ast.Expr) (bool, error) { return false, errSoon }

// Integer evaluates an expression that must be an integer.
func Integer(ctx context.Context, env Env, e ast.Expr) (int64, error) { return 0, errSoon }

// Decimal evaluates an expression that must be a number such as 2 or -1.5.
func Decimal(ctx context.Context, env Env, e ast.Expr) (float64, error) { return 0, errSoon }

// Duration adds up the terms of a period.
func Duration(ctx context.Context, env Env, p *ast.Period) (time.Duration, error) { return 0, errSoon }

// ParseTime reads a time such as 90s, 1h30m, 250ms, 2d or "2 minutes".
func ParseTime(text string) (time.Duration, error) { return 0, errSoon }

// ParseSeconds reads a time as ParseTime does, or a plain number of seconds.
func ParseSeconds(text string) (time.Duration, error) { return 0, errSoon }
