package page

import (
	"strings"
	"testing"
)

func TestPage(t *testing.T) {
	p := New("a < b", "i { color: red; }\n")
	p.Heading("\xff & co")
	p.Paragraph("bad", `"no"`)
	p.Verbatim("x > 'y'")
	p.Table("empty", 1, []string{"nothing"}, nil)
	p.Table("numbers", 1, []string{"what", "n"}, [][]string{{"<one>", "1"}})
	p.Markup("<hr>\n")
	page := p.String()
	for _, want := range []string{
		"<title>a &lt; b</title>", "<h1>a &lt; b</h1>", "i { color: red; }\n</style>", "<h2>\ufffd &amp; co</h2>",
		`<p class="bad">&quot;no&quot;</p>`, "<pre>x &gt; &#39;y&#39;</pre>", "<h2>numbers</h2>\n<table>",
		`<tr><th>what</th><th class="number">n</th></tr>`, `<tr><td>&lt;one&gt;</td><td class="number">1</td></tr>`,
		"<hr>\n</html>\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %q in\n%s", want, page)
		}
	}
	if strings.Contains(page, "empty") {
		t.Error("a table without rows is shown")
	}
}
