package parser

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	plex "github.com/alecthomas/participle/v2/lexer"

	"ftsh/lexer"
)

// grammar is participle's parser for one struct, built when it is first needed:
// building all of them takes longer than running a small script.
type grammar[G any] struct {
	once   sync.Once
	parser *participle.Parser[G]
}

// The parsers, one per statement and one per first line that can be got wrong
// without losing the block under it. They never change once built.
var (
	assigns       grammar[assign]
	commands      grammar[command]
	tries         grammar[try]
	tryHeads      grammar[tryHead]
	loops         grammar[loop]
	loopHeads     grammar[loopHead]
	whiles        grammar[while]
	tests         grammar[test]
	conditionals  grammar[conditional]
	functions     grammar[function]
	functionHeads grammar[functionHead]
	returnss      grammar[returns]
	shifts        grammar[shift]
	declarations  grammar[declaration]
	sources       grammar[source]

	vocabulary = sync.OnceValue(lexer.NewDefinition)
)

// parse reads one G from the tokens, and leaves those after it.
func (g *grammar[G]) parse(lex *plex.PeekingLexer) (*G, error) {
	g.once.Do(func() {
		// A lookahead of 1 would try other alternatives after the first token has
		// decided, and misplace errors.
		g.parser = participle.MustBuild[G](participle.Lexer(vocabulary()), participle.UseLookahead(0))
	})
	return g.parser.ParseFromLexer(lex, participle.AllowTrailing(true))
}

func (tryHead) grammar() *grammar[tryHead]           { return &tryHeads }
func (loopHead) grammar() *grammar[loopHead]         { return &loopHeads }
func (test) grammar() *grammar[test]                 { return &tests }
func (functionHead) grammar() *grammar[functionHead] { return &functionHeads }
