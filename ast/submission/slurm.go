package submission

import (
	"slices"
	"strings"
)

// refused are the options of sbatch that would break the promises of `on`, by their letters.
var refused = []struct {
	name   string
	letter byte // 0: it has none
	why    string
}{
	{"array", 'a', "write a forall, whose jobs are submitted as an array"},
	{"clusters", 'M', "set SLURM_CONF for the script, which chooses the cluster"},
	{"dependency", 'd', "write one statement after the other"},
	{"error", 'e', "write 2> FILE after the program"},
	{"export", 0, "write export NAME=VALUE before; exported variables travel"},
	{"export-file", 0, "write export NAME=VALUE before; exported variables travel"},
	{"get-user-env", 0, "exported variables travel, and no others"},
	{"help", 'h', "ask sbatch itself"},
	{"hold", 'H', "a held job would be waited for until somebody releases it"},
	{"input", 'i', "write < FILE after the program"},
	{"job-name", 'J', "the shell finds its jobs by their names; write  try … key WORD  to name the work"},
	{"output", 'o', "write > FILE or => FILE after the program"},
	{"parsable", 0, "the shell reads the number of the job itself"},
	{"quiet", 'Q', "the shell reads the number of the job itself"},
	{"test-only", 0, "nothing would be submitted"},
	{"usage", 0, "ask sbatch itself"},
	{"version", 'V', "ask sbatch itself"},
	{"wait", 'W', "the shell waits for its jobs anyhow"},
	{"wrap", 0, "write the program in the group"},
}

// flagsAlone are the long options of sbatch that take no word after them, where that matters;
// and the letters that do not.
var flagsAlone = []string{
	"contiguous", "exclusive", "ignore-pbs", "no-kill", "no-requeue", "nodefile", "overcommit", "oversubscribe", "reboot",
	"requeue", "share", "spread-job", "use-min-nodes", "verbose",
}

const lettersAlone = "IkKOsuvhHQVW"

// refuseSbatch is RefuseOption for options of sbatch.
func refuseSbatch(engine string, words []string) (at int, why string) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		var takesNext bool
		switch {
		case strings.HasPrefix(word, Opaque):
		case word == "--" || len(word) < 2 || word[0] != '-':
			return i, "on " + engine + " takes options of sbatch, which begin with a -; the program to run stands in the group"
		case strings.HasPrefix(word, "--"):
			why, takesNext = refuseLong(word[2:])
		default:
			why, takesNext = refuseShort(word[1:])
		}
		if why != "" {
			return i, word + " cannot stand after on " + engine + ": " + why
		}
		if takesNext {
			i++
		}
	}
	return -1, ""
}

// refuseLong judges an option after its two dashes. getopt takes any beginning of a name that
// is no other's.
func refuseLong(option string) (why string, takesNext bool) {
	name, _, hasValue := strings.Cut(option, "=")
	for _, r := range refused {
		if strings.HasPrefix(r.name, name) {
			return r.why, false
		}
	}
	alone := slices.ContainsFunc(flagsAlone, func(flag string) bool { return strings.HasPrefix(flag, name) })
	return "", !hasValue && !alone && !strings.Contains(option, Opaque)
}

// refuseShort judges the letters after one dash: several options may stand in a word, and the
// rest of it is the value of the first that takes one.
func refuseShort(letters string) (why string, takesNext bool) {
	for i := range len(letters) {
		for _, r := range refused {
			if r.letter == letters[i] {
				return r.why, false
			}
		}
		if letters[i] == Opaque[0] {
			return "", false
		}
		if !strings.Contains(lettersAlone, letters[i:i+1]) {
			return "", i == len(letters)-1
		}
	}
	return "", false
}
