package interp

import (
	"errors"
	"path/filepath"
	"strings"

	"ftsh/interp/files"
	"ftsh/interp/process"
)

// standInDirectory has the frame stand in another directory, which it then owns.
func (f *frame) standInDirectory(d files.Directory) {
	f.dir.Leave()
	f.dir = d
}

// standIn has it stand in the directory of that absolute name. If that is not to be had, whatever is done there fails.
func (f *frame) standIn(name string) {
	d := files.Directory{Directory: process.Directory{Name: name}}
	if f.run.Streams == nil && name != "" {
		if opened, err := f.run.directories.Open(process.Directory{}, name); err == nil {
			d = opened
		}
	}
	f.standInDirectory(d)
}

// openNext opens the directory that cd is given, from where the frame stands. ".." leads back on the way by which
// it came, as in other shells, unless that leads elsewhere now.
func (f *frame) openNext(dir string) (files.Directory, error) {
	here, target := "", filepath.Clean(dir)
	if !filepath.IsAbs(dir) {
		if f.dir.Lost != "" {
			return files.Directory{}, errors.New(f.dir.Lost)
		}
		var err error
		if here, err = f.directory(); err != nil {
			return files.Directory{}, err
		}
		target = filepath.Join(here, dir)
	}
	_, _, held := f.dir.Identity()
	goesUp := strings.Contains("/"+dir+"/", "/../")
	switch {
	case f.run.Streams != nil: // a simulation goes where the real script would
		return files.Directory{Directory: process.Directory{Name: target}}, nil
	case here == "", !held, goesUp && f.dir.LeadsTo(here):
		return f.run.directories.Open(process.Directory{}, target)
	}
	d, err := f.run.directories.Open(f.dir.Directory, dir)
	if err != nil {
		return d, err
	}
	if d.Name = target; !d.LeadsTo(target) {
		if name := d.KernelName(); name != "" {
			d.Name = name
		}
	}
	return d, nil
}
