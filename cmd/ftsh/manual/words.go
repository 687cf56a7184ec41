package manual

import "strings"

// pagesFor lists the pages to read for a word of other shells and programs, the
// best first. What ftsh calls the same is found without it.
func pagesFor(word string) []string {
	word = strings.ToLower(word)
	pages := otherWords()
	if found := pages[word]; found != nil {
		return found
	}
	return pages[strings.TrimSuffix(word, "s")]
}

// otherWords says where the manual tells what other shells call by these names.
func otherWords() map[string][]string {
	return map[string][]string{
		"retry": {"try", "backoff", "failures"}, "retries": {"try", "backoff", "failures"},
		"repeat": {"try", "loops"}, "attempt": {"try"}, "idempotent": {"submission"},
		"timeout": {"limits", "try"}, "deadline": {"limits", "recipes", "try"},
		"array": {"lists", "bash", "cluster"}, "list": {"lists", "loops"}, "dictionary": {"lists"}, "associative": {"lists"},
		"getopt": {"lists", "functions"}, "getopts": {"lists", "functions"}, "argument": {"lists", "functions"},
		"csv": {"lists"}, "ini": {"lists"}, "ifs": {"lists", "words"}, "json": {"logging", "lists"},
		"trap":    {"recipes", "signals", "catch"},
		"cleanup": {"catch", "recipes"}, "exception": {"catch"}, "rollback": {"recipes"},
		"exit": {"signals", "builtins"}, "$?": {"failures", "if"}, "set -e": {"failures", "bash"},
		"errexit": {"failures", "bash"}, "pipefail": {"commands", "bash"}, "nounset": {"variables", "bash"},
		"background": {"forall", "recipes", "limits"}, "&": {"forall", "recipes"}, "wait": {"forall", "recipes"},
		"parallel": {"forall"}, "xargs": {"forall"}, "job": {"forall", "cluster", "interactive"}, "nohup": {"signals"},
		"daemon": {"limits", "recipes"}, "kill": {"limits", "signals"}, "orphan": {"limits"},
		"heredoc": {"redirect"}, "here-document": {"redirect"}, "pipe": {"commands", "redirect"},
		"stderr": {"redirect", "failures"}, "stdout": {"redirect"}, "substitution": {"redirect", "bash"},
		"backtick": {"redirect", "bash"}, "backquote": {"redirect", "bash"}, "tee": {"redirect"},
		"completion": {"interactive"}, "readline": {"interactive"}, "vi": {"interactive"}, "emacs": {"interactive"},
		"history": {"interactive"}, "prompt": {"interactive"},
		"case": {"if", "bash"}, "switch": {"if"}, "test": {"if", "expressions"}, "[": {"if", "bash"}, "[[": {"if", "bash"},
		"elif": {"if"}, "fi": {"if"}, "done": {"loops"}, "until": {"loops", "try"}, "select": {"bash"},
		"arithmetic": {"expressions"}, "regex": {"expressions"}, "glob": {"words"}, "wildcard": {"words"},
		"quote": {"words"}, "quoting": {"words"}, "escape": {"words"}, "expansion": {"words"},
		"lock": {"recipes", "resources", "cron"}, "flock": {"recipes", "cron"}, "mutex": {"recipes", "resources"},
		"semaphore": {"resources"}, "throttle": {"resources"}, "ratelimit": {"resources"}, "circuit": {"resources"},
		"crontab": {"cron", "durable"}, "systemd": {"cron", "durable"}, "crash": {"durable"}, "reboot": {"durable"},
		"resume": {"durable"}, "checkpoint": {"durable"}, "timer": {"cron"}, "mail": {"recipes", "cron"},
		"curl": {"failures", "recipes"}, "http": {"failures", "try"}, "ssh": {"limits", "recipes"},
		"jitter": {"backoff", "policies"}, "exponential": {"backoff"}, "thundering": {"policies", "resources"},
		"xtrace": {"logging"}, "set -x": {"logging"}, "debug": {"logging", "errors"}, "dry-run": {"options"},
		"umask": {"bash"}, "ulimit": {"bash"}, "alias": {"functions"}, "export": {"variables"},
		"typeset": {"functions"}, "declare": {"functions"}, "local": {"functions"},
		"eval": {"security"}, "injection": {"security"},
	}
}

// TopicOf is the page that a keyword of the language has, or is told of; empty for any other word.
func TopicOf(keyword string) string {
	switch keyword {
	case "try", "each", "every", "times":
		return "try"
	case "catch", "finally":
		return "catch"
	case "only", "except", "matching": // on begins a statement, too
		return "failures"
	case "backoff", "from", "to", "by", "jitter":
		return "backoff"
	case "verify", "key", "unknown":
		return "submission"
	case "resource", "slots", "budget", "breaker", "sense", "via":
		return "resources"
	case "for", "in":
		return "loops"
	case "forany":
		return "forany"
	case "forall":
		return "forall"
	case "if", "else", "else if", "while":
		return "if"
	case "function", "return", "local", "shift", "source":
		return "functions"
	case "export":
		return "variables"
	case "secret":
		return "security"
	}
	return ""
}
