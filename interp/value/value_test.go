package value

import (
	"errors"
	"math"
	"testing"
)

// file is captured output for tests.
type file string

func (f file) Bytes() (string, error) { return string(f), nil }
func (f file) Size() int64            { return int64(len(f)) }
func (f file) Share()                 {}

func TestValue(t *testing.T) {
	cases := []struct {
		name        string
		value       Value
		exact, text string
	}{
		{"zero", Value{}, "", ""},
		{"string", String("a b"), "a b", "a b"},
		{"newlines", String("\na\n\n"), "\na\n\n", "\na\n\n"},
		{"captured newlines", Captured("\na\n\n"), "\na\n\n", "\na"},
		{"only captured newlines", Captured("\n\n"), "\n\n", ""},
		{"carriage return stays", Captured("a\r\n"), "a\r\n", "a\r"},
		{"any bytes", String("\xff\x01\n"), "\xff\x01\n", "\xff\x01\n"},
		{"integer", Int(7), "7", "7"},
		{"smallest", Int(math.MinInt64), "-9223372036854775808", "-9223372036854775808"},
		{"true", Bool(true), "true", "true"},
		{"false", Bool(false), "false", "false"},
		{"large", Large(file("much\n")), "much\n", "much"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got, err := c.value.Exact(); err != nil || got != c.exact {
				t.Errorf("Exact: %q, %v, want %q", got, err, c.exact)
			}
			if got, err := c.value.Text(); err != nil || got != c.text {
				t.Errorf("Text: %q, %v, want %q", got, err, c.text)
			}
		})
	}
}

func TestValueKinds(t *testing.T) {
	if n, ok := Int(5).Int(); !ok || n != 5 {
		t.Error("an integer is not kept as one")
	}
	for _, v := range []Value{{}, String("5"), Large(file("5"))} {
		if _, ok := v.Int(); ok {
			t.Errorf("%v is an integer", v)
		}
	}
	if b, ok := Large(file("x")).Blob(); !ok || b.Size() != 1 {
		t.Error("a Large value has lost its Blob")
	}
	for _, v := range []Value{{}, Int(5)} {
		if _, ok := v.Blob(); ok {
			t.Errorf("%v has a Blob", v)
		}
	}
	for _, v := range []Value{{}, String("x\n"), Int(5)} {
		if v.IsCaptured() {
			t.Errorf("%v is captured", v)
		}
	}
	for _, v := range []Value{Captured("x\n"), Large(file("x"))} {
		if !v.IsCaptured() {
			t.Errorf("%v is not captured", v)
		}
	}
}

// TestLost holds that a value that is not known any more gives nothing but the reason.
func TestLost(t *testing.T) {
	why := errors.New("why")
	v := Lost(why)
	_, err := v.Exact()
	_, err2 := v.Text()
	_, number := v.Int()
	_, large := v.Blob()
	if err != why || err2 != why || number || large || !v.IsLost() || Int(1).IsLost() || Captured("").IsLost() ||
		(Value{}).IsLost() {
		t.Errorf("%v, %v, %v, %v", err, err2, number, large)
	}
}

func TestTextRefusesNUL(t *testing.T) {
	for _, v := range []Value{String("a\x00"), Large(file("\x00b"))} {
		if text, err := v.Text(); err == nil {
			t.Errorf("got %q", text)
		}
		if _, err := v.Exact(); err != nil {
			t.Error(err)
		}
	}
}
