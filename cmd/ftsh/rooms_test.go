package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// rooms says which rooms of this module each room may import; interp/doc.go tells the same, and
// the README shows it as a picture. Programs under cmd may import anything but the simulator's rooms, which are its
// own.
var rooms = map[string][]string{
	"ast":                {},
	"ast/diag":           {"ast"},
	"ast/printer":        {"ast"},
	"ast/constant":       {"ast"},
	"ast/units":          {"ast"},
	"ast/submission":     {},
	"ast/check":          {"ast", "ast/diag", "ast/constant", "ast/units"},
	"ast/check/findings": {"ast/check"},
	"ast/explain":        {"ast", "ast/constant", "ast/printer", "ast/units", "backoff"},
	"lexer":              {"lexer/quote", "ast"},
	"lexer/quote":        {},
	"parser":             {"lexer", "lexer/quote", "ast", "ast/diag", "ast/submission", "backoff"},
	"backoff":            {},
	"backoff/timers":     {},
	"backoff/shared":     {"backoff"},

	"backoff/shared/locked": {"backoff", "backoff/shared"},

	"interp": {"ast", "ast/diag", "ast/units", "ast/submission", "backoff", "backoff/shared",
		"interp/expand", "interp/value", "interp/world", "interp/event", "interp/durable",
		"interp/durable/filestate", "interp/files", "interp/output", "interp/brief"},
	"interp/world": {"ast", "backoff", "backoff/shared", "interp/files", "interp/value"},
	"interp/local": {"ast", "backoff", "backoff/shared", "backoff/shared/locked", "interp/files", "interp/output",
		"interp/process", "interp/world"},
	"interp/dry":    {"ast", "backoff", "backoff/shared", "interp/files", "interp/world"},
	"interp/files":  {},
	"interp/output": {"backoff", "interp/expand", "interp/value", "interp/files", "interp/world"},
	"interp/expand": {"ast", "ast/diag", "interp/value"},
	"interp/value":  {},
	"interp/process": {"backoff", "interp/process/cgroup", "interp/process/clock", "interp/process/guardian",
		"interp/process/procfs", "interp/files", "interp/world"},

	"interp/process/clock":    {"backoff", "backoff/timers"},
	"interp/process/procfs":   {"interp/process/clock"},
	"interp/process/cgroup":   {"interp/process/procfs"},
	"interp/process/guardian": {"backoff", "interp/process/clock"},

	"interp/jobs": {"backoff", "interp/jobs/batch", "interp/process/procfs", "interp/journal",
		"interp/brief", "interp/files", "interp/output", "interp/world"},
	"interp/event":   {"ast", "interp/brief"},
	"interp/brief":   {},
	"interp/durable": {"ast", "ast/diag", "ast/units", "interp/durable/filestate", "interp/journal"},

	"interp/durable/filestate": {"interp/journal"},

	"interp/journal": {},

	"interp/journal/memory": {"interp/journal"},

	"interp/repl": {"lexer", "lexer/quote", "parser", "ast", "ast/diag", "backoff", "interp", "interp/event",
		"interp/world"},
	"interp/progress": {"ast", "interp/event"},

	"interp/jobs/batch":      {},
	"interp/jobs/programs":   {"interp/jobs/batch", "interp/process", "interp/files", "interp/output", "interp/world"},
	"interp/jobs/slurm":      {"interp/jobs/batch", "interp/jobs/programs"},
	"interp/jobs/gridengine": {"interp/jobs/batch", "interp/jobs/programs"},

	"interp/inject":       {"backoff", "interp/world", "interp/event", "interp/expand"},
	"interp/event/page":   {},
	"interp/event/report": {"ast", "interp/event/page", "interp/brief"},

	"cmd/ftshsim/herd":           {"backoff", "backoff/shared"},
	"cmd/ftshsim/herd/spread":    {},
	"cmd/ftshsim/herd/server":    {"backoff", "cmd/ftshsim/herd", "cmd/ftshsim/herd/spread"},
	"cmd/ftshsim/herd/measure":   {},
	"cmd/ftshsim/herd/parameter": {"ast/constant", "backoff", "cmd/ftshsim/herd/server", "cmd/ftshsim/herd/spread"},
	"cmd/ftshsim/herd/crowd": {"backoff", "backoff/shared", "cmd/ftshsim/herd", "cmd/ftshsim/herd/server",
		"cmd/ftshsim/herd/spread", "cmd/ftshsim/herd/measure"},
	"cmd/ftshsim/herd/experiment": {"backoff", "backoff/shared", "cmd/ftshsim/herd", "cmd/ftshsim/herd/server",
		"cmd/ftshsim/herd/spread", "cmd/ftshsim/herd/crowd", "cmd/ftshsim/herd/measure", "cmd/ftshsim/herd/parameter"},
	"cmd/ftshsim/herd/picture": {"cmd/ftshsim/herd/measure", "cmd/ftshsim/herd/experiment"},
	"cmd/ftshsim/simulate": {"ast", "ast/constant", "ast/diag", "ast/printer", "parser", "backoff", "backoff/shared",
		"cmd/ftshsim/herd", "cmd/ftshsim/herd/server", "cmd/ftshsim/herd/measure", "cmd/ftshsim/herd/parameter",
		"cmd/ftshsim/herd/experiment", "interp", "interp/event", "interp/files", "interp/value", "interp/world",
		"cmd/ftshsim/world"},
	"cmd/ftshsim/choose": {"backoff", "cmd/ftshsim/herd", "cmd/ftshsim/herd/server", "cmd/ftshsim/herd/measure",
		"cmd/ftshsim/herd/parameter", "cmd/ftshsim/herd/experiment", "cmd/ftshsim/simulate"},
	"cmd/ftshsim/fit": {"cmd/ftshsim/herd/server", "cmd/ftshsim/herd/spread",
		"cmd/ftshsim/herd/measure", "interp", "cmd/ftshsim/world"},
	"cmd/ftshsim/world": {"ast", "ast/diag", "backoff", "cmd/ftshsim/herd/server", "cmd/ftshsim/herd/spread",
		"interp/expand"},
}

// knownTo says which room alone may know a library.
var knownTo = map[string][]string{
	"github.com/alecthomas/participle/v2": {"lexer", "parser"},
	"github.com/chzyer/readline":          {"interp/repl"},
	"gonum.org/v1/plot":                   {"cmd/ftshsim/herd/picture"},
}

// heavy lists what the shell must not import, since it would start more slowly,
// and who imports it nevertheless (what one brings, others may use).
//
// Readline has a part that talks over networks. Measured without cgo, net takes 6
// page faults of 280 and 2 % of the time of a start. With cgo the C library
// would come in, too, and the start takes half as long again: so the shell is
// built without. crypto checks itself at each start.
var heavy = map[string]string{
	"net": "github.com/chzyer/readline", "net/http": "", "runtime/cgo": "", "os/user": "",
	"os/exec": "", "text/template": "",
	"crypto": "", "crypto/tls": "",
}

// TestRooms holds the table of rooms.
func TestRooms(t *testing.T) {
	for room, imports := range packages(t, "./...") {
		allowed, known := rooms[room]
		if !known && (!strings.HasPrefix(room, "cmd/") || strings.HasPrefix(room, "cmd/ftshsim/")) {
			t.Errorf("%s is a room that the table does not have", room)
		}
		for _, path := range imports {
			inner, ours := strings.CutPrefix(path, "ftsh/")
			if ofSimulator(inner) && !ofSimulator(room) {
				t.Errorf("%s imports %s, which is the simulator's alone", room, inner)
			}
			if ours && known && !slices.Contains(allowed, inner) {
				t.Errorf("%s imports %s", room, inner)
			}
			for library, at := range knownTo {
				if (path == library || strings.HasPrefix(path, library+"/")) && !slices.Contains(at, room) {
					t.Errorf("%s imports %s, which only %v may know", room, path, at)
				}
			}
		}
	}
}

// ofSimulator reports whether a room is the simulator or stands below it.
func ofSimulator(room string) bool { return strings.HasPrefix(room+"/", "cmd/ftshsim/") }

// TestRoomsAreTold holds that the table in interp/doc.go says of all rooms that there are
// what the one above does.
func TestRoomsAreTold(t *testing.T) {
	told := roomsOfDoc(t)
	built := packages(t, "./...")
	for room, imports := range rooms {
		if _, exists := built[room]; !exists {
			continue // it is to be built, and so may be some that it may import
		}
		imports = slices.DeleteFunc(slices.Clone(imports), func(name string) bool { return built[name] == nil })
		slices.Sort(imports)
		if list, known := told[room]; !known || !slices.Equal(list, imports) {
			t.Errorf("interp/doc.go says that %s imports %q, the table %q", room, list, imports)
		}
	}
	for room := range told {
		if _, known := rooms[room]; !known {
			t.Errorf("interp/doc.go has a room %s that the table has not", room)
		}
	}
}

// roomsOfDoc reads the table of rooms in interp/doc.go: a line "room: what it is", and
// indented below it what it imports.
func roomsOfDoc(t *testing.T) map[string][]string {
	text, err := os.ReadFile("../../interp/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "// # Rooms\n")
	table, _, _ = strings.Cut(table, "// # ")
	told, room := map[string][]string{}, ""
	for line := range strings.Lines(table) {
		row, isRow := strings.CutPrefix(strings.TrimRight(line, "\n"), "//\t")
		list, isList := strings.CutPrefix(row, "    ")
		switch {
		case !isRow, strings.HasPrefix(row, "cmd/…:"):
			room = ""
		case !isList:
			room, _, _ = strings.Cut(row, ":")
			told[room] = []string{}
		case room != "":
			for name := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == ' ' }) {
				if name != "imports" && name != "nothing" {
					told[room] = append(told[room], name)
				}
			}
		}
	}
	for _, imports := range told {
		slices.Sort(imports)
	}
	return told
}

// TestStartsLight holds that the shell does not link what makes it start slowly.
func TestStartsLight(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-f", `{{.ImportPath}} {{join .Imports " "}}`, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		for _, path := range fields[1:] {
			if excused, is := heavy[path]; is && !slices.Contains(strings.Fields(excused), fields[0]) {
				t.Errorf("the shell links %s through %s", path, fields[0])
			}
		}
	}
}

// packages returns the imports of each room, tests left out.
func packages(t *testing.T, pattern string) map[string][]string {
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, pattern)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		found[strings.TrimPrefix(fields[0], "ftsh/")] = fields[1:]
	}
	return found
}
