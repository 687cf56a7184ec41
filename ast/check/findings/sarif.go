package findings

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ftsh/ast/check"
)

// What follows is the part of SARIF 2.1.0 that is written, in its names.

type log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []run  `json:"runs"`
}

type run struct {
	Tool struct {
		Driver driver `json:"driver"`
	} `json:"tool"`
	ColumnKind string   `json:"columnKind"`
	Results    []result `json:"results"`
}

type driver struct {
	Name    string       `json:"name"`
	Version string       `json:"version"`
	Rules   []descriptor `json:"rules"`
}

type descriptor struct {
	ID               string        `json:"id"`
	ShortDescription message       `json:"shortDescription"`
	FullDescription  message       `json:"fullDescription"`
	Help             message       `json:"help"`
	Configuration    configuration `json:"defaultConfiguration"`
}

type configuration struct {
	Level string `json:"level"`
}

type message struct {
	Text string `json:"text"`
}

type result struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      message           `json:"message"`
	Locations    []location        `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type location struct {
	PhysicalLocation struct {
		ArtifactLocation struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			StartLine   int32 `json:"startLine"`
			StartColumn int32 `json:"startColumn"`
		} `json:"region"`
	} `json:"physicalLocation"`
}

// SARIF writes findings as GitHub reads them, with all rules. version is that of
// the program. The error is that of w.
func SARIF(w io.Writer, version string, found []check.Finding) error {
	rules := append(check.Rules(), check.SyntaxRule())
	r := run{ColumnKind: "unicodeCodePoints", Results: []result{}}
	r.Tool.Driver = driver{Name: "ftsh", Version: version}
	for _, rule := range rules {
		r.Tool.Driver.Rules = append(r.Tool.Driver.Rules, descriptor{
			ID: rule.Code, ShortDescription: message{rule.Title}, FullDescription: message{rule.Title},
			Help: message{"ftsh --manual " + rule.Page}, Configuration: configuration{rule.Level.String()},
		})
	}
	for i := range found {
		r.Results = append(r.Results, resultOf(&found[i], rules))
	}
	return write(w, log{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []run{r}})
}

func resultOf(f *check.Finding, rules []check.Rule) result {
	out := result{
		RuleID: f.Rule.Code, RuleIndex: slices.IndexFunc(rules, func(r check.Rule) bool { return r.Code == f.Rule.Code }),
		Level: f.Level.String(), Message: message{strings.TrimSuffix(f.Message+"; "+f.Instead, "; ")},
		Fingerprints: map[string]string{"ftsh/v1": fingerprint(f)}, Locations: make([]location, 1),
	}
	at := &out.Locations[0].PhysicalLocation
	at.ArtifactLocation.URI = uri(f.Pos.Source.Name)
	at.Region.StartLine, at.Region.StartColumn = f.Pos.Line, f.Pos.Column
	return out
}

// uri writes a path as a reference: relative paths stay relative.
func uri(path string) string {
	const plain = "/-._~!$&'()*+,;=@"
	var text strings.Builder
	if strings.HasPrefix(path, "/") {
		text.WriteString("file://")
	}
	for i := range len(path) {
		c := path[i]
		if '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || strings.IndexByte(plain, c) >= 0 {
			text.WriteByte(c)
		} else {
			fmt.Fprintf(&text, "%%%02X", c)
		}
	}
	return text.String()
}
