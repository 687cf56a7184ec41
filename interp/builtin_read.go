package interp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp/value"
)

const readSynopsis = usage("read [-s SEPARATOR] NAME …")

// runRead puts the fields of one line of standard input into variables. At the end of
// the input all of them are empty, and it fails with status 1.
func (f *frame) runRead(ctx context.Context, c invocation) (err error) {
	separator, names, err := readArguments(c.args[1:])
	if err != nil {
		return err
	}
	if failure := f.lostInput(false, f.io.files[0]); failure != nil {
		return failure
	}
	leave := f.place.Reading(f, f.io.files[0])
	defer func() { leave(err == nil) }()
	line, err := f.inputLine(ctx)
	switch {
	case err == nil || err == io.EOF:
	case err == context.Cause(ctx):
		return f.cutOff(ctx, c.pos)
	default:
		return &Failure{Kind: KindSystem, Status: 1, Message: fmt.Sprintf("cannot read standard input: %v", err)}
	}
	for i, name := range names {
		field := line
		switch {
		case i < len(names)-1:
			field, line = cutField(line, separator)
		case len(names) > 1 && separator == "":
			field = strings.Trim(line, " \t")
		}
		if failed := f.assignName(name, value.String(field)); failed != nil {
			return failed
		}
	}
	if err == io.EOF {
		return errors.New("the input has ended")
	}
	return nil
}

// readArguments takes the words after `read` apart. An empty separator stands for
// blanks and tabs.
func readArguments(args []string) (separator string, names []string, err error) {
	if len(args) > 1 && args[0] == "-s" {
		if separator, args = args[1], args[2:]; separator == "" {
			return "", nil, fmt.Errorf("the separator is empty; %w", readSynopsis)
		}
	}
	if len(args) == 0 {
		return "", nil, readSynopsis
	}
	for _, name := range args {
		if !ast.IsName(name) {
			return "", nil, fmt.Errorf("%s is no name of a variable; %w", strconv.Quote(name), readSynopsis)
		}
	}
	return separator, args, nil
}

// cutField takes the first field off a line.
func cutField(line, separator string) (field, rest string) {
	if separator != "" {
		field, rest, _ = strings.Cut(line, separator)
		return field, rest
	}
	line = strings.TrimLeft(line, " \t")
	end := strings.IndexAny(line, " \t")
	if end < 0 {
		return line, ""
	}
	return line[:end], line[end:]
}

// inputLine reads a line of standard input, without its newline. After the last line it gives io.EOF.
func (f *frame) inputLine(ctx context.Context) (string, error) {
	fd := f.io.files[0]
	if fd == closed {
		return "", unix.EBADF
	}
	return f.run.World.ReadLine(ctx, fd)
}

// assignName assigns to a variable whose name was a word of a command. The parser knows
// the names that are written there; one that comes out of a value is known only if the
// script mentions it elsewhere.
func (f *frame) assignName(name string, value value.Value) error {
	number, mentioned := f.run.names.Lookup(name)
	if !mentioned {
		return fmt.Errorf("the script mentions no variable %s; write its name as it is", name)
	}
	f.assign(&ast.Var{Name: name, Number: number, Local: f.localNumber(name)}, value)
	return nil
}
