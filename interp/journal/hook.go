package journal

import "os"

// hooked calls a hook around all that changes something.
type hooked struct {
	FS
	hook func(point string)
}

func runWithHook[T any](hook func(string), point string, call func() T) T {
	hook("before " + point)
	defer hook("after " + point)
	return call()
}

func (h hooked) Open(path string, flag int) (File, error) {
	file, err := h.FS.Open(path, flag)
	if err != nil {
		return nil, err
	}
	return hookedFile{file, h.hook, path}, nil
}

func (h hooked) Mkdir(path string) error {
	return runWithHook(h.hook, "mkdir "+path, func() error { return h.FS.Mkdir(path) })
}

func (h hooked) Rename(from, to string) error {
	return runWithHook(h.hook, "rename "+to, func() error { return h.FS.Rename(from, to) })
}

func (h hooked) Unlink(path string) error {
	return runWithHook(h.hook, "unlink "+path, func() error { return h.FS.Unlink(path) })
}

func (h hooked) Lock(path string) (held *os.File, release func(), err error) {
	err = runWithHook(h.hook, "lock "+path, func() error { held, release, err = h.FS.Lock(path); return err })
	return held, release, err
}

type hookedFile struct {
	File
	hook func(point string)
	path string
}

func (f hookedFile) WriteAt(p []byte, at int64) (n int, err error) {
	err = runWithHook(f.hook, "write "+f.path, func() error { n, err = f.File.WriteAt(p, at); return err })
	return n, err
}

func (f hookedFile) Sync() error { return runWithHook(f.hook, "sync "+f.path, f.File.Sync) }

func (f hookedFile) Truncate(size int64) error {
	return runWithHook(f.hook, "truncate "+f.path, func() error { return f.File.Truncate(size) })
}

func (f hookedFile) Reserve(at, length int64) error {
	return runWithHook(f.hook, "reserve "+f.path, func() error { return f.File.Reserve(at, length) })
}
