package check

import "strings"

// tools lists the programs that the rules know. To add one, write a line: nothing else needs to change.
//
//	changes  its words name files, folders or links that it changes, makes or removes
//	input    when it reads standard input to its end
//	again    what a second run does, if that is not nothing
//
// What needs more than a table (curl, programs that are handed SQL) stands in repeat.go.
var tools = map[string]known{
	"bzip2":    {changes: true},
	"bunzip2":  {changes: true},
	"chgrp":    {changes: true},
	"chmod":    {changes: true},
	"chown":    {changes: true},
	"cp":       {changes: true},
	"gunzip":   {changes: true},
	"gzip":     {changes: true},
	"install":  {changes: true},
	"ln":       {changes: true},
	"mkdir":    {changes: true, again: []again{{what: "mkdir fails if the folder is there", unless: "-p"}}},
	"mkfifo":   {changes: true},
	"mv":       {changes: true},
	"rm":       {changes: true},
	"rmdir":    {changes: true},
	"rsync":    {changes: true},
	"dd":       {changes: true},
	"scp":      {changes: true},
	"shred":    {changes: true},
	"tar":      {changes: true},
	"tee":      {changes: true, input: always},
	"touch":    {changes: true},
	"truncate": {changes: true},
	"unlink":   {changes: true},
	"unxz":     {changes: true},
	"unzip":    {changes: true},
	"xz":       {changes: true},
	"zip":      {changes: true},
	"zstd":     {changes: true},

	"cat":     {input: alone},
	"sort":    {input: alone},
	"wc":      {input: alone},
	"ffmpeg":  {input: unlessSaid, without: []string{"-nostdin"}},
	"ssh":     {input: unlessSaid, without: []string{"-n", "-f"}},
	"srun":    {input: unlessSaid, without: []string{"--input=none", "-i"}},
	"python":  {input: unlessProgram},
	"python3": {input: unlessProgram},
	"perl":    {input: unlessProgram},
	"ruby":    {input: unlessProgram},
	"sh":      {input: unlessProgram, with: []string{"-s"}},
	"bash":    {input: unlessProgram, with: []string{"-s"}},
	"psql":    {input: unlessSaid, without: strings.Fields("-c -f -l -V --command --file --list --version --help")},
	"mysql":   {input: unlessSaid, without: strings.Fields("-e -V --execute --version --help")},
	"mariadb": {input: unlessSaid, without: strings.Fields("-e -V --execute --version --help")},
	"adb":     {input: ifSaid, with: []string{"shell"}, without: []string{"-n"}},
	"xargs":   {input: always},
	"docker":  {input: ifSaid, with: []string{"exec", "-i"}},
	"podman":  {input: ifSaid, with: []string{"exec", "-i"}},

	"adduser": {again: []again{{what: "adduser fails if the user is there"}}},
	"aws": {again: []again{
		{with: "send-message", what: "aws sends a message"},
		{with: "publish", what: "aws sends a message"},
		{with: "run-instances", what: "aws starts machines", unless: "--client-token"},
	}},
	"bsub":          {again: []again{{what: "bsub submits a job"}}},
	"condor_submit": {again: []again{{what: "condor_submit submits a job"}}},
	"gh":            {again: []again{{with: "create", what: "gh makes another one"}}},
	"git": {again: []again{
		{with: "push", what: "git pushes again, or is refused since it has", unless: "--dry-run"},
	}},
	"groupadd": {again: []again{{what: "groupadd fails if the group is there", unless: "-f"}}},
	"kubectl": {input: ifSaid, with: []string{"exec", "-i"}, again: []again{
		{with: "create", what: "kubectl fails if the object is there, or makes another", unless: "--dry-run=client"},
	}},
	"mail":     {input: always, again: []again{{what: "mail sends a mail"}}},
	"mailx":    {input: always, again: []again{{what: "mailx sends a mail"}}},
	"mutt":     {again: []again{{what: "mutt sends a mail"}}},
	"qsub":     {again: []again{{what: "qsub submits a job"}}},
	"sbatch":   {again: []again{{what: "sbatch submits a job", unless: "--test-only"}}},
	"sendmail": {input: always, again: []again{{what: "sendmail sends a mail"}}},
	"useradd":  {again: []again{{what: "useradd fails if the user is there"}}},
}

// known is a line of the table.
type known struct {
	changes bool
	input   stdin
	with    []string // of ifSaid: arguments that it must have, an option also among others (-it)
	without []string // of unlessSaid: arguments of which none may be there
	again   []again
}

// stdin says when a program reads standard input.
type stdin uint8

const (
	never         stdin = iota
	always              // whatever its arguments
	alone               // without arguments
	unlessSaid          // with arguments, none of which is in without
	ifSaid              // with all arguments that are in with
	unlessProgram       // without the name or text of a program before - or one of with
)

// again says what a second run does.
type again struct {
	with   string // an argument that it needs to do so; "": none
	what   string // it does
	unless string // an argument with which it does not
}

// wrappers are programs that run the one that their arguments name.
var wrappers = map[string]wrapper{
	"chrt":    {operands: 1},
	"doas":    {valued: []string{"-u", "-C"}},
	"env":     {valued: []string{"-u", "-C", "--unset", "--chdir"}, assigns: true},
	"exec":    {},
	"ionice":  {valued: []string{"-c", "-n"}},
	"nice":    {valued: []string{"-n"}},
	"nohup":   {},
	"setsid":  {},
	"stdbuf":  {valued: []string{"-i", "-o", "-e"}},
	"sudo":    {valued: []string{"-u", "-g", "-h", "-p", "-C", "-D", "-r", "-t"}, assigns: true},
	"time":    {valued: []string{"-f", "-o"}},
	"timeout": {valued: []string{"-s", "-k"}, operands: 1},
}

// wrapper says where the arguments of a wrapper end.
type wrapper struct {
	valued   []string // options that take the next word
	operands int      // words before the program
	assigns  bool     // NAME=VALUE may stand before the program
}
