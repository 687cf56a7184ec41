package check

import "ftsh/ast/diag"

// SyntaxRule is the rule of what is no valid script. The parser finds that; here it
// is for reports that hold both.
func SyntaxRule() Rule {
	return Rule{Code: "F001", Level: Error, Title: "text that is no valid script", Page: "errors"}
}

// Errors makes findings of syntax errors.
func Errors(list diag.List) []Finding {
	rule := SyntaxRule()
	found := make([]Finding, len(list))
	for i, e := range list {
		found[i] = Finding{Rule: &rule, Level: rule.Level, Pos: e.Pos, Message: e.Message}
	}
	return found
}
