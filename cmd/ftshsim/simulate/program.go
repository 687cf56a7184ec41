package simulate

import (
	"cmp"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// evaluateProgram runs the programs that decide something: test, [, expr, true and false. Others
// are not known, and neither is an expression that is beyond this.
func evaluateProgram(dir string, args []string) (status int, output string, known bool) {
	name, args := path.Base(args[0]), args[1:]
	truth := func(is, known bool) (int, string, bool) {
		switch {
		case is:
			return 0, "", known
		case !known && len(args) > 3 && args[0] != "!":
			return 2, "", false
		}
		return 1, "", known
	}
	switch name {
	case "true", "false":
		return truth(name == "true", true)
	case "[":
		if len(args) == 0 || args[len(args)-1] != "]" {
			return 2, "", true
		}
		args = args[:len(args)-1]
		return truth(decideTest(dir, args))
	case "test":
		return truth(decideTest(dir, args))
	case "expr":
		result, known := calculate(args)
		switch result {
		case "":
			return 2, "", known
		case "0":
			status = 1
		}
		return status, result + "\n", known
	}
	return 0, "", false
}

// decideTest is test. Files are those of this machine.
func decideTest(dir string, args []string) (is, known bool) {
	switch {
	case len(args) == 0:
		return false, true
	case len(args) == 1:
		return args[0] != "", true
	case args[0] == "!":
		is, known = decideTest(dir, args[1:])
		return !is, known
	case len(args) == 3:
		return compareOperands(args[0], args[1], args[2])
	case len(args) > 3:
		return false, false
	}
	name := args[1]
	if !path.IsAbs(name) {
		name = path.Join(dir, name)
	}
	info, err := os.Stat(name)
	is, known = map[string]bool{"-n": args[1] != "", "-z": args[1] == "", "-e": err == nil,
		"-f": err == nil && info.Mode().IsRegular(), "-d": err == nil && info.IsDir(),
		"-s": err == nil && info.Size() > 0}[args[0]]
	return is, known
}

// orders are what comparing two numbers gives where an operator holds: those of test, and of expr.
var orders = map[string][]int{
	"-eq": {0}, "-ne": {-1, 1}, "-lt": {-1}, "-le": {-1, 0}, "-gt": {1}, "-ge": {0, 1},
	"=": {0}, "!=": {-1, 1}, "<": {-1}, "<=": {-1, 0}, ">": {1}, ">=": {0, 1},
}

// compareOperands compares texts, or numbers with -eq and the like.
func compareOperands(a, operator, b string) (is, known bool) {
	switch operator {
	case "=", "==":
		return a == b, true
	case "!=":
		return a != b, true
	case "<", "<=", ">", ">=":
		return false, false
	}
	x, err := strconv.Atoi(a)
	y, err2 := strconv.Atoi(b)
	wanted, known := orders[operator]
	return err == nil && err2 == nil && slices.Contains(wanted, cmp.Compare(x, y)), known
}

// calculate is expr with two whole numbers; "": there is no result, as of a division by 0.
func calculate(args []string) (result string, known bool) {
	if len(args) != 3 {
		return "", false
	}
	x, err := strconv.Atoi(args[0])
	y, err2 := strconv.Atoi(args[2])
	if err != nil || err2 != nil {
		return "", false
	}
	switch operator := args[1]; {
	case operator == "+":
		return strconv.Itoa(x + y), true
	case operator == "-":
		return strconv.Itoa(x - y), true
	case operator == "*":
		return strconv.Itoa(x * y), true
	case strings.Contains("/%", operator) && y == 0:
		return "", true
	case operator == "/":
		return strconv.Itoa(x / y), true
	case operator == "%":
		return strconv.Itoa(x % y), true
	case orders[operator] == nil || operator[0] == '-':
		return "", false
	case slices.Contains(orders[operator], cmp.Compare(x, y)):
		return "1", true
	}
	return "0", true
}
