package files

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// atomicTarget follows links to the file that will be replaced. old holds what that has to keep; nil: there is none.
func atomicTarget(d Directory, name string) (target string, old *attributes, err error) {
	const mostLinks = 40
	for range mostLinks {
		if err := checkFolders(d, filepath.Dir(name)); err != nil {
			return "", nil, fmt.Errorf("cannot replace %s: %w", name, err)
		}
		var info unix.Stat_t
		at, path := d.At(name)
		err := unix.Fstatat(at, path, &info, unix.AT_SYMLINK_NOFOLLOW)
		switch {
		case err == unix.ENOENT && !strings.HasSuffix(name, "/"):
			return name, nil, nil
		case err != nil:
			return "", nil, fmt.Errorf("cannot replace %s: %w", name, err)
		case info.Mode&unix.S_IFMT == unix.S_IFREG:
			old, err := attributesOf(at, path, &info)
			if err != nil {
				return "", nil, fmt.Errorf("cannot replace %s: %w", name, err)
			}
			return name, old, nil
		case info.Mode&unix.S_IFMT != unix.S_IFLNK:
			return "", nil, NotRegular(name)
		}
		if name, err = followLink(d, name, &info); err != nil {
			return "", nil, fmt.Errorf("cannot replace %w", err)
		}
	}
	return "", nil, fmt.Errorf("cannot replace %s: %w", name, unix.ELOOP)
}

var errNotRegular = errors.New("it is not a regular file")

// UnfitTarget is the error of atomic output that a mistake in the script has: its target can be none, and
// the next attempt would not change that.
type UnfitTarget struct{ error }

// NotRegular is the error of a target that is no regular file.
func NotRegular(name string) error {
	return UnfitTarget{fmt.Errorf("cannot replace %s: %w", name, errNotRegular)}
}

// unfit marks an error as one.
func unfit(err error) error {
	for _, mistake := range []error{errNotRegular, unix.ENOENT, unix.ENOTDIR, unix.ELOOP} {
		if errors.Is(err, mistake) {
			return UnfitTarget{err}
		}
	}
	return err
}

// checkFolders makes sure that no link on the way to a folder is one that must not be followed.
func checkFolders(d Directory, dir string) error {
	for end := 1; end <= len(dir); end++ {
		if end < len(dir) && dir[end] != '/' {
			continue
		}
		var info unix.Stat_t
		at, path := d.At(dir[:end])
		if unix.Fstatat(at, path, &info, unix.AT_SYMLINK_NOFOLLOW) != nil || info.Mode&unix.S_IFMT != unix.S_IFLNK {
			continue
		}
		if _, err := followLink(d, dir[:end], &info); err != nil {
			return err
		}
	}
	return nil
}

// followLink returns the target of a link. Where everybody may make links, only our own are
// followed: another user's may have been put there for us to write elsewhere.
func followLink(d Directory, name string, info *unix.Stat_t) (string, error) {
	var folder unix.Stat_t
	at, path := d.At(filepath.Dir(name))
	if err := unix.Fstatat(at, path, &folder, 0); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if folder.Mode&unix.S_IWOTH != 0 && info.Uid != uint32(unix.Geteuid()) {
		return "", fmt.Errorf("%s: it is another user's link, in a folder that all may write to", name)
	}
	at, path = d.At(name)
	text := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(at, path, text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	link := string(text[:n])
	if !filepath.IsAbs(link) {
		link = filepath.Dir(name) + "/" + link
	}
	return link, nil
}
