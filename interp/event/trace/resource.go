package trace

import (
	"net/url"
	"slices"
	"strings"
)

// resourceOf lists the attributes of what makes the spans. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say them, as
// the specification of OpenTelemetry has it: "Resource SDK", the former before the latter; else service.name is
// that of the script, and host.name that of the machine.
func resourceOf(c Config) []attribute {
	list := resourceAttributes(c.Attributes)
	set := func(key, value string, always bool) {
		at := slices.IndexFunc(list, func(a attribute) bool { return a.Key == key })
		switch {
		case value == "":
		case at < 0:
			list = append(list, attribute{key, textValue(value)})
		case always:
			list[at].Value = textValue(value)
		}
	}
	set("service.name", c.ServiceName, true)
	script := c.Script
	if script == "" {
		script = "ftsh"
	}
	set("service.name", script, false)
	set("host.name", c.Host, false)
	return list
}

// resourceAttributes reads `key=value,key=value`, the values percent-encoded. What is not so is left out, all of it,
// as the specification says.
func resourceAttributes(text string) (list []attribute) {
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, found := strings.Cut(pair, "=")
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if key = strings.TrimSpace(key); !found || key == "" || err != nil {
			return nil
		}
		list = append(list, attribute{key, textValue(decoded)})
	}
	return list
}
