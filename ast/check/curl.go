package check

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/ast/constant"
)

// curl is the options of a curl command, by their long names.
type curl struct {
	values  map[string]string // the value is "" where there is none, or it is not literal
	unknown bool              // a variable may hold further options
	urls    []string          // as far as they are literal
}

// readCurl reads the words of a command as curl would.
func readCurl(t tool) curl {
	o := curl{values: map[string]string{}}
	list := append([]string{t.name}, t.arguments()...)
	for i := 1; i < len(list); i++ {
		text := list[i]
		if text == "" {
			text = shapeOf(t.list[i])
		}
		switch {
		case text == "--":
			o.urls = append(o.urls, list[i+1:]...)
			return o
		case mayBeOptions(t.list[i]):
			o.unknown = true
		case strings.HasPrefix(text, "--"):
			name := text[2:]
			o.values[name] = ""
			if slices.Contains(valuedOptions, name) && i+1 < len(list) {
				i++
				o.values[name] = list[i]
			}
		case strings.HasPrefix(text, "-") && len(text) > 1:
			if o.readShort(text[1:], list[i:]) {
				i++
			}
		default:
			o.urls = append(o.urls, list[i])
		}
	}
	return o
}

// mayBeOptions reports whether a word may become several, or is named like options.
func mayBeOptions(w *ast.Word) bool {
	ref, ok := w.Parts[0].(*ast.Ref)
	if !ok || len(w.Parts) > 1 {
		return false
	}
	return ref.IsList() || ref.Kind == ast.Joined || ref.Quote == ast.Bare && namesOptions(strings.ToLower(ref.Name))
}

// namesOptions reports whether a variable is named like options.
func namesOptions(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "_"), func(word string) bool {
		return slices.ContainsFunc([]string{"opt", "arg", "flag"}, func(of string) bool {
			return strings.HasPrefix(word, of) || strings.HasSuffix(strings.TrimSuffix(word, "s"), of) // but target is none
		}) || strings.HasSuffix(word, "options")
	})
}

// readShort reads a cluster of short options, and reports whether the last takes the next word.
func (o *curl) readShort(cluster string, list []string) (takesNext bool) {
	const withValue = "AbcCdDeEFhHKmoPQrtTuUwxXyYz"
	for i := range len(cluster) {
		letter := cluster[i]
		value := cluster[i+1:]
		takesValue := strings.IndexByte(withValue, letter) >= 0
		takesNext = takesValue && value == ""
		if takesNext && len(list) > 1 {
			value = list[1]
		}
		if !takesValue {
			value = ""
		}
		o.values[cmp.Or(curlNames[letter], string(letter))] = value
		if takesValue {
			return takesNext
		}
	}
	return false
}

// curlNames has the long names of short options, as far as the rules ask for them.
var curlNames = map[byte]string{
	'f': "fail", 'd': "data", 'F': "form", 'T': "upload-file", 'X': "request", 'w': "write-out", 'D': "dump-header",
	'i': "include", 'I': "head", 'K': "config", 'V': "version", 'G': "get", 'm': "max-time",
}

// valuedOptions are the long options of curl that take the next word; of the others
// none is mistaken for an option that the rules ask for.
var valuedOptions = []string{"request", "retry", "retry-delay", "retry-max-time", "write-out", "dump-header", "config",
	"output", "header", "user", "url", "max-time", "connect-timeout", "data", "data-raw", "data-binary",
	"data-urlencode", "json", "form", "upload-file"}

// hasOption reports whether one of these options is given.
func (o *curl) hasOption(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { _, given := o.values[name]; return given })
}

// retriesWithin reports whether all attempts that curl makes fit into a time; nil is none.
func (o *curl) retriesWithin(each *ast.Period) bool {
	limit, known := constant.Values(nil).Period(each)
	seconds := func(name string) time.Duration {
		d, _ := constant.Seconds(o.values[name])
		return d
	}
	if !known {
		return false
	}
	if most := seconds("retry-max-time"); most > 0 {
		return most <= limit
	}
	times, err := strconv.Atoi(o.values["retry"])
	one, wait := seconds("max-time"), seconds("retry-delay")
	if err != nil || times < 0 || times > 100 || one == 0 {
		return false
	}
	total, next := one, time.Second // curl doubles its waits from a second to 10 minutes, if none is said
	for range times {
		if wait > 0 {
			next = wait
		}
		total += one + next
		next = min(2*next, 10*time.Minute)
	}
	return total <= limit
}

// changesServer reports whether the command changes something on the server, perhaps each time anew.
func (o *curl) changesServer() bool {
	if method := o.values["request"]; method != "" {
		return method == "POST" || method == "PATCH"
	}
	return !o.hasOption("get") && o.hasOption("data", "data-raw", "data-binary", "data-urlencode", "json", "form",
		"form-string", "upload-file")
}

// hidesErrors reports whether the command surely succeeds when the server says that
// it failed, and nobody looks at the status.
func (o *curl) hidesErrors() bool {
	if o.unknown || o.hasOption("fail", "fail-with-body", "fail-early", "write-out", "dump-header", "include", "config",
		"version", "help", "manual") {
		return false
	}
	for _, url := range o.urls {
		if scheme, _, given := strings.Cut(url, "://"); !given || scheme == "http" || scheme == "https" {
			return true
		}
	}
	return false
}
