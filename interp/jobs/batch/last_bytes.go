package batch

import "os"

// LastBytes returns the end of a file, at most so many bytes; nothing where it cannot be read.
func LastBytes(path string, most int64) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return ""
	}
	size := min(info.Size(), most)
	text := make([]byte, size)
	n, _ := file.ReadAt(text, info.Size()-size)
	return string(text[:n])
}
