package simulate

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// evaluateProgram runs the programs that decide something: test, [, expr, true and false. Others
// are not known, and neither is an expression that is beyond this.
func evaluateProgram(dir string, args []string) (status int, output string, known bool) {
	switch path.Base(args[0]) {
	case "true":
		return 0, "", true
	case "false":
		return 1, "", true
	case "test":
		return decideTest(dir, args[1:])
	case "[":
		if args[len(args)-1] != "]" {
			return 2, "", true
		}
		return decideTest(dir, args[1:len(args)-1])
	case "expr":
		return calculate(args[1:])
	}
	return 0, "", false
}

// decideTest is test.
func decideTest(dir string, args []string) (status int, output string, known bool) {
	truth := func(is bool) (int, string, bool) {
		if is {
			return 0, "", true
		}
		return 1, "", true
	}
	switch len(args) {
	case 0:
		return truth(false)
	case 1:
		return truth(args[0] != "")
	case 2:
		if args[0] == "!" {
			return truth(args[1] == "")
		}
		is, known := testUnary(dir, args[0], args[1])
		status, output, _ = truth(is)
		return status, output, known
	}
	if args[0] == "!" {
		status, output, known = decideTest(dir, args[1:])
		return 1 - min(status, 1), output, known
	}
	if len(args) != 3 {
		return 2, "", false
	}
	is, known := compareOperands(args[0], args[1], args[2])
	status, output, _ = truth(is)
	return status, output, known
}

// testUnary is a test of one text or file. Files are those of this machine.
func testUnary(dir, operator, text string) (is, known bool) {
	switch operator {
	case "-n":
		return text != "", true
	case "-z":
		return text == "", true
	}
	if !path.IsAbs(text) {
		text = path.Join(dir, text)
	}
	info, err := os.Stat(text)
	switch operator {
	case "-e":
		return err == nil, true
	case "-f":
		return err == nil && info.Mode().IsRegular(), true
	case "-d":
		return err == nil && info.IsDir(), true
	case "-s":
		return err == nil && info.Size() > 0, true
	}
	return false, false
}

// compareOperands compares texts, or numbers with -eq and the like.
func compareOperands(a, operator, b string) (is, known bool) {
	switch operator {
	case "=", "==":
		return a == b, true
	case "!=":
		return a != b, true
	}
	orders := map[string][]int{"-eq": {0}, "-ne": {-1, 1}, "-lt": {-1}, "-le": {-1, 0}, "-gt": {1}, "-ge": {0, 1}}
	x, err := strconv.Atoi(a)
	y, err2 := strconv.Atoi(b)
	wanted, known := orders[operator]
	return err == nil && err2 == nil && slices.Contains(wanted, cmp.Compare(x, y)), known
}

// calculate is expr with two whole numbers. Like expr it fails where the result is 0.
func calculate(args []string) (status int, output string, known bool) {
	if len(args) != 3 {
		return 2, "", false
	}
	x, err := strconv.Atoi(args[0])
	y, err2 := strconv.Atoi(args[2])
	if cmp.Or(err, err2) != nil {
		return 2, "", false
	}
	result := 0
	switch operator := args[1]; {
	case operator == "+":
		result = x + y
	case operator == "-":
		result = x - y
	case operator == "*":
		result = x * y
	case strings.Contains("/%", operator) && y == 0:
		return 2, "", true
	case operator == "/":
		result = x / y
	case operator == "%":
		result = x % y
	default:
		orders := map[string]string{"=": "-eq", "!=": "-ne", "<": "-lt", "<=": "-le", ">": "-gt", ">=": "-ge"}
		is, known := compareOperands(args[0], orders[operator], args[2])
		if !known {
			return 2, "", false
		}
		if is {
			result = 1
		}
	}
	if result == 0 {
		status = 1
	}
	return status, fmt.Sprintln(result), true
}
