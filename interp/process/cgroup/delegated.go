package cgroup

import (
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// mounts lists the directories of cgroup v2: alone, and beside v1.
var mounts = [...]string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}

// isDelegated reports whether the group of that directory was delegated; first: it is the first of its hierarchy.
func isDelegated(dir string, first bool) bool {
	var fs unix.Statfs_t
	var info unix.Stat_t
	if unix.Statfs(dir, &fs) != nil || fs.Type != unix.CGROUP2_SUPER_MAGIC || unix.Stat(dir, &info) != nil {
		return false
	}
	marked := func(name string) bool { // by systemd (Delegate=yes)
		var value [8]byte
		n, err := unix.Getxattr(dir, name, value[:])
		return err == nil && string(value[:n]) == "1"
	}
	// The group of the whole machine has no events, that of a container has.
	inContainer := first && unix.Access(filepath.Join(dir, "cgroup.events"), unix.F_OK) == nil
	given := info.Uid != 0 && int(info.Uid) == os.Geteuid()
	if !inContainer && !given && !slices.ContainsFunc([]string{"user.delegate", "trusted.delegate"}, marked) {
		return false
	}
	return unix.Access(dir, unix.W_OK) == nil && unix.Access(filepath.Join(dir, "cgroup.procs"), unix.W_OK) == nil
}
