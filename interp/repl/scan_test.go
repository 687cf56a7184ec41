package repl

import (
	"strings"
	"testing"
)

func known(name string) style {
	if name == "ls" || name == "echo" {
		return styleCommand
	}
	return styleWrong
}

// TestOpened looks at what is open at the beginning of each line.
func TestOpened(t *testing.T) {
	for text, want := range map[string]string{
		"try\necho":                          "try",
		"function f\ntry\nx\nend\nend\n":     "function f,try,try,function f,",
		"if $x .eq. 1\ny\nelse\nz":           "if,if,if",
		"echo \"a\nb\"\n":                    "\",",
		"echo 'a\nb\nc'":                     "','",
		"cat << EOF\na\nb\nEOF\n":            "<<,<<,<<,",
		"cat << EOF\na":                      "<<",
		"a |\nb |\nc":                        "|,|",
		"echo a \\\nb":                       "\\",
		"try\necho 'x\ny'\nend":              "try,',try",
		"while try ls\nfor x in a b\nx\nend": "while,for,for",
	} {
		s := newScan(text, known)
		var got []string
		for at := range text {
			if text[at] == '\n' {
				got = append(got, s.openAt(at+1))
			}
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%q: %q, want %q", text, strings.Join(got, ","), want)
		}
	}
}

// TestStyles writes under each character what it means.
func TestStyles(t *testing.T) {
	letters := map[style]byte{
		stylePlain: ' ', styleKeyword: 'k', styleCommand: 'c', styleString: 's',
		styleVariable: 'v', styleOperator: 'o', styleFaint: '#', styleWrong: 'w',
	}
	for text, want := range map[string]string{
		"ls 'a b' $x # c":      "cc sssss vv ###",
		"x=1; nosuch":          "v    wwwwww",
		"try for 3 minutes":    "kkk kkk   kkkkkkk",
		"if try ls | nosuch":   "kk kkk cc o wwwwww",
		"echo \"a $x ${y}\" z": "cccc sssvvsvvvvs  ",
		"for f in a $b":        "kkk v kk   vv",
		"ls > f -> x":          "cc o   oo v",
		"> f ls":               "o   cc",
		"x=$y .add. (2)":       "v vv ooooo o o",
		"echo a && b":          "cccc   wwwww"[:11],
		"end":                  "www",
		"else if true":         "kkkkkkk     ",
	} {
		s := newScan(text, known)
		got := make([]byte, len(text))
		for i, as := range s.styles {
			got[i] = letters[as]
		}
		if string(got) != want {
			t.Errorf("%s\n%s, want\n%s", text, got, want)
		}
	}
}

func TestPartner(t *testing.T) {
	for text, want := range map[string]string{
		"x=(1 .add. (2)|)": "( )",
		"try\nx\nend|":     "try end",
		"|try\nx\nend":     "try end",
		"echo \"a\"|":      "\" \"",
		"echo ${x}|":       "{ }",
		"echo| a":          "",
	} {
		l := at(text)
		s := newScan(l.String(), known)
		got := ""
		if p, ok := s.partnerOf(len(string(l.text[:l.pos]))); ok {
			got = s.text[p.open.start:p.open.end] + " " + s.text[p.close.start:p.close.end]
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// FuzzScan holds that any text can be looked at, whole and cut off anywhere.
func FuzzScan(f *testing.F) {
	for _, text := range []string{
		"try for 1 hour\n\techo \"a $x ${y}\" > f\ncatch\nfailure 'x'\nend", "a | b |& c\n", "cat <<- EOF\n\ta\nEOF\n",
		"x=(1 .add. f(2, 3))", "else\nend\nend", "echo \\", "'", "\"$", "${", "$(x)", "resource r\nsense\nend", "\xff\x00",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 {
			return
		}
		s := newScan(text, known)
		if len(s.styles) != len(text) {
			t.Errorf("%d styles for %d bytes", len(s.styles), len(text))
		}
		for at := 0; at <= len(text); at += 1 + len(text)/20 {
			s.openAt(at)
			s.partnerOf(at)
			newScan(text[:at], known).unfinishedWord()
		}
	})
}
