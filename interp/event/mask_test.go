package event

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ftsh/ast"
)

func maskOf(values ...string) *Mask {
	m := &Mask{}
	for _, value := range values {
		m.Add(value)
	}
	return m
}

func TestMaskText(t *testing.T) {
	pem := "-----BEGIN-----\nMIIEpQ/IBAAK+\n\nab\r\nlast line\n"
	for name, test := range map[string]struct {
		values     []string
		text, want string
	}{
		"itself":                       {[]string{"hunter2"}, "Bearer hunter2, hunter2", "Bearer ***, ***"},
		"side by side":                 {[]string{"hunter2"}, "hunter2hunter2", "******"},
		"too short":                    {[]string{"abc"}, "abc", "abc"},
		"four bytes":                   {[]string{"abcd"}, "xabcdx", "x***x"},
		"a part, the longer one later": {[]string{"hunter2", "hunter2hunter2"}, "hunter2hunter2 hunter2", "*** ***"},
		"a part, the longer one first": {[]string{"hunter2hunter2", "hunter2"}, "hunter2hunter2 hunter2", "*** ***"},
		"overlapping":                  {[]string{"abcdef", "defghi"}, "xabcdefghix", "x***x"},
		"several":                      {[]string{"one1", "two22"}, "one1:two22@", "***:***@"},
		"lines":                        {[]string{pem}, "at MIIEpQ/IBAAK+, last line and ab", "at ***, *** and ab"},
		"all lines":                    {[]string{"ab\ncd"}, "ab\ncd, ab cd", "***, ***"},
		"split":                        {[]string{" correct  horse\tbattery "}, "correct horse battery staple", "*** staple"},
		"a word of it alone":           {[]string{"correct horse"}, "horse", "***"},
		"a word of it among others":    {[]string{"correct horse"}, "a horse", "a horse"},
		"without the blanks around it": {[]string{"  hunter2\t"}, "'hunter2'", "'***'"},
		"percent":                      {[]string{"p@ss/wörd &x"}, "u?p=p%40ss%2Fw%C3%B6rd%20%26x&y", "u?p=***&y"},
		"percent, small letters":       {[]string{"p@ss/word"}, "p%40ss%2fword", "***"},
		"a form":                       {[]string{"p@ss word"}, "q=p%40ss+word", "q=***"},
		"percent in the value":         {[]string{"100%41"}, "100%41 and 100%2541", "*** and ***"},
		"base64":                       {[]string{"hunter2"}, "Basic aHVudGVyMg==", "Basic ***=="},
		"base64 for addresses": {[]string{"a?b>c?~~"}, "x." +
			base64.RawURLEncoding.EncodeToString([]byte("a?b>c?~~")), "x.***"},
		"quoted": {[]string{"a\"b\\c\nd\x1b\xff"}, "bad: " + strconv.Quote("a\"b\\c\nd\x1b\xff"),
			`bad: "***"`},
		"in ASCII":               {[]string{"pässword"}, strconv.QuoteToASCII("pässword"), `"***"`},
		"quoted for a shell":     {[]string{"it's it"}, `sh 'it'\''s it'`, `sh '***'`},
		"cut":                    {[]string{"hunter2hunter2"}, "Bearer hunter2hu…", "Bearer ***…"},
		"cut, quoted":            {[]string{"a\tbcdefgh"}, `bad "a\tbcd…"`, `bad "***…"`},
		"cut, three bytes":       {[]string{"hunter2hunter2"}, "hun…", "hun…"},
		"not cut":                {[]string{"hunter2hunter2"}, "hunter1", "hunter1"},
		"bytes":                  {[]string{"\xff\xfe\x00\x01"}, "a\xff\xfe\x00\x01b", "a***b"},
		"a backslash at the end": {[]string{"hunter2"}, `hunter2\`, `***\`},
		"a percent at the end":   {[]string{"hunter2"}, `hunter2%`, `***%`},
	} {
		t.Run(name, func(t *testing.T) {
			m := maskOf(test.values...)
			if got := m.Text(test.text); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
			if hides := m.Hides(test.text); hides != (test.want != test.text) {
				t.Errorf("hides: %v", hides)
			}
		})
	}
}

func TestMaskOfNothing(t *testing.T) {
	var none *Mask
	for _, m := range []*Mask{none, {}} {
		if m.Any() || m.Text("hunter2") != "hunter2" || m.Hides("hunter2") ||
			m.Event(Event{Name: "hunter2"}).Name != "hunter2" {
			t.Error("it masks something")
		}
	}
	m := &Mask{}
	text := strings.Repeat("hunter2", 100)
	if allocs := testing.AllocsPerRun(100, func() { m.Text(text) }); allocs > 0 {
		t.Errorf("%v allocations without a secret", allocs)
	}
}

// TestMaskWords holds that words stay words, also where a value was split over them.
func TestMaskWords(t *testing.T) {
	m := maskOf("correct horse", "hunter2")
	given := []string{"curl", "correct", "horse", "-uann:hunter2", "", "horse", "horses"}
	before := slices.Clone(given)
	if got, want := m.Words(given), []string{"curl", "***", "***", "-uann:***", "", "***", "horses"}; !slices.Equal(got,
		want) {
		t.Errorf("%q, want %q", got, want)
	}
	if !slices.Equal(given, before) {
		t.Errorf("the words that were given are now %q", given)
	}
}

// TestMaskEvent holds that no part of an event shows a secret, but the words of the shell itself: a new member has to
// be masked, too. The event that was given stays as it is.
func TestMaskEvent(t *testing.T) {
	const value = "hunter2"
	e := Event{Pos: ast.Pos{Source: &ast.Source{}, Line: 7}, Job: &Job{}}
	fillTexts(reflect.ValueOf(&e).Elem(), value)
	got := maskOf(value).Event(e)
	// No event shows the first, and the others are the shell's words.
	got.Pos.Source.Text, got.Failure, got.Reason = "", "", ""
	if text, err := json.Marshal(got); err != nil || strings.Contains(string(text), value) ||
		strings.Count(string(text), stars) < 8 {
		t.Errorf("%s, %v", text, err)
	}
	if got.Pos.Line != 7 || e.Command[0] != value || e.Items[0] != value || e.Pos.Source.Name != value ||
		e.Job.Asked[0] != value {
		t.Errorf("more has changed: %+v, %+v", got, e)
	}
}

// fillTexts makes all texts in a value that one.
func fillTexts(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillTexts(v.Index(0), text)
	case reflect.Pointer:
		if !v.IsNil() {
			fillTexts(v.Elem(), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fillTexts(v.Field(i), text)
			}
		}
	}
}

// FuzzMask holds that no form of a value is left of it.
func FuzzMask(f *testing.F) {
	f.Add("hunter2", "Bearer ", " x", "other")
	f.Add("a\nbcde\n\"x", "%", "\\", "bcde")
	f.Add("aaaa", "a", "aa", "aaaaaa")
	f.Add("%41%4", "%25", "1", "\\x41")
	f.Fuzz(func(t *testing.T, value, before, after, other string) {
		if len(value) < shortestSecret || len(value) > 1000 || strings.Contains(stars, value) {
			t.Skip("no value that is sought")
		}
		m := maskOf(other, value)
		for _, form := range []string{
			value, url.QueryEscape(value), url.PathEscape(value), base64.StdEncoding.EncodeToString([]byte(value)),
			strconv.Quote(value),
		} {
			text := before + " " + form + " " + after
			if form == value { // whatever stands beside it
				text = before + form + after
			}
			if got := m.Text(text); strings.Contains(got, value) &&
				!strings.Contains(strings.ReplaceAll(text, value, ""), value) &&
				!strings.Contains(value, "*") {
				t.Errorf("%q of %q is in %q", form, value, got)
			} else if got == text {
				t.Errorf("%q stays", text)
			}
		}
		if before != "" || after != "" {
			words := m.Words([]string{before, value, after})
			if len(words) != 3 || strings.Contains(strings.Join(words, "\n"), value) && !strings.Contains(value, "*") &&
				!strings.Contains(before+"\n"+after, value) {
				t.Errorf("%q", words)
			}
		}
	})
}
