package submission

import (
	"slices"
	"strings"
)

// refusedByQsub are the options of qsub that would break the promises of `on`. It takes no other spellings.
var refusedByQsub = []struct {
	names string // each after a space
	why   string
}{
	{" @", "an options file may hold any option; write the options here"},
	{" N", "the shell finds its jobs by their names; write  try … key WORD  to name the work"},
	{" t", "write a forall, whose jobs are submitted as an array"},
	{" tc", "write .limit. N for jobs at a time"},
	{" o", "write > FILE or => FILE after the program"},
	{" e", "write 2> FILE after the program"},
	{" j", "write >& FILE after the program"},
	{" i", "write < FILE after the program"},
	{" V v", "write export NAME=VALUE before; exported variables travel"},
	{" cwd wd", "write cd FOLDER before; jobs run in the shell's directory"},
	{" sync", "the shell waits for its jobs anyhow"},
	{" terse", "the shell reads the number of the job itself"},
	{" now", "a job that cannot begin at once waits; write  try for TIME  to limit that"},
	{" h", "a held job would be waited for until somebody releases it"},
	{" hold_jid hold_jid_ad", "write one statement after the other"},
	{" b shell", "write the program in the group"},
	{" S", "what begins the job is a script of /bin/sh; write the program in the group"},
	{" C", "there is no script to hold options; write them here"},
	{" clear", "the shell's own options would be cleared"},
	{" inherit", "the program would run in another job; write on here"},
	{" verify w", "nothing might be submitted; ask qsub itself"},
	{" help", "ask qsub itself"},
}

// aloneForQsub are the options of qsub that take no word after them; the first word of a -pe is followed by one more.
var aloneForQsub = []string{"-hard", "-soft", "-notify", "-clearp", "-clears", "-nostdin"}

// refuseQsub is RefuseOption for qsub's options. A word may follow each that is not known to stand alone.
func refuseQsub(words []string) (at int, why string) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		isOpaque := strings.HasPrefix(word, Opaque)
		if !isOpaque && (len(word) < 2 || word[0] != '-') {
			return i, "on gridengine takes options of qsub, which begin with a -; the program to run stands in the group"
		}
		for _, r := range refusedByQsub {
			if !isOpaque && strings.Contains(r.names+" ", " "+word[1:]+" ") {
				return i, word + " cannot stand after on gridengine: " + r.why
			}
		}
		if slices.Contains(aloneForQsub, word) {
			continue
		}
		most := 1
		if word == "-pe" {
			most = 2
		}
		for ; most > 0 && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-"); most-- {
			i++
		}
	}
	return -1, ""
}
