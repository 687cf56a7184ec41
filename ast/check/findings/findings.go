package findings

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"

	"ftsh/ast/check"
)

// Text writes findings for people. The error is that of w.
func Text(w io.Writer, found []check.Finding) error {
	for i := range found {
		if _, err := io.WriteString(w, found[i].Text()+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// issue is one entry of a report of code quality.
type issue struct {
	Description string `json:"description"`
	CheckName   string `json:"check_name"`
	Fingerprint string `json:"fingerprint"`
	Severity    string `json:"severity"`
	Location    struct {
		Path  string `json:"path"`
		Lines struct {
			Begin int32 `json:"begin"`
		} `json:"lines"`
	} `json:"location"`
	Column  int32  `json:"column"`
	Instead string `json:"instead"`
	Page    string `json:"page"`
}

// JSON writes findings as GitLab reads them. The error is that of w.
func JSON(w io.Writer, found []check.Finding) error {
	issues := make([]issue, len(found))
	for i := range found {
		f, out := &found[i], &issues[i]
		out.Description, out.CheckName, out.Fingerprint = f.Message, f.Rule.Code, fingerprint(f)
		out.Severity = map[check.Level]string{check.Error: "major", check.Warning: "minor", check.Note: "info"}[f.Level]
		out.Location.Path, out.Location.Lines.Begin = f.Pos.Source.Name, f.Pos.Line
		out.Column, out.Instead, out.Page = f.Pos.Column, f.Instead, f.Rule.Page
	}
	return write(w, issues)
}

// write writes a value as JSON, on lines of their own. What does not print is escaped: it may come to a terminal.
func write(w io.Writer, value any) error {
	var text, printable strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return err
	}
	for _, r := range text.String() {
		if r == '\n' || strconv.IsPrint(r) {
			printable.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&printable, `\u%04x`, unit)
		}
	}
	_, err := io.WriteString(w, printable.String())
	return err
}

// fingerprint is the same for a finding as long as its line is, wherever that stands.
func fingerprint(f *check.Finding) string {
	line := strings.TrimSpace(f.Pos.Source.Line(int(f.Pos.Line)))
	sum := fnv.New128a() // no package of crypto, which would make the shell start more slowly
	fmt.Fprintf(sum, "%s\n%s\n%s\n%s", f.Pos.Source.Name, f.Rule.Code, f.Message, line)
	return hex.EncodeToString(sum.Sum(nil))
}
