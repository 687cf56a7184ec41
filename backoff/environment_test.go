package backoff

import (
	"testing"
	"time"
)

// given is an environment: names and values in turn.
func given(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func TestFromEnvironment(t *testing.T) {
	for _, c := range []struct {
		name string
		env  []string
		want Backoff
	}{
		{"nothing", nil, Backoff{}},
		{"a policy", []string{"FTSH_BACKOFF", "full"}, Backoff{Policy: Full}},
		{"initial wait", []string{"FTSH_EXPMIN", "0.5"}, Backoff{Initial: 500 * time.Millisecond}},
		{"the shortest initial wait", []string{"FTSH_EXPMIN", "0.001"}, Backoff{Initial: time.Millisecond}},
		{"cap", []string{"FTSH_EXPMAX", "90"}, Backoff{Max: 90 * s}},
		{"a cap beyond all times", []string{"FTSH_EXPMAX", "99999999999999999999"}, Backoff{Max: Never}},
		{"factor", []string{"FTSH_EXPFACTOR", "1.5"}, Backoff{Factor: 1.5}},
		{"no randomness", []string{"FTSH_EXPRAND", "0"}, Backoff{Policy: Exact}},
		{"randomness", []string{"FTSH_EXPRAND", "1"}, Backoff{}},
		{"a policy named is not overruled", []string{"FTSH_EXPRAND", "0", "FTSH_BACKOFF", "equal"}, Backoff{Policy: Equal}},
		{"empty is unset", []string{"FTSH_EXPRAND", "", "FTSH_BACKOFF", "", "FTSH_EXPMIN", "", "FTSH_EXPMAX", "",
			"FTSH_EXPFACTOR", ""}, Backoff{}},
		{"all", []string{"FTSH_BACKOFF", "normal", "FTSH_EXPMIN", ".25", "FTSH_EXPMAX", "3600.", "FTSH_EXPFACTOR", "3"},
			Backoff{Policy: Normal, Initial: 250 * time.Millisecond, Max: time.Hour, Factor: 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := FromEnvironment(given(c.env...)); err != nil || got != c.want {
				t.Errorf("%+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestFromEnvironmentErrors(t *testing.T) {
	const seconds = "seconds of at least 0.001, such as 30 or 0.5"
	const number = "a number of at least 1, such as 2 or 1.5"
	for _, c := range []struct{ variable, value, want string }{
		{"FTSH_BACKOFF", "Full", "one of ethernet, thain, full, equal, decorrelated, additive, normal, exact, fixed"},
		{"FTSH_EXPMIN", "5s", seconds},
		{"FTSH_EXPMIN", "-1", seconds},
		{"FTSH_EXPMIN", " 1", seconds},
		{"FTSH_EXPMIN", "0", seconds},
		{"FTSH_EXPMIN", "0.0009", seconds},
		{"FTSH_EXPMAX", "0.0", seconds},
		{"FTSH_EXPMAX", "inf", seconds},
		{"FTSH_EXPMAX", ".", seconds},
		{"FTSH_EXPMAX", "1.2.3", seconds},
		{"FTSH_EXPFACTOR", "NaN", number},
		{"FTSH_EXPFACTOR", "0", number},
		{"FTSH_EXPFACTOR", "0.9", number},
		{"FTSH_EXPFACTOR", "0x2", number},
		{"FTSH_EXPFACTOR", "1e2", number},
		{"FTSH_EXPRAND", "no", "0 or 1"},
	} {
		t.Run(c.variable+"="+c.value, func(t *testing.T) {
			got, err := FromEnvironment(given(c.variable, c.value))
			want := c.variable + ` is "` + c.value + `", wanted ` + c.want
			if err == nil || err.Error() != want || got != (Backoff{}) {
				t.Errorf("%+v, error %v; want %s", got, err, want)
			}
		})
	}
}
