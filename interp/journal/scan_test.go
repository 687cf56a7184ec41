package journal

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// parsedLines are lines, and what is read in them.
var parsedLines = map[string]string{
	`{"n":3,"synced":2,"at":"2001-09-09T01:46:40.000Z","kind":"k","changes":[]}`: "3 2 k []",
	`{}`:                               "0 0  []",
	`{"n":1,"kind":"a\"b\\\u00e9\n"}`:  "1 0 a\"b\\é\n []",
	`{"kind":{"base64":"/w=="}}`:       "0 0 \xff []",
	`{"kind":{"base64":"_"}}`:          "error",
	`{"kind":{"base64":7}}`:            "error",
	`{"kind":{"base64":{"base64":7}}}`: "error",
	`{"kind":7}`:                       "error",
	`{"at":"a\q"}`:                     "error",
	`{"at":{"base64":"_"}}`:            "error",
	`{"kind":"a\q"}`:                   "error",
	`{"kind":"a\`:                      "error",
	`{"kind":"a`:                       "error",
	`{"kind":`:                         "error",
	`{"kind"`:                          "error",
	`{"kind" "a"}`:                     "error",
	`{"kind":"a" "n":1}`:               "error",
	`{"kind":"a"`:                      "error",
	`{kind:"a"}`:                       "error",
	`{"`:                               "error",
	`{"}`:                              "error",
	`{`:                                "error",
	`{,}`:                              "error",
	``:                                 "error",
	`[]`:                               "error",
	`{}x`:                              "error",
	`{"n":1}{}`:                        "error",
	`{"n":-1}`:                         "error",
	`{"n":1.5}`:                        "error",
	`{"n":"1"}`:                        "error",
	`{"n":}`:                           "error",
	`{"n":0}`:                          "0 0  []",
	`{"n":99999999999999999999}`:       "error",
	`{"synced":x}`:                     "error",
	`{"version":x}`:                    "error",
	`{"machine":1}`:                    "error",
	`{"host":1}`:                       "error",
	`{"recent":1}`:                     "error",
	`{"at":1}`:                         "error",
	`{"at":"yesterday"}`:               "error",
	`{"later":{"a":[1,{"b":"]}"}],"c":"\"}"},"n":4}`: "4 0  []",
	`{"later":true,"n":5}`:                           "5 0  []",
	`{"later":[[],{}],"n":6}`:                        "6 0  []",
	`{"later":"x","n":7}`:                            "7 0  []",
	`{"later":[1,2`:                                  "error",
	`{"later":"x`:                                    "error",
	`{"changes":{}}`:                                 "error",
	`{"changes":[1]}`:                                "error",
	`{"changes":[{}`:                                 "error",
	`{"changes":[{} {}]}`:                            "error",
	`{"changes":[{}}]}`:                              "error",
	`{"changes":[{"path":"a/b","key":"k","value":{"x":[1,2]}},{"path":"c","drop":true}]}`: `0 0  ` +
		`[{a/b k {"x":[1,2]} false 0 0} {c   true 0 0}]`,
	`{"changes":[{"path":"a","key":"k","file":12,"sum":"0000ff10","later":1}]}`: "0 0  [{a k  false 12 65296}]",
	`{"changes":[{"path":"a","key":"k"},{"value":null}]}`: "0 0  [{a k  false 0 0} {  null " +
		"false 0 0}]",
	`{"changes":[{"path":1}]}`:          "error",
	`{"changes":[{"key":1}]}`:           "error",
	`{"changes":[{"value":}]}`:          "error",
	`{"changes":[{"drop":}]}`:           "error",
	`{"changes":[{"file":-1}]}`:         "error",
	`{"changes":[{"sum":1}]}`:           "error",
	`{"changes":[{"sum":"xyz"}]}`:       "error",
	`{"changes":[{"sum":"1ffffffff"}]}`: "error",
	`{"changes":[{"later":}]}`:          "error",
	`{"later":}`:                        "error",
}

// TestParseLine has lines whose check holds, as a program with a fault or a later one might write them: what they say,
// or that they have not the shape of a record.
func TestParseLine(t *testing.T) {
	for line, want := range parsedLines {
		p := parsed{changes: make([]parsedChange, 3)}
		got := "error"
		if err := p.parseLine([]byte(line)); err == nil {
			var changes []string
			for _, c := range p.changes {
				changes = append(changes, fmt.Sprintf("{%s %s %s %v %d %d}", c.Path, c.Key, c.Value, c.Drop, c.file, c.sum))
			}
			got = fmt.Sprintf("%d %d %s [%s]", p.n, p.synced, p.kind, strings.Join(changes, " "))
		}
		if got != want {
			t.Errorf("%s\nis %q\nwanted %q", line, got, want)
		}
	}
	var p parsed
	line := `{"at":"2001-09-09T01:46:40.500Z","version":9,"machine":"m","host":"h","recent":"r"}`
	if err := p.parseLine([]byte(line)); err != nil || !p.at.Equal(time.Unix(1e9, 5e8)) || p.version != 9 ||
		p.machine != "m" || p.host != "h" || p.recent != "r" {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestQuoted has strings that come back from JSON as they were, and how they stand there.
func TestQuoted(t *testing.T) {
	for s, want := range map[string]string{
		"": `""`, "a b": `"a b"`, "<&>": `"<&>"`, "\"\\": `"\"\\"`, "a\nb\tc": `"a\nb\tc"`, "\r": `"\u000d"`,
		"\x00\x1f": `"\u0000\u001f"`,
		"\x7f":     `"\u007f"`, "é ": `"é "`, "\xff": `{"base64":"/w=="}`, "a\xf0": `{"base64":"YfA="}`, "a\"": `"a\""`,
	} {
		text := Quote(s)
		if string(text) != want || !json.Valid(text) {
			t.Errorf("%q: %s", s, text)
		}
		var back Text
		if err := json.Unmarshal(text, &back); err != nil || string(back) != s {
			t.Errorf("%s: %q, %v", text, back, err)
		}
		if again, err := Text(s).MarshalJSON(); err != nil || string(again) != want {
			t.Errorf("%q: %s, %v", s, again, err)
		}
	}
	for _, text := range []string{``, `1`, `"a`, `"a" `, `{}x`, `{"base64":"/w=="}}`, `null`, `{"base64":"*"}`} {
		if s, err := Unquote(json.RawMessage(text)); err == nil || !strings.Contains(err.Error(), "base64") {
			t.Errorf("%s: %q, %v", text, s, err)
		}
	}
}

// TestNote has what a record says to people.
func TestNote(t *testing.T) {
	got := string(appendNote(nil, map[string]any{"b": 1, "a": "x\xff", "c\xff": []int{1}, "d": func() {}, "e": "y"}))
	want := `{"a":{"base64":"eP8="},"b":1,"c` + "\uFFFD" + `":[1],"d":null,"e":"y"}`
	if got != want {
		t.Errorf("%s\nwanted\n%s", got, want)
	}
	if got := string(appendNote(nil, nil)); got != "{}" {
		t.Error(got)
	}
}

// TestClaimedCheck has what a line ends with.
func TestClaimedCheck(t *testing.T) {
	const good = `{"n":1,"crc":"01234567"}`
	text, c, ok := claimedCheck([]byte(good))
	if string(text) != `{"n":1` || string(c[:]) != "01234567" || !ok {
		t.Errorf("%s, %s, %v", text, c, ok)
	}
	for _, line := range []string{"", `,"crc":"0123456"}`, `{"n":1,"crc":"01234567"]`, `{"n":1,"cre":"01234567"}`, good +
		"x"} {
		if _, _, ok := claimedCheck([]byte(line)); ok {
			t.Errorf("%s ends as a line should", line)
		}
	}
	if _, _, ok := claimedCheck([]byte(`,"crc":"01234567"}`)); !ok {
		t.Error("nothing but a check")
	}
}

// TestWhyCorrupt has files that no crash leaves, and why they are corrupt; "" where they are read.
func TestWhyCorrupt(t *testing.T) {
	type line struct {
		synced int
		body   string
	}
	const header = `"kind":"journal","version":2`
	wrongFormat := func(format int) string {
		return fmt.Sprintf("line 1: it is of format %d, and this program knows 2: "+
			"go on with the program that has written it, or remove it", format)
	}
	for _, test := range []struct {
		lines  []line
		more   string
		reason string
		torn   int
	}{
		{[]line{{0, header}}, "", "", 0},
		{[]line{{0, header}, {1, `"kind":"k"`}}, "", "", 0},
		{[]line{{0, header}, {1, `"kind":"k"`}}, "half", "", 1},
		{[]line{{0, header}, {1, `"kind":"k"`}}, "half\nnext\n", "", 2},
		{[]line{{0, header}, {2, `"kind":"k"`}}, "", "", 0},
		{[]line{{0, header}, {3, `"kind":"k"`}}, "", "line 3: it was on disk, and is missing", 0},
		{[]line{{0, header}, {3, `"kind":"k"`}}, "half", "line 3: it was on disk, and is no longer what was written", 1},
		{nil, "", "line 1: it is not the first line of a journal", 0},
		{nil, "half", "line 1: it is not the first line of a journal", 1},
		{[]line{{0, `"kind":"k"`}}, "", "line 1: it is not the first line of a journal", 1},
		{[]line{{0, `"kind":"journal","version":1`}}, "", wrongFormat(1), 0},
		{[]line{{0, `"kind":"journal","version":3`}}, "", wrongFormat(3), 0},
		{[]line{{0, header}, {0, `"kind":7`}}, "", "line 2: its check holds, but it has not the shape of a record", 0},
	} {
		var text []byte
		p := position{check: firstCheck}
		for _, l := range test.lines {
			text = p.appendLine(text, l.synced, []byte(l.body))
		}
		r, err := recoverText("j", append(text, test.more...), 0, false)
		reason := ""
		if corrupt, ok := err.(*CorruptError); ok {
			reason = fmt.Sprintf("line %d: %s", corrupt.Line, corrupt.Reason)
		}
		if reason != test.reason || r.torn != test.torn {
			t.Errorf("%+v: %q, %d torn", test, reason, r.torn)
		}
	}
}
