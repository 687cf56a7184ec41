package files

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"ftsh/testdata/skip"
)

// TestAtomicKeepsExtended: extended attributes and the access list of the old file are those of the new one, and an
// access list that the folder gives to new files is not.
func TestAtomicKeepsExtended(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	if err := os.WriteFile(target, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	// user::rw- user:12345:r-- group::r-- mask::r-- other::---
	list := []byte("\x02\x00\x00\x00\x01\x00\x06\x00\xff\xff\xff\xff\x02\x00\x04\x00\x39\x30\x00\x00" +
		"\x04\x00\x04\x00\xff\xff\xff\xff\x10\x00\x04\x00\xff\xff\xff\xff\x20\x00\x00\x00\xff\xff\xff\xff")
	for name, value := range map[string][]byte{"user.note": []byte("kept"), "user.empty": {}, accessList: list} {
		if err := unix.Setxattr(target, name, value, 0); err != nil {
			skip.Test(t, "no %s can be set here: %v", name, err)
		}
	}
	replace := func(target string) {
		t.Helper()
		output, err := NewAtomic(Directory{}, target)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := unix.Write(output.Stream(), []byte("new")); err != nil {
			t.Fatal(err)
		}
		if err := output.End(true); err != nil {
			t.Fatal(err)
		}
	}
	has := func(target, name string) string {
		value := make([]byte, 1000)
		n, err := unix.Getxattr(target, name, value)
		if err != nil {
			return err.Error()
		}
		return string(value[:n])
	}
	replace(target)
	for name, want := range map[string]string{"user.note": "kept", "user.empty": "", accessList: string(list)} {
		if got := has(target, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if info, err := os.Stat(target); err != nil || info.Mode() != 0o640 {
		t.Error(info.Mode(), err)
	}

	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setxattr(dir, "system.posix_acl_default", list, 0); err != nil {
		t.Fatal(err)
	}
	replace(plain)
	if got := has(plain, accessList); got != unix.ENODATA.Error() {
		t.Errorf("the access list is %q, want none", got)
	}
	if info, err := os.Stat(plain); err != nil || info.Mode() != 0o600 {
		t.Error(info.Mode(), err)
	}
}
