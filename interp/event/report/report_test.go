package report

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the goldens anew")

// load reads a log of testdata; times are shown in UTC, whatever the machine's zone.
func load(t *testing.T, name string) *Story {
	t.Helper()
	file, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	s, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestGoldens compares the reports of whole logs.
func TestGoldens(t *testing.T) {
	logs, err := filepath.Glob("testdata/*.log")
	if err != nil || len(logs) == 0 {
		t.Fatal(logs, err)
	}
	for _, log := range logs {
		s := load(t, filepath.Base(log))
		for suffix, got := range map[string]string{".txt": s.Text(100), ".html": s.HTML()} {
			golden := strings.TrimSuffix(log, ".log") + suffix
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s:\n%s\nwant\n%s", golden, got, want)
			}
		}
	}
}

// read makes a story of lines without their common members.
func read(t *testing.T, lines ...string) *Story {
	t.Helper()
	var log strings.Builder
	for i, line := range lines {
		at := time.Date(2026, 11, 22, 3, 0, i, 0, time.UTC).Format(time.RFC3339)
		log.WriteString(`{"time":"` + at + `","shell":7,` + line + "}\n")
	}
	s, err := Read(strings.NewReader(log.String()))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFailuresAlone checks what is told of a log of the usual level: failed
// commands say themselves how long they took.
func TestFailuresAlone(t *testing.T) {
	s := read(t, `"event":"shell.signal","level":5`,
		`"event":"command.failed","level":10,"script":"a.ftsh","line":3,`+
			`"command":["cp","x"],"status":1,"failure":"exit","message":"ended with status 1","elapsed":0.5`)
	if len(s.lanes) != 1 || s.lanes[0].bars[0].length() != time.Second/2 {
		t.Errorf("%+v", s.lanes)
	}
	text := s.Text(80)
	for _, want := range []string{
		"a.ftsh:3  cp x  ended with status 1", "only in a log of level 30", "does not say how it ended",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestEndNotSeen checks that a command whose end is not in the log gets no length.
func TestEndNotSeen(t *testing.T) {
	text := read(t, `"event":"shell.start","level":30,"command":["x.ftsh"]`,
		`"event":"command.start","level":20,"id":1,"script":"a.ftsh","line":2,"command":["sleep","30"]`).Text(80)
	if !strings.Contains(text, "?     1      a.ftsh:2  (end not seen; the log stops after") || !strings.Contains(text,
		") sleep 30") {
		t.Errorf("the end of sleep 30 was not seen, but told of in\n%s", text)
	}
}

// TestSummaryAlone checks what is told of a log of level 5.
func TestSummaryAlone(t *testing.T) {
	failed := `"level":5,"script":"a.ftsh","line":2,"command":["sh"],"status":7,"failure":"exit","message":"ended ` +
		`with status 7","name":"x",`
	s := read(t, `"event":"script.failed",`+failed+`"value":"b","stderr":"a\nconnection refused\n"`,
		`"event":"script.branch",`+failed+`"value":"d","stderr":"connection refused"`,
		`"event":"script.branch",`+failed+`"value":"e"`)
	text := s.Text(80)
	for _, want := range []string{
		"failed: sh: ended with status 7", "\n  2      a.ftsh:2  sh    exit 7, connection refused  x=b x=d  ",
		"\n  1      a.ftsh:2  sh    exit 7                      x=e  ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, " ms from") {
		t.Errorf("a time that the log does not tell in\n%s", text)
	}
	if strings.Contains(text, "Time line") {
		t.Errorf("a time line of nothing in\n%s", text)
	}
}

// TestManyLanes checks that of many branches those are shown in which something failed, or took longest.
func TestManyLanes(t *testing.T) {
	lines := []string{`"event":"shell.start","level":30,"command":["x.ftsh"]`,
		`"event":"forall.start","level":30,"id":1,"name":"x","count":5000`}
	for i := range 400 {
		branch := strconv.Itoa(i + 1)
		lines = append(lines, `"event":"forall.branch","level":30,"id":1,"branch":`+branch+`,"name":"x","value":"`+branch+`"`,
			`"event":"command.start","level":20,"id":`+strconv.Itoa(i+2)+`,"parent":1,"branch":`+branch+`,"command":["make"]`)
		end := `"event":"command.end","level":20`
		if i == 399 {
			end = `"event":"command.failed","level":10,"status":1,"failure":"exit","message":"ended with status 1"`
		}
		lines = append(lines, end+`,"id":`+strconv.Itoa(i+2)+`,"parent":1,"branch":`+branch+`,"command":["make"]`)
	}
	lines = append(lines, `"event":"branch.failed","level":30,"id":1,"branch":400,"name":"x","value":"400",`+
		`"status":1,"failure":"exit","stderr":"no space left\n"`)
	s := read(t, lines...)
	text := s.Text(80)
	for _, want := range []string{"1 of 5,000 items failed.", "  ended with status 1, no space left  x=400  ",
		"\n  … and 360 more\n\nThe longest",
		"The branches\n  item   attempts  time  outcome\n  x=400  1         0 ms  exit 1, no space left\n",
		"\n  x=400 ", "… and 360 more, in which"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if !strings.Contains(s.HTML(), ">x=400<") {
		t.Error("the branch that failed is not drawn")
	}
}

// TestTorn checks that a log whose shell was killed is told of up to there.
func TestTorn(t *testing.T) {
	s := read(t, `"event":"shell.start","level":30,"command":["x.ftsh"]`,
		`"event":"try.start","level":30,"id":1`, `"event":"try.attempt","level":30,"id":1,"attempt":1`,
		`"event":"command.start","level":20,"id":2,"parent":1,"command":["rsync"]`, `"event":"assign","level":20`)
	if got := s.outcome(); got != "the log ends before the script did" {
		t.Error(got)
	}
	for bar := range s.allBars {
		if !bar.end.Equal(s.end) {
			t.Errorf("%s ends at %v, want the end of the log", bar.label, bar.end)
		}
	}
}

// TestNoLog checks what is refused.
func TestNoLog(t *testing.T) {
	for _, text := range []string{
		"", "Sat Nov 21 11:17:54 2026 [6364] -c:1 failed\n", `{"time":"2026-11-22T03:00:00Z"}`, "[1]\n",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

// TestMarkup checks that nothing in a log becomes markup.
func TestMarkup(t *testing.T) {
	s := read(t, `"event":"command.failed","level":10,"script":"<b>","line":1,`+
		`"command":["<script>alert(1)</script>","\u0000\u001b&\"'"],"message":"</title><i>"`)
	page := s.HTML()
	for _, bad := range []string{"<script", "<i>", "<b>", "\x00", "\x1b"} {
		if strings.Contains(page, bad) {
			t.Errorf("%q in the page", bad)
		}
	}
	if strings.Contains(page, "http:") || strings.Contains(page, "https:") {
		t.Error("the page refers to something elsewhere")
	}
}

// FuzzRead checks that no log makes the report fail, and that it is told in bounded space.
func FuzzRead(f *testing.F) {
	f.Add(`{"time":"2026-11-22T03:00:00Z","event":"try.attempt","level":30,"shell":7,"id":1,"branch":2,"attempt":1}
{"time":"0001-01-01T00:00:00Z","event":"command.failed","level":10,"id":2,"parent":1,"command":["a"],"elapsed":1e300}
{"time":"9999-01-01T00:00:00Z","event":"forall.branch","level":30,"shell":7,"id":1,"branch":2,"name":"x","value":"y"}`)
	f.Fuzz(func(t *testing.T, log string) {
		s, err := Read(strings.NewReader(log))
		if err != nil {
			return
		}
		_ = s.Text(80)
		if page := s.HTML(); strings.Count(page, "<svg") != 1 {
			t.Error("not one picture")
		}
	})
}
