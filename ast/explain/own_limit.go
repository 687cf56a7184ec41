package explain

import (
	"path"
	"slices"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/ast/constant"
)

// ownLimit returns the longest time of a program that bounds itself by an option: curl --max-time N without
// retries, and timeout N.
func ownLimit(c *ast.Command) (d time.Duration, limited bool) {
	var list []string
	for _, w := range c.Words {
		text, _ := w.Literal()
		list = append(list, text)
	}
	switch path.Base(list[0]) {
	case "curl":
		d, limited = curlLimit(list[1:])
	case "timeout":
		d, limited = timeoutLimit(list[1:])
	}
	return d, limited && d > 0
}

// curlLimit reads --max-time, which bounds each transfer. With retries, or a pattern of addresses, nobody knows how
// many there are; what is not literal may be an option, too, and a file may hold any.
func curlLimit(list []string) (d time.Duration, limited bool) {
	transfers, plain := 0, slices.Contains(list, "-g") || slices.Contains(list, "--globoff")
	for i := 0; i < len(list); i++ {
		text := list[i]
		value, joined := strings.CutPrefix(text, "--max-time=")
		switch {
		case strings.HasPrefix(text, "--retry"), strings.HasPrefix(text, "-K"), text == "--config", text == "":
			return 0, false
		case joined:
			d, limited = constant.Seconds(value)
		case (text == "-m" || text == "--max-time") && i+1 < len(list):
			i++
			d, limited = constant.Seconds(list[i])
		case slices.Contains(curlValues, text):
			i++
		case strings.HasPrefix(text, "-"):
		case strings.ContainsAny(text, "[{") && !plain:
			return 0, false
		default:
			transfers++
		}
	}
	return product(d, time.Duration(max(1, transfers))), limited
}

// curlValues are options of curl whose next word is no address. One that is missing here counts as one transfer more.
var curlValues = strings.Fields(`
	-A -b -c -C -d -D -e -E -F -H -o -r -T -u -U -w -x -X -y -Y -z
	--cacert --cert --connect-timeout --cookie --data --data-binary --data-raw --data-urlencode --dump-header --form
	--header --json --key --limit-rate --max-filesize --max-redirs --netrc-file --output --output-dir --proxy --range
	--referer --request --resolve --speed-limit --speed-time --upload-file --user --user-agent --write-out`)

// timeoutLimit adds up the duration of timeout, and the time after which it kills. (The number of a signal counts,
// too.)
func timeoutLimit(list []string) (d time.Duration, limited bool) {
	for _, text := range list {
		_, value, joined := strings.Cut(text, "=")
		if !joined {
			value = text
		}
		one, isTime := constant.Seconds(value)
		if !isTime && !strings.HasPrefix(text, "-") {
			return d, limited // the program
		}
		d, limited = sum(d, one), limited || isTime
	}
	return 0, false
}
