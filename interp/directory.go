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
	"ftsh/interp/world"
)

// openDirectory opens the directory of that absolute name. If it is not to be had, whatever is done there fails.
func openDirectory(w world.World, name string) files.Directory {
	if name != "" {
		if opened, err := w.Enter(files.Directory{}, name); err == nil {
			return opened
		}
	}
	return files.Directory{Name: name}
}

// openNext opens the directory that cd is given, from where the frame stands. ".." leads back on the way by which
// it came, as in other shells, unless that leads elsewhere now.
func (f *frame) openNext(dir string) (files.Directory, error) {
	here, target := "", filepath.Clean(dir)
	if !filepath.IsAbs(dir) {
		if f.state.dir.Lost != "" {
			return files.Directory{}, errors.New(f.state.dir.Lost)
		}
		var err error
		if here, err = f.directory(); err != nil {
			return files.Directory{}, err
		}
		target = filepath.Join(here, dir)
	}
	_, _, held := f.state.dir.Identity()
	goesUp := strings.Contains("/"+dir+"/", "/../")
	switch {
	case here == "", !held, goesUp && f.state.dir.LeadsTo(here):
		return f.run.World.Enter(files.Directory{}, target)
	}
	d, err := f.run.World.Enter(f.state.dir, dir)
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

// orHere is a directory, or if there is none the frame's.
func (f *frame) orHere(d *files.Directory) files.Directory {
	if d == nil {
		return f.state.dir
	}
	return *d
}

// directory is the absolute name of the frame's directory.
func (f *frame) directory() (string, error) {
	if f.state.dir.Name != "" {
		return f.state.dir.Name, nil
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

	OnStart bool `json:"start,omitempty"` // see [files.Directory]
}

// noDirectory is a descriptor by which no relative name is found.
const noDirectory = -1

// directoryChanges adds that the frame stands in another directory than the journal says.
func (f *frame) directoryChanges(list []durable.Change) []durable.Change {
	k, now := f.state.kept, f.identity()
	if f.state.dir.Lost != "" {
		return list
	}
	if f.state.dir.Name == k.dir && now.Device == k.stands.Device && now.Inode == k.stands.Inode &&
		now.OnStart == k.stands.OnStart {
		return list
	}
	k.dir, k.stands = f.state.dir.Name, f.saveIdentity()
	return append(list, durable.Set(k.path, keyDir, f.run.saveName(k.dir)), durable.Set(k.path, keyStands, k.stands))
}

// identity tells which directory the frame stands in, as far as it need not be looked up.
func (f *frame) identity() savedDirectory {
	device, inode, _ := f.state.dir.Identity()
	return savedDirectory{Device: device, Inode: inode, OnStart: f.state.dir.OnStart}
}

// saveIdentity adds by what it is found and known later.
func (f *frame) saveIdentity() savedDirectory {
	s := f.identity()
	if _, _, held := f.state.dir.Identity(); held {
		s.Real, s.Made = f.run.saveName(f.state.dir.KernelName()), filestate.Made(f.state.dir.FD, "")
	}
	return s
}

// restoreDirectory has the frame stand in the directory that the journal has for it: by its name, or by that without
// links. If neither leads there, whatever is done with relative names fails, and programs do.
func (f *frame) restoreDirectory(path string) {
	d, k := f.run.durable, f.state.kept
	var name durable.Text
	if !d.Past(path, keyDir, &name) {
		return
	}
	if name == lostName {
		f.standInDirectory(missingDirectory("***",
			theScripts+" is not known: "+errLostName.Error()+"; a group  on start  may go there"))
		return
	}
	k.dir, k.stands = string(name), savedDirectory{}
	d.Past(path, keyStands, &k.stands)
	f.standInDirectory(f.openSaved(theScripts, string(name), k.stands))
}

// What is said of directories that a continued script does not find again.
const (
	theScripts = "the directory of the script"
	theNames   = "the directory that the names of the redirections begin in"
)

// missingDirectory is one that cannot be found again, and why.
func missingDirectory(name, why string) files.Directory {
	return files.Directory{Name: name, FD: noDirectory, Lost: why}
}

// stoodIn reports whether a directory to which a group on start has gone is for the script what it stood in: that very
// one, whose name was secret, or another to which such a group had gone.
func (f *frame) stoodIn(went files.Directory) bool {
	var stood savedDirectory
	return went.OnStart && f.run.durable.Past(f.state.kept.path, keyStands, &stood) &&
		(stood.OnStart || stood.isDirectory(went, f.run.durable.Rebooted()))
}

// openSaved opens a directory that an earlier run had; whose it was is for people.
func (f *frame) openSaved(whose, name string, saved savedDirectory) files.Directory {
	if saved.Inode == 0 {
		opened := openDirectory(f.run.World, name)
		opened.OnStart = saved.OnStart
		return opened
	}
	lost := "it is gone"
	for _, candidate := range []string{name, string(saved.Real)} {
		opened, err := f.run.World.Enter(files.Directory{}, candidate)
		if err != nil {
			continue
		}
		if saved.isDirectory(opened, f.run.durable.Rebooted()) {
			opened.Name, opened.OnStart = name, saved.OnStart
			return opened
		}
		opened.Leave()
		lost = "another one is there now"
	}
	return missingDirectory(name, whose+" was "+name+", and "+lost)
}

const keyFrom = "from" // of a block, try or forany: where the names of its redirections begin

// savedStart is the directory in which the names of redirections begin. The zero value is that of the process.
type savedStart struct {
	Name durable.Text `json:"name,omitempty"`
	savedDirectory
}

func (*savedStart) JournalKey() string { return keyFrom }

// saveStart has the journal say where the names of redirections begin: where the frame stands. If that is lost, a later
// run may be able to go there.
func (f *frame) saveStart() {
	if f.place == nil || f.state.dir.Lost != "" {
		return
	}
	start := keep(f, new(*savedStart))
	*start = &savedStart{}
	if f.state.dir.Name != "" {
		*start = &savedStart{f.run.saveName(f.state.dir.Name), f.saveIdentity()}
	}
}

// resumeStart opens the directory that an earlier run has saved; nil: none has. The caller has to leave it.
func (f *frame) resumeStart() *files.Directory {
	saved := *keep(f, new(*savedStart))
	if saved == nil {
		return nil
	}
	var start files.Directory
	switch _, _, held := f.state.dir.Identity(); {
	case saved.Name == "":
	case held && saved.isDirectory(f.state.dir, f.run.durable.Rebooted()):
		start = f.state.dir.Share()
	case saved.Name == lostName:
		start = missingDirectory("***", theNames+" is not known: "+errLostName.Error())
	default:
		start = f.openSaved(theNames, string(saved.Name), saved.savedDirectory)
	}
	if start.Lost != "" && saved.OnStart && f.state.dir.OnStart {
		start = f.state.dir.Share()
	}
	return &start
}

// isDirectory reports whether that is the directory; after a reboot devices may have other numbers.
func (s savedDirectory) isDirectory(d files.Directory, rebooted bool) bool {
	device, inode, _ := d.Identity()
	made := filestate.Made(d.FD, "")
	return inode == s.Inode && (device == s.Device || rebooted) && (made == s.Made || made == 0 || s.Made == 0)
}

// nowhere is a directory in which no relative name leads to anything that could be changed.
const nowhere = "/proc/self/fdinfo"

// programDirectory gives the directory for a program. It is a failure if a continued script cannot go back there,
// but not in a group on start, which may be about to mount it or to make it again: meanwhile programs from elsewhere
// run nowhere.
func (f *frame) programDirectory(program string) (files.Directory, *Failure) {
	switch {
	case f.state.dir.Lost == "":
		return f.state.dir, nil
	case f.secret && (filepath.IsAbs(program) || !strings.Contains(program, "/")):
		return files.Directory{Name: nowhere}, nil
	}
	return files.Directory{}, newFailure(KindError, ast.Pos{}, f.state.dir.Lost)
}
