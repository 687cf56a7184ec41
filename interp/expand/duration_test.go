package expand

import (
	"math"
	"strings"
	"testing"
	"time"

	"ftsh/ast"
	"ftsh/interp/value"
)

// period makes a period: amount, unit, amount, unit …
func period(terms ...any) *ast.Period {
	p := &ast.Period{Pos: somewhere}
	for i := 0; i < len(terms); i += 2 {
		p.Terms = append(p.Terms, ast.Term{Amount: of(terms[i]), Unit: terms[i+1].(ast.Unit)})
	}
	return p
}

func TestDuration(t *testing.T) {
	env := with("limit", "1h30m\n", "amount", " 1.5 ")
	env.vars["n"] = value.Int(3)
	cases := []struct {
		name   string
		period *ast.Period
		want   time.Duration
	}{
		{"minutes", period(30, ast.Minute), 30 * time.Minute},
		{"terms add up", period(1, ast.Hour, 30, ast.Minute), 90 * time.Minute},
		{"every unit", period(1, ast.Day, 1, ast.Hour, 1, ast.Minute, 1, ast.Second, 1, ast.Millisecond),
			90061001 * time.Millisecond},
		{"fraction", period("1.5", ast.Second), 1500 * time.Millisecond},
		{"exact fraction", period("0.1", ast.Second), 100 * time.Millisecond},
		{"fraction of a day", period(".000000000000000001", ast.Day), 0},
		{"expression", period(op("add", 1, 1), ast.Minute), 2 * time.Minute},
		{"variable", period(ref("n"), ast.Second), 3 * time.Second},
		{"blanks around", period(ref("amount"), ast.Hour), 90 * time.Minute},
		{"word", period("90s", ast.NoUnit), 90 * time.Second},
		{"variable with its unit", period(ref("limit"), ast.NoUnit, 1, ast.Second), 90*time.Minute + time.Second},
		{"zero", period(0, ast.Second), 0},
		{"minus zero", period("-0", ast.Second), 0},
		{"longest", period(math.MaxInt64/1000000, ast.Millisecond), math.MaxInt64 / 1000000 * time.Millisecond},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got, err := Duration(t.Context(), env, c.period); err != nil || got != c.want {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
}

func TestDurationFaults(t *testing.T) {
	const tooLong = " is too long: at most 106751d (292 years) can be used"
	env := with("limit", "soon")
	env.vars["n"] = value.Int(30)
	cases := []struct {
		name   string
		period *ast.Period
		want   string
	}{
		{"not a number", period(ref("limit"), ast.Minute), `"soon" is not a number of minutes`},
		{"unit twice", period("90s", ast.Second), `"90s" is not a number of seconds`},
		{"empty", period("", ast.Second), `"" is not a number of seconds`},
		{"below zero", period(-1, ast.Second), `"-1" seconds: a time below zero`},
		{"bare number", period(ref("n"), ast.NoUnit), `"30" has no unit: write 30s, or 30 minutes`},
		{"no time", period(ref("limit"), ast.NoUnit), `"soon" is not a time such as 90s, 1h30m or 250ms (units: ms s m h d)`},
		{"overflow", period(106752, ast.Day), `"106752 days"` + tooLong},
		{"overflow of digits", period("99999999999999999999", ast.Millisecond), `"99999999999999999999 milliseconds"` +
			tooLong},
		{"sum", period(106751, ast.Day, 1, ast.Day), "the time" + tooLong},
		{"undefined", period(ref("nope"), ast.Second), "variable nope was never set; ${nope:-text} gives a default"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Duration(t.Context(), env, c.period)
			wantFault(t, err, c.want)
		})
	}
}

func TestParseTime(t *testing.T) {
	cases := map[string]time.Duration{
		"90s": 90 * time.Second, "1h30m": 90 * time.Minute, "250ms": 250 * time.Millisecond, "2d": 48 * time.Hour,
		"1.5h": 90 * time.Minute, "0s": 0, " 1s\n": time.Second, "1s1s": 2 * time.Second, "1m 30s": 90 * time.Second,
		"2 minutes": 2 * time.Minute, "1 hour 30 minutes": 90 * time.Minute, "1day": 24 * time.Hour, "+5s": 5 * time.Second,
		"0.5ms": 500 * time.Microsecond, ".5s": 500 * time.Millisecond, "0.0000000019s": time.Nanosecond,
		"106751d": 106751 * 24 * time.Hour, "9223372036.854775807s": math.MaxInt64,
	}
	for text, want := range cases {
		if got, err := ParseTime(text); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestParseTimeFaults(t *testing.T) {
	const notTime = " is not a time such as 90s, 1h30m or 250ms (units: ms s m h d)"
	const tooLong = " is too long: at most 106751d (292 years) can be used"
	cases := map[string]string{
		"":    `""` + notTime,
		" ":   `" "` + notTime,
		"s":   `"s"` + notTime,
		"5y":  `"5y"` + notTime,
		"5S":  `"5S"` + notTime,
		"1.s": `"1.s"` + notTime,
		"1e3": `"1e3"` + notTime,
		"5s,": `"5s,"` + notTime,
		"NaN": `"NaN"` + notTime,
		"--5": `"--5"` + notTime,
		"5":   `"5" has no unit: write 5s, or 5 minutes`,
		"1h5": `"1h5" has no unit: write 5s, or 5 minutes`,
		"5 5": `"5 5"` + notTime,
		"-5s": `"-5s" is below zero`,

		"5000000000000000000000000": `"5000000000000000000000000" has no unit: write 30s, or 30 minutes`,
		"106752d":                   `"106752d"` + tooLong,
		"106751d1d":                 `"106751d1d"` + tooLong,
		"9223372036.854775808s":     `"9223372036.854775808s"` + tooLong,
		"18446744073709551616ms":    `"18446744073709551616ms"` + tooLong,
	}
	for text, want := range cases {
		if got, err := ParseTime(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, %v\nwant %s", text, got, err, want)
		}
	}
}

func TestParseSeconds(t *testing.T) {
	cases := map[string]time.Duration{"30": 30 * time.Second, " 0.25 ": 250 * time.Millisecond, "2m": 2 * time.Minute}
	for text, want := range cases {
		if got, err := ParseSeconds(text); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{"-1": `"-1" seconds: a time below zero`,
		"x": `"x" is not a time such as 90s, 1h30m or 250ms (units: ms s m h d)`} {
		if _, err := ParseSeconds(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestDecimal(t *testing.T) {
	env := with("n", "2.5\n", "huge", strings.Repeat("9", 400))
	for _, c := range []struct {
		amount any
		want   float64
	}{{2, 2}, {"-1.5", -1.5}, {".5", 0.5}, {ref("n"), 2.5}, {op("add", 1, 2), 3}, {"+0.1", 0.1}} {
		if got, err := Decimal(t.Context(), env, of(c.amount)); err != nil || got != c.want {
			t.Errorf("%v: got %v, %v, want %v", c.amount, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "x", "1e3", "NaN", "inf", "0x1", "1.", ".", "-", "1 2", "1_0"} {
		_, err := Decimal(t.Context(), env, of(word(quoted(bad))))
		wantFault(t, err, quoteForMessage(bad)+" is not a decimal number such as 2 or 1.5")
	}
	_, err := Decimal(t.Context(), env, of(ref("huge")))
	wantFault(t, err, `"`+strings.Repeat("9", 60)+`"… is not a number of a size that can be used`)
}
