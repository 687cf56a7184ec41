package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ftsh/cmd/ftsh/manual"
)

// program is a command line as completions know it.
type program struct {
	name     string
	options  []option  // of a program without commands
	commands []command // that its first word names
}

// command describes a word that may be the first of a command line.
type command struct {
	name, usage string
	options     []option
	help        string // what --help prints below its first line
}

// option is one option; short or long may be empty.
type option struct {
	short, long string // without dashes
	value       string // what it takes, such as FILE; in brackets where that may be missing; "" for nothing
	words       []string
	usage       string
}

// takesFile reports whether the value is the name of a file.
func (o option) takesFile() bool {
	return o.value == "FILE" || o.value == "LOG" || o.value == "SPEC" || o.value == "URL|FILE"
}

// needsValue reports whether the next word belongs to the option.
func (o option) needsValue() bool { return o.value != "" && !strings.HasPrefix(o.value, "[") }

// spellings are the option's spellings.
func (o option) spellings() []string {
	var names []string
	if o.short != "" {
		names = append(names, "-"+o.short)
	}
	if o.long != "" {
		names = append(names, "--"+o.long)
	}
	return names
}

// shellCommand is ftsh: the fields of commandLine, each with the manual's words for it, and
// what the manual lists besides: the tools, such as --check, which only a first word names.
func shellCommand(root string) (program, error) {
	options, err := commandLineOptions(filepath.Join(root, "cmd/ftsh"))
	if err != nil {
		return program{}, err
	}
	rows, err := optionTable()
	if err != nil {
		return program{}, err
	}
	p := program{name: "ftsh"}
	known := map[string]bool{}
	for _, o := range options {
		name := o.spellings()[len(o.spellings())-1]
		at := slices.IndexFunc(rows, func(row optionRow) bool { return slices.Contains(row.spellings, name) })
		if at < 0 {
			return p, fmt.Errorf("manual/options.md has no row for %s", name)
		}
		row := rows[at]
		known[row.spellings[0]] = true
		if o.value, o.usage = row.value, row.usage; o.value == "[TOPIC]" {
			o.words = manual.Topics()
		}
		p.options = append(p.options, o)
	}
	for _, row := range rows {
		if name, long := strings.CutPrefix(row.spellings[0], "--"); long && !known[row.spellings[0]] {
			p.options = append(p.options, option{long: name, usage: row.usage})
		}
	}
	return p, nil
}

// commandLineOptions reads the tags of the struct commandLine among the sources of a folder.
func commandLineOptions(dir string) ([]option, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var options []option
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || spec.Name.Name != "commandLine" {
				return true
			}
			for _, one := range spec.Type.(*ast.StructType).Fields.List {
				if one.Tag != nil {
					text, _ := strconv.Unquote(one.Tag.Value)
					tag := reflect.StructTag(text)
					options = append(options, option{short: tag.Get("short"), long: tag.Get("long"),
						words: strings.Fields(tag.Get("words"))})
				}
			}
			return false
		})
	}
	if len(options) == 0 {
		return nil, fmt.Errorf("%s has no struct commandLine: %w", dir, fs.ErrNotExist)
	}
	return options, nil
}

// helpLine is an option in what ftshsim prints: "  -n, --seeds N  runs of each point".
var helpLine = regexp.MustCompile(`^  (?:-(\w), |    )--([\w-]+)(?: (\S+))?\s{2,}(.*)$`)

// helpCommand is a command where ftshsim lists what it can do.
var helpCommand = regexp.MustCompile(`(?m)^  (?:ftshsim )?([a-z]+)\b`)

// simulatorCommand is ftshsim, as it describes itself.
func simulatorCommand(path string) (program, error) {
	p := program{name: "ftshsim"}
	overview, err := exec.Command(path, "help").Output()
	if err != nil {
		return p, fmt.Errorf("%s help: %w", path, err)
	}
	known := map[string]bool{}
	for _, match := range helpCommand.FindAllStringSubmatch(string(overview), -1) {
		name := match[1]
		if known[name] {
			continue
		}
		known[name] = true
		help, err := exec.Command(path, name, "--help").Output()
		if err != nil {
			return p, fmt.Errorf("%s %s --help: %w", path, name, err)
		}
		first, rest, _ := strings.Cut(string(help), "\n")
		_, usage, _ := strings.Cut(first, ": ")
		p.commands = append(p.commands, command{
			name: name, usage: usage, help: strings.Trim(rest, "\n"), options: helpOptions(rest),
		})
	}
	return p, nil
}

// helpOptions reads the options out of a help text.
func helpOptions(help string) []option {
	var options []option
	for line := range strings.Lines(help) {
		match := helpLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if match != nil {
			options = append(options, option{short: match[1], long: match[2], value: match[3], usage: match[4]})
		}
	}
	return append(options, option{long: "help", usage: "print this"})
}
