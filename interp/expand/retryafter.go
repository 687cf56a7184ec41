package expand

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseRetryAfter reads when to try again as a time from now: seconds, a time word, or an HTTP date (RFC 9110 §5.6.7),
// which may have passed. It is never negative; one beyond the longest time counts as that.
func ParseRetryAfter(text string, now time.Time) (time.Duration, error) {
	text = strings.TrimSpace(text)
	layouts := []string{"Mon, 02 Jan 2006 15:04:05 GMT", "Monday, 02-Jan-06 15:04:05 GMT", "Mon Jan _2 15:04:05 2006"}
	for _, layout := range layouts {
		if date, err := time.Parse(layout, text); err == nil {
			return max(0, date.Sub(now)), nil
		}
	}
	d, err := ParseSeconds(text)
	switch {
	case errors.Is(err, errTooLong):
		return math.MaxInt64, nil
	case err != nil:
		return 0, errors.New(strconv.Quote(text) + " is no time")
	}
	return d, nil
}

// RetryAfterField finds the field in the last block of saved HTTP headers.
// There is a block for each response that was followed to the next; an empty
// line ends it, and what follows may be a body.
func RetryAfterField(headers string) (value string, found bool) {
	inside := true
	for line := range strings.Lines(headers) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "HTTP/"):
			value, found, inside = "", false, true
		case line == "":
			inside = false
		case inside:
			name, text, ok := strings.Cut(line, ":")
			if ok && strings.EqualFold(name, "Retry-After") {
				value, found = strings.TrimSpace(text), true
			}
		}
	}
	return value, found
}
