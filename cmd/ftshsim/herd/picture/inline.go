package picture

import (
	"bytes"
	"encoding/xml"
	"strings"

	"ftsh/cmd/ftshsim/herd/experiment"
)

// pageColours makes the library's colours those of the page around the picture, which may
// be dark. Curves keep theirs: they can be seen on both.
var pageColours = strings.NewReplacer("fill:#FFFFFF", "fill:none", ":#000000", ":currentColor",
	":#E0E0E0", ":var(--faint)")

// Inline is a figure as an SVG element of an HTML page, whose style has the colour --faint.
func Inline(f experiment.Figure) (string, error) {
	var drawn, title bytes.Buffer
	if err := Draw(&drawn, f, "svg"); err != nil {
		return "", err
	}
	if err := xml.EscapeText(&title, []byte(f.Title)); err != nil {
		return "", err
	}
	_, box, _ := strings.Cut(drawn.String(), `viewBox="`)
	box, rest, _ := strings.Cut(box, `"`)
	_, inside, _ := strings.Cut(rest, ">")
	return `<svg role="img" aria-label="` + title.String() + `" viewBox="` + box + `">` + pageColours.Replace(inside), nil
}
