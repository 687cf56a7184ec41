package everywhere

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"ftsh/ast"
	"ftsh/interp"
	"ftsh/parser"
)

// A script is one of the corpus. Comments at its start say what cannot be seen in it:
//
//	# args: a 'b c'    its arguments, as sh reads them
//	# tags: rereads    properties that the table of differences speaks of
//
// NAME.stdin is its standard input, NAME.stdout what it must write.
type script struct {
	name    string
	text    string
	args    string
	flags   string
	environ []string
	stdin   string
	want    string            // what it must write to standard output, if that is said
	files   map[string]string // what lies beside it
	tags    map[string]bool   // properties, from its comments and from its tree
}

// has reports whether the script has one of the properties.
func (s *script) has(tags ...string) bool {
	return slices.ContainsFunc(tags, func(tag string) bool { return s.tags[tag] })
}

// corpus is all scripts: those of this room, the conformance cases, the examples, and the matrix.
func corpus(t testing.TB) []*script {
	t.Helper()
	var all []*script
	for _, path := range glob(t, "scripts/*.txtar") {
		all = append(all, readArchive(t, path)...)
	}
	for _, path := range glob(t, "../conformance*/*.txtar") {
		if name := nameOf(path, ".txtar"); notHere[name] == "" {
			all = append(all, readCase(t, path, name))
		}
	}
	all = append(all, readExamples(t)...)
	all = append(all, matrix()...)
	for _, s := range all {
		s.describe(t)
	}
	return all
}

func nameOf(path, extension string) string { return strings.TrimSuffix(filepath.Base(path), extension) }

// notHere names the conformance cases that are left out, with the reason.
var notHere = map[string]string{
	"cancel_stubborn":             "it takes seconds",
	"cancel_whole_tree":           "it looks at all processes of the machine",
	"exit_signal":                 "the shell under test need not be the parent of its script's process",
	"finally_under_way":           "it takes seconds",
	"forall_parallel":             "it takes seconds",
	"log_levels":                  "it is about the options of the log",
	"secret_is_masked":            "it is about the options of the log",
	"try_attempts_and_catch":      "it takes seconds",
	"try_default_cap":             "it takes seconds",
	"try_never_sleeps_past_limit": "it takes seconds",
	"try_retryafter":              "it takes seconds",
	"try_one_command":             "it takes seconds",
	"forall_limit":                "it takes seconds",
}

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no %s: %v", pattern, err)
	}
	return paths
}

// readArchive returns the scripts of an archive of this room.
func readArchive(t testing.TB, path string) []*script {
	t.Helper()
	archive := parseArchive(t, path)
	beside := map[string]string{}
	for name, text := range archive {
		if isScript := name == "" || !strings.Contains(name, "/") && strings.HasSuffix(name, ".ftsh"); !isScript &&
			!strings.HasSuffix(name, ".stdin") && !strings.HasSuffix(name, ".stdout") {
			beside[name] = text
		}
	}
	var scripts []*script
	for name, text := range archive {
		if base, ok := strings.CutSuffix(name, ".ftsh"); ok && !strings.Contains(name, "/") {
			scripts = append(scripts, &script{
				name: base, text: text, stdin: archive[base+".stdin"], want: archive[base+".stdout"], files: beside,
				tags: map[string]bool{},
			})
		}
	}
	slices.SortFunc(scripts, func(a, b *script) int { return strings.Compare(a.name, b.name) })
	return scripts
}

// readCase returns the script of a conformance case.
func readCase(t testing.TB, path, name string) *script {
	t.Helper()
	files := parseArchive(t, path)
	s := &script{name: "case_" + name, text: files["script.ftsh"], stdin: files["stdin"], want: files["stdout"],
		files: map[string]string{}, tags: map[string]bool{}}
	for line := range strings.Lines(files[""]) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), ": "); key {
		case "args":
			s.args = value
		case "flags":
			s.flags = value
		}
	}
	for file, text := range files {
		if !slices.Contains([]string{"", "script.ftsh", "stdin", "stdout", "stdout.sorted", "stderr.has", "stderr.hasnot",
			"absent"}, file) &&
			!strings.HasPrefix(file, "after/") {
			s.files[file] = text
		}
	}
	return s
}

// parseArchive returns the files of an archive; its comment is the one without a name.
func parseArchive(t testing.TB, path string) map[string]string {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"": string(archive.Comment)}
	for _, file := range archive.Files {
		files[file.Name] = string(file.Data)
	}
	return files
}

// structures and redirections make the matrix: each structure with each redirection, as it succeeds and as it fails.
var (
	structures = map[string]string{
		"program":  "sh -c 'echo one; echo two >&2; exit STATUS'",
		"builtin":  "echo one two",
		"function": "work STATUS",
		"if":       "if true\n    echo one\n    sh -c 'echo two; exit STATUS'\nend",
		"for":      "for x in 1 2\n    echo $x\n    sh -c 'echo two; exit STATUS'\nend",
		"while": "while try sh -c 'echo x >> turns; test $(wc -l < turns) -le 2'\n    echo turn\n" +
			"    sh -c 'exit STATUS'\nend",
		"try": "try 2 times every 1 ms\n    echo one\n" +
			"    sh -c 'echo x >> n; test STATUS -eq 0 -a $(wc -l < n) -ge 2'\nend",
		"catch":   "try\n    echo one\n    false\ncatch\n    echo caught\n    sh -c 'exit STATUS'\nend",
		"forany":  "forany x in 1 2 .inorder.\n    echo $x\n    sh -c \"test STATUS -eq 0 -a $x -eq 2\"\nend",
		"hedge":   "forany x in 1 2 .inorder. .hedge. 5 s\n    echo $x\n    sh -c \"test STATUS -eq 0 -a $x -eq 2\"\nend",
		"forall":  "forall x in 1 2 .keepgoing.\n    sh -c \"echo one; exit STATUS\"\nend",
		"grouped": "forall x in 1 2 .grouped. .keepgoing.\n    sh -c \"echo $x; exit STATUS\"\nend",
		"verify": "try 1 time unknown on 3\n    echo one\n    sh -c 'exit 3'\nverify\n    echo two\n" +
			"    sh -c 'exit STATUS'\nend",
		"finally":  "try\n    echo one\n    sh -c 'exit STATUS'\nfinally\n    echo two\nend",
		"pipeline": "true | sh -c 'echo one; exit STATUS'",
		"here":     "on here\n    sh -c 'echo one; exit STATUS'\nend",
	}
	redirections = map[string]string{
		"out": "> out", "append": ">> out", "atomic": "=> out", "both": ">& out", "append_both": ">>& out",
		"descriptor": "3> out", "dup": "> out 2>&1",
		"var": "-> v", "append_var": "->> v", "both_var": "->& v", "append_both_var": "->>& v", "input": "< data",
		"input_var": "-< text", "here_document": "<< EOT\ntext of $x\nEOT",
	}
)

// matrix is a script for each structure, redirection and outcome.
func matrix() []*script {
	const around = "function work\n    echo one\n    sh -c \"echo two; exit $1\"\nend\nx=outer\ntext=\"two\nlines\"\n" +
		"v=old\ntry\nWORK\ncatch\n    echo \"caught ${error.kind} ${error.status}\"\nend\necho \"[$v]\"\n"
	var all []*script
	for _, structure := range sortedKeys(structures) {
		for _, redirection := range sortedKeys(redirections) {
			for status, outcome := range []string{"fine", "fails"} {
				work := strings.ReplaceAll(structures[structure]+" "+redirections[redirection], "STATUS",
					strings.Repeat("3", status)+strings.Repeat("0", 1-status))
				all = append(all, &script{
					name: "matrix_" + structure + "_" + redirection + "_" + outcome, text: strings.Replace(around, "WORK", work, 1),
					files: map[string]string{"data": "two\nlines\n", "out": "old\n"}, tags: map[string]bool{"matrix": true},
				})
			}
		}
	}
	return all
}

// repeatsDiffer matches commands that do something else when they are run again.
var repeatsDiffer = regexp.MustCompile(`wc -l|wc -c|\bmkdir\b|\brm\b|\bmv\b|\bln\b|grep -c|try\.attempt|FTSH_ATTEMPT`)

// describe finds the properties of a script.
func (s *script) describe(t testing.TB) {
	t.Helper()
	for line := range strings.Lines(s.text) {
		if args, ok := strings.CutPrefix(line, "# args: "); ok {
			s.args = strings.TrimSpace(args)
		}
		if tags, ok := strings.CutPrefix(line, "# tags: "); ok {
			for tag := range strings.FieldsSeq(tags) {
				s.tags[tag] = true
			}
		}
	}
	if s.name == "case_forall_brittle_and_isolated" {
		s.tags["racy"] = true // whether the slow branch has begun
	}
	if s.stdin != "" {
		s.tags["reads"] = true
	}
	s.tags["counts"] = repeatsDiffer.MatchString(s.text)
	s.tags["pieces"] = strings.Contains(s.text, "printf ") || strings.Contains(s.text, "echo -n")
	file, err := parseText(s.text)
	if err != nil {
		s.tags["syntax"] = true
		return
	}
	s.tags["sees stderr"] = file.ReadsStderr || strings.Contains(s.text, " matching ")
	ast.Walk(&file.Body, nil, func(node any, _ *ast.Place) bool {
		for _, tag := range tagsOf(node) {
			s.tags[tag] = true
		}
		if p, ok := node.(*ast.Pipeline); ok && mixed(file, p) {
			s.tags["mixed"] = true
		}
		return true
	})
}

// mixed reports whether a stage of a pipeline is no program.
func mixed(file *ast.File, p *ast.Pipeline) bool {
	return slices.ContainsFunc(p.Stages, func(stage *ast.Command) bool {
		name, _ := stage.Words[0].Literal()
		return interp.IsBuiltin(name) || slices.ContainsFunc(file.Body.List, func(s ast.Stmt) bool {
			function, ok := s.Node.(*ast.Function)
			return ok && function.Name == name
		})
	})
}

func parseText(text string) (*ast.File, error) {
	return parser.Parse(&ast.Source{Name: "script.ftsh", Text: text}, parser.Config{
		ReadFile: func(string) ([]byte, error) { return nil, nil }, // what is sourced is not looked at
	})
}

// tagsOf returns the properties that a node gives to its script.
func tagsOf(node any) []string {
	switch n := node.(type) {
	case *ast.SourceFile:
		return []string{"top"}
	case *ast.On:
		if n.Engine == ast.Start {
			return []string{"top"}
		}
	case *ast.Pipeline:
		return []string{"parallel", "pipeline"}
	case *ast.Try:
		switch {
		case n.Verify != nil:
			return []string{"decides", "verifies"}
		case n.Limited() || n.Catch != nil:
			return []string{"decides"}
		}
	case *ast.For:
		switch {
		case n.Kind == ast.Any && n.Hedge != nil:
			if !n.Inorder {
				return []string{"decides", "parallel", "hedges", "random"}
			}
			return []string{"decides", "parallel", "hedges"}
		case n.Kind == ast.Any && n.Inorder:
			return []string{"decides"}
		case n.Kind == ast.Any:
			return []string{"decides", "random"}
		case n.Kind == ast.All && n.Grouped:
			return []string{"parallel", "grouped"}
		case n.Kind == ast.All:
			return []string{"parallel"}
		}
	case *ast.Command:
		switch name, _ := n.Words[0].Literal(); name {
		case "exit", "exec":
			return []string{name}
		case "giveup":
			return []string{"gives up"}
		}
	}
	return nil
}
