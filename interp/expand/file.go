package expand

import (
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/ast/diag"
)

// fileTest is an operator that asks about a file. What is absent, dangling or
// beyond a directory that may not be searched is false; other errors fail.
func (s *scope) fileTest(e *ast.Unary, path string) (bool, error) {
	if path == "" {
		return false, nil // and not the directory that it would be relative to
	}
	result, err := askFile(e.Op, s.env, path)
	switch err {
	case nil, syscall.ENOENT, syscall.ENOTDIR, syscall.EACCES:
		return result, nil
	}
	return false, refusal{diag.Errorf(e.Pos, "%v %s: %v", e.Op, quoteForMessage(path), err), err}
}

// askFile asks the kernel.
func askFile(op ast.Op, env Env, path string) (bool, error) {
	if fd, ok := env.Stream(path); ok {
		return askDescriptor(op, fd)
	}
	dir, path := env.At(path)
	switch op {
	case ast.Readable:
		return mayAccess(dir, path, unix.R_OK)
	case ast.Writable:
		return mayAccess(dir, path, unix.W_OK)
	case ast.Executable:
		return mayAccess(dir, path, unix.X_OK)
	}
	var stat unix.Stat_t
	err := readKind(op, dir, path, &stat)
	for err == syscall.EINTR { // from file systems over a network
		err = readKind(op, dir, path, &stat)
	}
	return err == nil && isOfKind(op, &stat), err
}

func isOfKind(op ast.Op, stat *unix.Stat_t) bool {
	return op == ast.Exists || stat.Mode&syscall.S_IFMT == fileTypes[op]
}

// askDescriptor asks about what is open there. One that is not open has none of what is asked for.
func askDescriptor(op ast.Op, fd int) (bool, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return false, nil
	}
	path := "/proc/self/fd/" + strconv.Itoa(fd)
	switch op {
	case ast.Readable:
		return mayAccess(unix.AT_FDCWD, path, unix.R_OK)
	case ast.Writable:
		return mayAccess(unix.AT_FDCWD, path, unix.W_OK)
	case ast.Executable:
		return mayAccess(unix.AT_FDCWD, path, unix.X_OK)
	}
	return isOfKind(op, &stat), nil
}

// readKind reads what kind of file there is. Links are followed unless the question is
// about them.
func readKind(op ast.Op, dir int, path string, stat *unix.Stat_t) error {
	if op == ast.IsLink {
		return unix.Fstatat(dir, path, stat, unix.AT_SYMLINK_NOFOLLOW)
	}
	return unix.Fstatat(dir, path, stat, 0)
}

// fileTypes are the types that operators ask for; .exists. asks for none.
var fileTypes = [...]uint32{
	ast.IsFile: syscall.S_IFREG, ast.IsDir: syscall.S_IFDIR, ast.IsLink: syscall.S_IFLNK, ast.IsBlock: syscall.S_IFBLK,
	ast.IsChar: syscall.S_IFCHR, ast.IsPipe: syscall.S_IFIFO, ast.IsSock: syscall.S_IFSOCK,
}

// mayAccess reports whether the effective user may do that to a file. What nobody may
// do to it (a read-only file system, a program that is running) is no error.
func mayAccess(dir int, path string, mode uint32) (bool, error) {
	err := unix.Faccessat(dir, path, mode, unix.AT_EACCESS)
	for err == unix.EINTR {
		err = unix.Faccessat(dir, path, mode, unix.AT_EACCESS)
	}
	switch err {
	case unix.EPERM, unix.EROFS, unix.ETXTBSY:
		return false, nil
	}
	return err == nil, err
}
