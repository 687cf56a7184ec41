package interp

import (
	"context"
	"errors"
	"fmt"
	"os"

	"ftsh/interp/expand"
)

// The variables that cd sets.
const (
	pwd    = "PWD"
	oldpwd = "OLDPWD"
)

// runCd changes the directory of the frame, and PWD. OLDPWD is the one before, where
// `cd -` goes.
func (f *frame) runCd(_ context.Context, c invocation) error {
	if len(c.args) > 2 {
		return usage("cd [DIRECTORY]")
	}
	dir, err := f.cdTarget(c.args[1:])
	if err != nil {
		return err
	}
	next, err := f.openNext(dir)
	if err != nil {
		return fmt.Errorf("cannot go to %s: %w", dir, err)
	}
	before, _ := f.directory()
	f.standInDirectory(next)
	f.assign(f.run.variableNamed(oldpwd), expand.String(before))
	f.assign(f.run.variableNamed(pwd), expand.String(next.Name))
	return nil
}

// cdTarget returns the directory that cd goes to: its argument, the home directory, or for - the directory before.
func (f *frame) cdTarget(args []string) (string, error) {
	name := "HOME"
	switch {
	case len(args) == 1 && args[0] == "":
		return "", usage("cd [DIRECTORY]; the directory is an empty word")
	case len(args) == 1 && args[0] == "-":
		name = oldpwd
	case len(args) == 1:
		return args[0], nil
	}
	value, set := f.Lookup(name)
	dir, err := value.Text()
	if !set || err != nil || dir == "" {
		return "", errors.New(name + " is not set; name the directory to go to")
	}
	return dir, nil
}

// directory is the absolute name of the frame's directory.
func (f *frame) directory() (string, error) {
	if f.dir.Name != "" {
		return f.dir.Name, nil
	}
	return os.Getwd()
}

func (f *frame) runPwd(ctx context.Context, c invocation) error {
	if len(c.args) > 1 {
		return usage("pwd")
	}
	dir, err := f.directory()
	if err != nil {
		return err
	}
	return f.printText(ctx, c.pos, dir+"\n")
}
