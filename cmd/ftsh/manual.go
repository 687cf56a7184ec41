package main

import (
	"embed"
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

//go:embed manual/*.md
var pages embed.FS

// showManual lists the topics, or shows the page of one.
func showManual(topics []string) int {
	if len(topics) == 0 {
		return show(topicList())
	}
	text, err := pages.ReadFile("manual/" + topics[0] + ".md")
	if err != nil || len(topics) > 1 {
		return complain(fmt.Errorf("the manual has no page %s", strings.Join(topics, " ")), "ftsh --manual lists the pages")
	}
	if isTerminal(1) {
		page(text)
	}
	return show(string(text))
}

// topicList is the names of the pages with their titles.
func topicList() string {
	var list strings.Builder
	list.WriteString("ftsh --manual TOPIC shows a page of the manual:\n\n")
	entries, _ := pages.ReadDir("manual")
	for _, entry := range entries {
		text, _ := pages.ReadFile("manual/" + entry.Name())
		title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		fmt.Fprintf(&list, "  %-14s %s\n", strings.TrimSuffix(entry.Name(), ".md"), title)
	}
	return list.String()
}

// page makes this process a pager that reads the text; it returns if that is not possible.
func page(text []byte) {
	fd, err := unix.Open(os.TempDir(), unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return
	}
	defer func() { _ = unix.Close(fd) }()
	if _, err := unix.Write(fd, text); err != nil {
		return
	}
	if _, err := unix.Seek(fd, 0, 0); err != nil || unix.Dup3(fd, 0, 0) != nil {
		return
	}
	_ = syscall.Exec("/bin/sh", []string{"sh", "-c", `exec ${PAGER:-less}`}, os.Environ())
}
