package locked

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ftsh/backoff/shared"
	"ftsh/interp/process/clock"
	"ftsh/testdata/skip"
)

func TestFolderIsRefused(t *testing.T) {
	top := t.TempDir()
	tests := map[string]struct {
		make func(path string) error
		want string
	}{
		"open to the group": {func(p string) error { return os.Mkdir(p, 0o750) },
			"is open to others (mode 0750); chmod 700 it"},
		"open to all": {func(p string) error { return errors.Join(os.Mkdir(p, 0o700), os.Chmod(p, 0o701)) },
			"is open to others (mode 0701)"},
		"a link": {func(p string) error {
			return errors.Join(os.Mkdir(p+".real", 0o700), os.Symlink(p+".real", p))
		}, "is a link, or no directory"},
		"a dangling link": {func(p string) error { return os.Symlink(p+".none", p) }, "is a link, or no directory"},
		"a file":          {func(p string) error { return os.WriteFile(p, nil, 0o600) }, "is a link, or no directory"},
	}
	clock := clock.New()
	for name, test := range tests {
		path := top + "/" + strings.ReplaceAll(name, " ", "-")
		if err := test.make(path); err != nil {
			t.Fatal(err)
		}
		folder, err := Open(path, clock)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, %v", name, folder, err)
		}
	}
	if _, err := Open("state", clock); err == nil || !strings.Contains(err.Error(), "begins with /") {
		t.Errorf("relative: %v", err)
	}
	if _, err := Open(top+"/none/state", clock); err == nil {
		t.Error("in a folder that is not there")
	}
	if _, err := Existing(top+"/none", clock); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("not there: %v", err)
	}
}

func TestFolderOfAnother(t *testing.T) {
	if unix.Geteuid() != 0 {
		skip.Test(t, "only root can make what belongs to another")
	}
	path := stateDir(t)
	if err := errors.Join(os.Mkdir(path, 0o700), os.Chown(path, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, clock.New()); err == nil || !strings.Contains(err.Error(), "belongs to user 65534") {
		t.Error(err)
	}
}

// TestFolderStaysPrivate sees what is made, whatever the umask says.
func TestFolderStaysPrivate(t *testing.T) {
	dir := stateDir(t)
	shell(t, dir, "x")
	for path, want := range map[string]os.FileMode{dir: 0o700, dir + "/x.resource": 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestFileIsRefused(t *testing.T) {
	dir := stateDir(t)
	clock := clock.New()
	folder, err := Open(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink("/etc/hostname", dir+"/link.resource"), os.Mkdir(dir+"/dir.resource", 0o700),
		unix.Mkfifo(dir+"/pipe.resource", 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "dir", "pipe", "../x", "", "-x", ".x", "a b"} {
		if r, err := folder.Resource(name, nil); err == nil {
			r.Close()
			t.Errorf("%q was opened", name)
		}
	}
}

// TestNetwork has the file systems that are refused.
func TestNetwork(t *testing.T) {
	for magic, want := range map[uint32]string{
		unix.NFS_SUPER_MAGIC: "NFS", unix.SMB2_SUPER_MAGIC: "SMB", unix.CIFS_SUPER_MAGIC: "SMB",
		unix.FUSE_SUPER_MAGIC: "FUSE",
		unix.V9FS_MAGIC:       "9P", unix.AFS_SUPER_MAGIC: "AFS", unix.CEPH_SUPER_MAGIC: "Ceph",
		unix.TMPFS_MAGIC: "", unix.EXT4_SUPER_MAGIC: "", unix.XFS_SUPER_MAGIC: "", unix.BTRFS_SUPER_MAGIC: "",
		unix.OVERLAYFS_SUPER_MAGIC: "",
	} {
		if got := networkName(magic); got != want {
			t.Errorf("%#x: %q, want %q", magic, got, want)
		}
	}
}

// TestClosedOnce: a resource whose file could not be opened again closes no descriptor that has been given to others.
func TestClosedOnce(t *testing.T) {
	r := shell(t, stateDir(t), "db")
	if err := errors.Join(os.Remove(r.Path()), os.Mkdir(r.Path(), 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Enter(t.Context(), shared.Visit{}); err == nil {
		t.Fatal("a folder is no resource")
	}
	var others []*os.File
	for range 8 {
		other, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		others = append(others, other)
	}
	r.Close()
	for _, other := range others {
		if _, err := other.Stat(); err != nil {
			t.Error(err)
		}
	}
}
