package interp_test

// A redirectionPlace says where a redirection stands.
type redirectionPlace struct {
	name string
	// script is the place as a script. LAST1 and LAST are the program, number 1 or 2, that ends in the way in question;
	// PROGRAM and BUILTIN are others; REDIR stands for the redirections.
	script string
	// model says what the reference has of it. The last body ends as e says.
	model func(m *ledger, e ending) result
	// not says why the last body cannot end so, or the form cannot stand there; "": it can.
	not func(f form, e ending) string
}

// grouped is a branch after the other, what they write "kept until it has ended" [9]. What cannot be handed on then is
// a failure of kind `system`, as it is of a job [16].
func grouped(m *ledger, e ending) result {
	if m.streams[1].full {
		m.ran = true
		return noRoom
	}
	return inTurn(m, e)
}

// once opens the redirections, runs something, and ends them: "Redirections apply to programs, functions, builtins, and
// whole blocks" [5].
func once(run func(m *ledger, e ending) result) func(m *ledger, e ending) result {
	return func(m *ledger, e ending) result {
		r := m.open()
		if r == ok {
			r = run(m, e)
		}
		return m.end(r)
	}
}

// inTurn is a builtin, and then the program: a group "stops at the first that fails, and fails" [4].
func inTurn(m *ledger, e ending) result {
	if r := m.builtin(1, succeeds); r != ok {
		return r
	}
	return m.program(2, e)
}

// afresh is one attempt or alternative more, or the catch group: a redirection "starts afresh" [5].
func afresh(m *ledger, run func() result) result {
	r := m.open()
	if r == ok {
		r = run()
	}
	return r
}

// attempts are two of a try, the first of which fails.
func attempts(m *ledger, e ending) result {
	r := afresh(m, func() result { return m.builtin(1, fails) })
	if r.repeats() {
		r = afresh(m, func() result { return m.program(2, e) })
	}
	return m.end(r)
}

// alternatives are two of a forany, the first of which fails, whatever for: it "tries items until one succeeds" [9].
func alternatives(m *ledger, e ending) result {
	afresh(m, func() result { return m.builtin(1, fails) })
	return m.end(afresh(m, func() result { return m.program(2, e) }))
}

// contenders are hedged alternatives: "the winner's output is kept" [5], and "what losers assigned is dropped" [9].
func contenders(m *ledger, e ending) result {
	m.hedged = true
	afresh(m, func() result { return m.builtin(1, fails) })
	r := afresh(m, func() result { return m.program(2, e) })
	if r != ok {
		m.kept = nil
	}
	return m.end(r)
}

// within is a try or forany in what the redirections stand on, the first attempt of which fails: input "is set back",
// and standard output "is cut back …, if it is one that the shell itself has opened for `=>`, `->` or `>`" [5].
func within(m *ledger, e ending) result {
	input, output := m.streams[0], m.streams[1]
	rest, before := input.rest, 0
	if output.to != nil {
		before = len(output.to.lines)
	}
	m.builtin(1, fails)
	if input.rest = rest; output.cut {
		output.to.lines = output.to.lines[:before]
	}
	return m.program(2, e)
}

// withinBranch is such a try in a branch, which shares what it has from around, and leaves it as it is [5].
func withinBranch(m *ledger, e ending) result {
	m.builtin(1, fails)
	return m.program(2, e)
}

// caught is a try that fails, and its catch group, for which redirections start afresh "once more" [5]. "The try then
// succeeds or fails as the catch group does" [7].
func caught(m *ledger, e ending) result {
	afresh(m, func() result { return m.builtin(1, fails) })
	return m.end(afresh(m, func() result { return m.program(2, e) }))
}

// cleaned is a try with a finally group, which "adds to" what counted [5]. It "runs however the try ends" [7].
func cleaned(m *ledger, e ending) result {
	r := afresh(m, func() result { return m.program(1, e) })
	if after := m.write1(2); r == ok && !after {
		r = said1 // "if it fails itself, the try fails" [7]
	}
	return m.end(r)
}

// write1 is a builtin that only writes.
func (m *ledger) write1(n int) bool {
	m.ran = true
	return m.write(1, string(rune('0'+n)))
}

// verified is an attempt whose outcome is unknown, and a verify group that decides. A verify is a phase of its own, and
// only what counted remains [5]: what it writes, as for catch.
func verified(m *ledger, e ending) result {
	r := afresh(m, func() result { return m.program(1, fails) })
	if r != "exit 3" { // `unknown on 3`: all else is known
		return m.end(r)
	}
	v := afresh(m, func() result { return m.builtin(2, e) })
	if v == ok { // "it happened: the try succeeds" [15]
		r = ok
	}
	return m.end(r)
}

// stageOf is a program among the stages of a pipeline.
func stageOf(first bool, own func(e ending) ending) func(m *ledger, e ending) result {
	return func(m *ledger, e ending) result {
		if first {
			m.around[1] = &stream{to: m.pipe}
		} else {
			m.around[0] = &stream{}
		}
		r := m.open()
		if r == ok {
			r = m.program(1, own(e))
		}
		if own(e) != e && (r == ok || e == isCut) { // it "succeeds only if every stage does" [4]
			r = map[ending]result{fails: "exit 3", isCut: timeout}[e]
		}
		if r == timeout {
			m.pipe = &text{} // how far the reader has come is not said
		}
		return m.end(r)
	}
}

func itself(e ending) ending { return e }
func well(ending) ending     { return succeeds }

// turns are the bodies of something that runs twice.
const (
	turns     = "if $x .eql. 1\nBUILTIN 1\nelse\nLAST\nend\nend REDIR"
	failsOnce = "if $x .eql. 1\nBUILTIN 1 failure\nelse\nLAST\nend\nend REDIR"
	tryWithin = "try 2 times every 0 s\nx=${try.attempt}\nif $x .eql. 1\nBUILTIN 1 failure\nelse\nLAST\nend\nend\n"
)

// redirectionPlaces are all of them.
func redirectionPlaces() []redirectionPlace {
	return []redirectionPlace{
		{name: "program", script: "LAST1 REDIR", model: once(program1)},
		{name: "builtin", script: "BUILTINLAST REDIR", model: once(builtin1), not: notOfBuiltin},
		{name: "no command", script: "REDIR", model: once(nothing), not: onlySuccess},
		{name: "function", script: "function f\nBUILTIN 1\nLAST\nend\nf REDIR", model: once(inTurn)},
		{name: "if", script: "if true\nBUILTIN 1\nLAST\nend REDIR", model: once(inTurn)},
		{name: "else", script: "if false\nelse\nBUILTIN 1\nLAST\nend REDIR", model: once(inTurn)},
		{name: "case", script: "case a\nwhen a\nBUILTIN 1\nLAST\nend REDIR", model: once(inTurn)},
		{name: "if try", script: "if try LAST1 REDIR\ntrue\nend", model: once(program1)},
		{name: "for", script: "for x in 1 2\n" + turns, model: once(inTurn)},
		{name: "while", script: "x=0\nwhile $x .lt. 2\nx=$x .add. 1\n" + turns, model: once(inTurn)},
		{name: "try", script: "try\nBUILTIN 1\nLAST\nend REDIR", model: once(inTurn)},
		{name: "try, second attempt",
			script: "try 2 times every 0 s\nx=${try.attempt}\n" + failsOnce, model: attempts},
		{name: "catch", script: "try\nBUILTIN 1 failure\ncatch\nLAST\nend REDIR", model: caught},
		{name: "finally", script: "try\nLAST1\nfinally\nsay 2 success\nend REDIR", model: cleaned},
		{name: "verify", script: "try 1 time unknown on 3\nPROGRAM 1 failure\nverify\nBUILTINLAST2\nend REDIR",
			model: verified, not: notInVerify},
		{name: "forany", script: "forany x in 1 2 .inorder.\n" + failsOnce,
			model: alternatives},
		{name: "forany, hedged",
			script: "forany x in 1 2 .inorder. .hedge. 1 day\n" + failsOnce,
			model:  contenders},
		{name: "forall", script: "forall x in 1 2 .limit. 1\n" + turns,
			model: once(inTurn)},
		{name: "forall, grouped",
			script: "forall x in 1 2 .limit. 1 .grouped.\n" + turns, model: once(grouped),
			not: notGrouped},
		{name: "function, try within", script: "function f\n" + tryWithin + "end\nf REDIR", model: once(within)},
		{name: "if, try within", script: "if true\n" + tryWithin + "end REDIR", model: once(within)},
		{name: "for, catch within", script: "for y in 1\ntry\nBUILTIN 1 failure\ncatch\nLAST\nend\nend REDIR",
			model: once(within)},
		{name: "try, forany within", model: once(within),
			script: "try\nforany x in 1 2 .inorder.\nif $x .eql. 1\nBUILTIN 1 failure\nelse\nLAST\nend\nend\nend REDIR"},
		{name: "forall, try within", script: "forall y in 1\n" + tryWithin + "end REDIR", model: once(withinBranch)},
		{name: "first stage", script: "LAST1 REDIR | sh -c 'cat >> piped'", model: stageOf(true, itself)},
		{name: "first stage, the last ends so", script: "PROGRAM 1 4>&1 REDIR | sh -c 'cat >> piped; ENDS'",
			model: stageOf(true, well), not: notAtOnce},
		{name: "last stage", script: "true | LAST1 REDIR", model: stageOf(false, itself)},
		{name: "function, last stage", script: "function f\nBUILTIN 1\nLAST\nend\ntrue | f REDIR", model: once(inTurn)},
		{name: "on here", script: "on here\nBUILTIN 1\nLAST\nend REDIR", model: once(inTurn)},
		{name: "program in on here", script: "on here\nLAST1 REDIR\nend", model: once(program1)},
		{name: "on start", script: "on start\nBUILTIN 1\nLAST\nend REDIR", model: once(inTurn), not: atTopLevel},
	}
}

func program1(m *ledger, e ending) result { return m.program(1, e) }

// builtin1 is a builtin alone: one that reads, one that writes, or one that only takes time.
func builtin1(m *ledger, e ending) result {
	switch {
	case e == isCut: // it sleeps
		return timeout
	case m.form.reads() < 0:
		return m.builtin(1, e)
	}
	m.streams[1] = &stream{} // it writes nothing
	return m.builtin(1, e)
}

func nothing(*ledger, ending) result { return ok }

func onlySuccess(_ form, e ending) string {
	return map[ending]string{fails: "there is nothing that could fail", isCut: "there is nothing that takes time"}[e]
}

func atTopLevel(f form, e ending) string {
	l := newLedger(f)
	if e != succeeds || once(inTurn)(l, e) != ok {
		return "it stands at the top level, where nothing can catch what has failed"
	}
	return ""
}

func notGrouped(f form, e ending) string {
	l := newLedger(f)
	switch opened := l.open() == ok; {
	case opened && l.streams[3] == l.streams[1]:
		return "only standard output and standard error are kept: what goes elsewhere may come before" // [9]
	case opened && l.streams[1].full && e != succeeds:
		return "which branch fails first is not said"
	}
	return ""
}

func notAtOnce(f form, e ending) string {
	l := newLedger(f)
	if l.open() == ok && l.streams[1].full && e == fails {
		return "both stages fail at once"
	}
	return ""
}

func notOfBuiltin(f form, e ending) string {
	if e == fails && f.reads() >= 0 {
		return "no builtin reads, and then fails"
	}
	if e == succeeds && f.reads() == 3 {
		return "no builtin reads another descriptor"
	}
	return ""
}

func notInVerify(_ form, e ending) string {
	if e == isCut {
		return "how long a verify goes on is in outcomes.txt"
	}
	return ""
}

// What the shell says of redirections after something.
const (
	groupBegins   = `expected the end of the line; the group begins on the next one, not ">"`
	afterResource = "a redirection after the end of a resource; redirect the commands in its sense"
	afterFunction = "a redirection after the end of a function, where nothing runs yet; redirect its calls, " +
		"or the commands in it"
	noStage = "a block is no stage of a pipeline; give it its input at its end,  end < file  or  end -< name, " +
		"or put it into a function, and call that as the last stage"
)

// statements are those with which no redirection may stand, with what the shell says: "Redirections apply to programs,
// functions, builtins, and whole blocks" [5], and not to what has no output. After `function … end` it "is a syntax
// error" [10].
var statements = map[string]string{
	"x=5 REDIR":                               "an assignment has no output; to keep that of a command write  cmd -> x",
	"for x in 1\nbreak REDIR\nend":            `expected the end of the line, not ">"`,
	"for x in 1\ncontinue REDIR\nend":         `expected the end of the line, not ">"`,
	"function f\nreturn REDIR\nend":           `expected a value, not ">"`,
	"function f\nreturn 5 REDIR\nend":         `expected one value, not ">"`,
	"function f\nshift REDIR\nend":            `expected a value, not ">"`,
	"export x REDIR":                          `expected one variable, not ">"`,
	"export x=5 REDIR":                        `expected one variable, not ">"`,
	"function f\nlocal x REDIR\nend":          `expected one variable, not ">"`,
	"secret x REDIR":                          `expected names of variables, not ">"`,
	"source other REDIR":                      `expected one path, not ">"`,
	"function f\ntrue\nend REDIR":             afterFunction,
	"resource r\nsense\ntrue\nend\nend REDIR": afterResource,
	"resource r\nsense\ntrue\nend REDIR\nend": afterResource,
	"try REDIR\ntrue\nend":                    `expected a limit or a clause, not ">"`,
	"try\ntrue\ncatch REDIR\ntrue\nend":       groupBegins,
	"if true REDIR\ntrue\nend":                "> is no operator; write .gt.",
	"if false\nelse if true REDIR\nend":       "> is no operator; write .gt.",
	"if true\nelse REDIR\ntrue\nend":          groupBegins,
	"case a REDIR\nwhen a\nend": `expected the end of the line; the first when stands on the next ` +
		`one, not ">"`,
	"case a\nwhen a REDIR\nend":           `expected a pattern, not ">"`,
	"forall x in 1 REDIR\ntrue\nend":      `expected more of the list or the end of the line, not ">"`,
	"forany x in 1 REDIR\ntrue\nend":      `expected more of the list or the end of the line, not ">"`,
	"while false REDIR\ntrue\nend":        "> is no operator; write .gt.",
	"on here REDIR\ntrue\nend":            groupBegins,
	"true | if true\ntrue\nend REDIR":     noStage,
	"try\ntrue\nverify REDIR\ntrue\nend":  groupBegins,
	"try\ntrue\nfinally REDIR\ntrue\nend": groupBegins,
	"for x in 1 REDIR\ntrue\nend":         `expected more of the list or the end of the line, not ">"`,
}
