package files

import (
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Stream returns the number of the descriptor that a file's name means: /dev/stdout, /dev/fd/3, or a link to one. The
// kernel would take the process's own for it. False: the name means a file.
func Stream(d Directory, name string) (number int, ok bool) {
	const mostLinks = 40
	for range mostLinks {
		switch clean := filepath.Clean(name); clean {
		case "/dev/stdin":
			return 0, true
		case "/dev/stdout":
			return 1, true
		case "/dev/stderr":
			return 2, true
		default:
			digits, found := strings.CutPrefix(clean, "/dev/fd/")
			if number, err := strconv.Atoi(digits); found && err == nil && strconv.Itoa(number) == digits {
				return number, true
			}
		}
		var text [unix.PathMax]byte
		at, path := d.At(name)
		n, err := unix.Readlinkat(at, path, text[:])
		if err != nil {
			return 0, false
		}
		link := string(text[:n])
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(name), link)
		}
		name = link
	}
	return 0, false
}
