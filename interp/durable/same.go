package durable

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/interp/journal"
)

// The keys of what a script must have in common with the one that a journal was begun with.
const (
	keyGiven     = "given" // its arguments
	keyStatement = "s:"    // and, with their numbers, the statements at the top level that have begun
	keyWhole     = "whole" // of a script that has finished: the checksums of all statements at the top level
)

// savedStatement is the journal's record of a statement at the top level: a checksum, and
// one for each statement in it, to find the line that was changed.
type savedStatement struct {
	Sum   string `json:"sum"`
	Lines string `json:"lines,omitempty"`
}

// saveStatement computes the checksums of a statement without its comments.
func (s *Script) saveStatement(stmt *ast.Stmt) savedStatement {
	saved := savedStatement{Sum: s.sum(*stmt)}
	var lines strings.Builder
	within(stmt, func(inner *ast.Stmt) { fmt.Fprintf(&lines, "%08x", s.line(inner)) })
	saved.Lines = lines.String()
	return saved
}

// within visits the statements that a statement consists of, in the order of the text.
func within(s *ast.Stmt, visit func(inner *ast.Stmt)) {
	ast.Walk(&ast.Group{List: []ast.Stmt{*s}}, nil, func(node any, _ *ast.Place) bool {
		if inner, ok := node.(*ast.Stmt); ok {
			visit(inner)
		}
		return true
	})
}

// line is the checksum of a command, or of the first line of a block.
func (s *Script) line(stmt *ast.Stmt) uint32 {
	text := s.Canonical(*stmt)
	if _, command := stmt.Node.(*ast.Command); !command {
		text, _, _ = strings.Cut(text, "\n")
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(text))
	return sum.Sum32()
}

// sum is the checksum of a statement's text without comments, with that of what it sources.
func (s *Script) sum(stmt ast.Stmt) string {
	text := s.wholeText(stmt)
	sum := fnv.New128a() // no package of crypto, which would make the shell start more slowly
	_, _ = sum.Write([]byte(text))
	return hex.EncodeToString(sum.Sum(nil))
}

// wholeText is a statement's text, with that of what it sources, and so on, but for definitions of functions.
func (s *Script) wholeText(stmt ast.Stmt) string {
	text := s.Canonical(stmt)
	ast.Walk(&ast.Group{List: []ast.Stmt{stmt}}, nil, func(node any, _ *ast.Place) bool {
		if source, ok := node.(*ast.SourceFile); ok {
			for _, inner := range source.File.Body.List {
				if !isDefinition(&inner) {
					text += s.wholeText(inner)
				}
			}
		}
		return true
	})
	return text
}

// sums keeps the checksums of functions.
type sums struct {
	mu   sync.Mutex
	list map[*ast.Function]string
}

// functionSum is the checksum of a function's text, computed once.
func (s *Script) functionSum(function *ast.Function) string {
	s.sums.mu.Lock()
	defer s.sums.mu.Unlock()
	sum, known := s.sums.list[function]
	if !known {
		if s.sums.list == nil {
			s.sums.list = make(map[*ast.Function]string)
		}
		sum = s.sum(ast.Stmt{Pos: function.Pos, Node: function})
		s.sums.list[function] = sum
	}
	return sum
}

// noteStatement notes that a statement of the top level begins.
func (s *Script) noteStatement(p *Place, stmt *ast.Stmt) {
	key := keyStatement + strconv.Itoa(p.at)
	if _, known := s.past.Get("", key); !known {
		p.kept = append(p.kept, Set("", key, s.saveStatement(stmt)))
	}
}

// Differs tells what makes a script and its arguments another one than those with which the journal was
// begun, as far as that has come: an error with the first line of the script that differs. nil: nothing does. Of a
// script that has failed the statement may differ in which it did, and functions may that were running.
func (s *Script) Differs(file *ast.File, args []string, failed bool) error {
	image := s.image()
	var given []Text
	if read(image, "", keyGiven, &given) && !slices.Equal(given, texts(args)) {
		words := make([]string, len(given))
		for i, word := range given {
			words[i] = string(word)
		}
		begun := cmp.Or(ast.OneLine(strings.Join(words, " "), mostArguments), "none")
		return fmt.Errorf("the arguments differ: the journal was begun with %s", begun)
	}
	var begun []int
	for _, key := range image.Keys("") {
		text, statement := strings.CutPrefix(key, keyStatement)
		if i, err := strconv.Atoi(text); statement && err == nil {
			begun = append(begun, i)
		}
	}
	slices.Sort(begun)
	at, _ := image.Get("", keyAt)
	for _, i := range begun {
		if failed && strconv.Itoa(i) == string(at) {
			return nil
		}
		if err := s.statementDiffers(file, i); err != nil {
			return err
		}
	}
	return s.functionDiffers(file, image, "", UnderWay)
}

// mostArguments limits the characters that a message shows of a script's arguments.
const mostArguments = 4096

// texts gives words as they stand in the journal.
func texts(words []string) []Text {
	list := make([]Text, len(words))
	for i, word := range words {
		list[i] = Text(word)
	}
	return list
}

func (s *Script) statementDiffers(file *ast.File, i int) error {
	var saved savedStatement
	read(s.image(), "", keyStatement+strconv.Itoa(i), &saved)
	index := IndexOf(&file.Body, i)
	if index == len(file.Body.List) {
		return fmt.Errorf("%s: the script ends before statement %d, which has begun", file.Source.Name, i+1)
	}
	stmt := &file.Body.List[index]
	if saved.Sum == s.sum(*stmt) {
		return nil
	}
	differs, rest := stmt.Pos, saved.Lines
	found := false
	within(stmt, func(inner *ast.Stmt) {
		if !found && !strings.HasPrefix(rest, fmt.Sprintf("%08x", s.line(inner))) {
			differs, found = inner.Pos, true
		}
		rest = rest[min(len(rest), 8):]
	})
	return diag.Errorf(differs, "this differs from the script that the journal was begun with, and has begun")
}

// sumsOf is the checksums of all statements at the top level.
func (s *Script) sumsOf(file *ast.File) []string {
	list := make([]string, 0, len(file.Body.List))
	for _, stmt := range file.Body.List {
		if !isDefinition(&stmt) {
			list = append(list, s.sum(stmt))
		}
	}
	return list
}

// FinishedDiffers tells what makes a script another one than that which finished, where [Script.Differs] finds nothing:
// a statement that it did not come to, or a new one. nil: nothing does.
func (s *Script) FinishedDiffers(file *ast.File) error {
	var whole []string
	if !read(s.image(), "", keyWhole, &whole) {
		return nil
	}
	now := s.sumsOf(file)
	for i, sum := range now {
		if i >= len(whole) || sum != whole[i] {
			return diag.Errorf(file.Body.List[IndexOf(&file.Body, i)].Pos, "this differs from the script that has finished")
		}
	}
	if len(now) < len(whole) {
		return fmt.Errorf("%s: the script that has finished had %d statements, and this has %d",
			file.Source.Name, len(whole), len(now))
	}
	return nil
}

// calledFunction is a function that is running, as the journal has it.
type calledFunction struct {
	Name string `json:"name"`
	Sum  string `json:"sum"` // of its text
}

// children lists the nodes below one that are looked at.
type children func(image *journal.Image, path string) []string

// functionDiffers looks for a function that is running and was changed.
func (s *Script) functionDiffers(file *ast.File, image *journal.Image, path string, below children) error {
	var called calledFunction
	if read(image, path, keyFunction, &called) {
		i := slices.IndexFunc(file.Functions, func(f *ast.Function) bool { return f.Name == called.Name })
		if i < 0 {
			return fmt.Errorf("%s: there is no function %s any more, which is running", file.Source.Name, called.Name)
		}
		f := file.Functions[i]
		if s.sum(ast.Stmt{Pos: f.Pos, Node: f}) != called.Sum {
			return diag.Errorf(f.Pos, "function %s differs from what it was when it began, and is running", f.Name)
		}
	}
	for _, child := range below(image, path) {
		if err := s.functionDiffers(file, image, join(path, child), below); err != nil {
			return err
		}
	}
	return nil
}
