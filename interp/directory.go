package interp

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/durable/filestate"
	"ftsh/interp/files"
	"ftsh/interp/process"
)

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

// directory is the absolute name of the frame's directory.
func (f *frame) directory() (string, error) {
	if f.dir.Name != "" {
		return f.dir.Name, nil
	}
	return os.Getwd()
}

// The variables that cd sets.
const (
	pwd    = "PWD"
	oldpwd = "OLDPWD"
)

const keyDir = "dir" // of a frame: the name of the directory in which it stands

// keyStands tells, beside the name of a directory, which one it is: somebody may put another in its place.
const keyStands = "stands"

// savedDirectory is a directory as JSON.
type savedDirectory struct {
	Device uint64       `json:"device"`
	Inode  uint64       `json:"inode"`
	Made   int64        `json:"made,omitempty"` // when it was made: another may get the inode of one that was removed
	Real   durable.Text `json:"real,omitempty"` // its name without links, which may lead elsewhere later
}

// noDirectory is a descriptor by which no relative name is found.
const noDirectory = -1

// directoryChanges adds that the frame stands in another directory than the journal says.
func (f *frame) directoryChanges(list []durable.Change) []durable.Change {
	k, now := f.kept, savedDirectory{}
	if f.dir.Lost != "" {
		return list
	}
	device, inode, held := f.dir.Identity()
	now.Device, now.Inode = device, inode
	if f.dir.Name == k.dir && now.Device == k.stands.Device && now.Inode == k.stands.Inode {
		return list
	}
	if held {
		now.Real, now.Made = f.run.saveName(f.dir.KernelName()), filestate.Made(f.dir.FD, "")
	}
	k.dir, k.stands = f.dir.Name, now
	return append(list, durable.Set(k.path, keyDir, f.run.saveName(k.dir)), durable.Set(k.path, keyStands, now))
}

// restoreDirectory has the frame stand in the directory that the journal has for it: by its name, or by that without
// links. If neither leads there, whatever is done with relative names fails, and programs do.
func (f *frame) restoreDirectory(path string) {
	d, k := f.run.durable, f.kept
	var name durable.Text
	if !d.Past(path, keyDir, &name) {
		return
	}
	if name == lostName {
		f.standInDirectory(files.Directory{Directory: process.Directory{Name: "***", FD: noDirectory},
			Lost: "the directory of the script is not known: " + errLostName.Error() + "; a group  on start  may go there"})
		return
	}
	k.dir, k.stands = string(name), savedDirectory{}
	if !d.Past(path, keyStands, &k.stands) || f.run.Streams != nil || k.stands.Inode == 0 {
		f.standIn(string(name))
		return
	}
	lost := "it is gone"
	for _, candidate := range []string{string(name), string(k.stands.Real)} {
		opened, err := f.run.directories.Open(process.Directory{}, candidate)
		if err != nil {
			continue
		}
		if k.stands.isDirectory(opened, d.Rebooted()) {
			opened.Name = string(name)
			f.standInDirectory(opened)
			return
		}
		opened.Leave()
		lost = "another one is there now"
	}
	f.standInDirectory(files.Directory{Directory: process.Directory{Name: string(name), FD: noDirectory},
		Lost: "the directory of the script was " + string(name) + ", and " + lost})
}

// isDirectory reports whether that is the directory; after a reboot devices may have other numbers.
func (s savedDirectory) isDirectory(d files.Directory, rebooted bool) bool {
	device, inode, _ := d.Identity()
	made := filestate.Made(d.FD, "")
	return inode == s.Inode && (device == s.Device || rebooted) && (made == s.Made || made == 0 || s.Made == 0)
}

// lostDirectory is the failure of what would be done in a directory that a continued script cannot go back to; nil: it
// is there.
func (f *frame) lostDirectory() *Failure {
	if f.dir.Lost == "" {
		return nil
	}
	return newFailure(KindError, ast.Pos{}, f.dir.Lost)
}
