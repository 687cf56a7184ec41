package parser

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	plex "github.com/alecthomas/participle/v2/lexer"

	"ftsh/lexer"
)

// grammar is participle's parser for one struct, built when it is first needed:
// each takes 10 to 50 µs, and a small script needs three of them.
type grammar[G any] struct {
	once   sync.Once
	parser *participle.Parser[G]
}

// The parsers. Once built they do not change.
var (
	tries             grammar[try]
	paces             grammar[pace]
	backoffs          grammar[backoff]
	conditionses      grammar[conditions]
	labels            grammar[label]
	loops             grammar[loop]
	whiles            grammar[while]
	conditionals      grammar[conditional]
	functions         grammar[function]
	resources         grammar[resource]
	slotses           grammar[slots]
	budgets           grammar[budget]
	breakers          grammar[breaker]
	senses            grammar[sense]
	returnses         grammar[returns]
	shifts            grammar[shift]
	declarations      grammar[declaration]
	declarationValues grammar[declarationValue]
	sources           grammar[source]
)

// vocabulary is what all of them know of tokens.
var vocabulary struct {
	once       sync.Once
	definition *lexer.Definition
}

// parse reads one G from the tokens, and leaves those after it.
func (g *grammar[G]) parse(lex *plex.PeekingLexer) (*G, error) {
	g.once.Do(func() {
		vocabulary.once.Do(func() { vocabulary.definition = lexer.NewDefinition() })
		// A lookahead of 1 would go on after the first token has decided, and
		// misplace errors.
		g.parser = participle.MustBuild[G](participle.Lexer(vocabulary.definition), participle.UseLookahead(0))
	})
	return g.parser.ParseFromLexer(lex, participle.AllowTrailing(true))
}

// enter parses one G as what it is to the caller.
func enter[I any, G any](g *grammar[G], lex *plex.PeekingLexer) (I, error) {
	v, err := g.parse(lex)
	return any(v).(I), err
}

// enterStatement goes to the parser that the first token calls for.
func enterStatement(lex *plex.PeekingLexer) (statement, error) {
	first := lex.Peek()
	switch first.Type {
	case lexer.Assign:
		lex.Next()
		s := &assign{}
		return s, s.Parse(lex)
	case lexer.Word, lexer.Redirect:
		s := &command{}
		return s, s.Parse(lex)
	case lexer.Keyword:
		return enterKeyword(lex, first.Value)
	}
	return nil, wanted(lex, "a command")
}

func enterKeyword(lex *plex.PeekingLexer, keyword string) (statement, error) {
	switch keyword {
	case "try":
		return enter[statement](&tries, lex)
	case "for", "forany", "forall":
		return enter[statement](&loops, lex)
	case "while":
		return enter[statement](&whiles, lex)
	case "if":
		return enter[statement](&conditionals, lex)
	case "function":
		return enter[statement](&functions, lex)
	case "return":
		return enter[statement](&returnses, lex)
	case "shift":
		return enter[statement](&shifts, lex)
	case "export", "local":
		return enterDeclaration(lex)
	case "source":
		return enter[statement](&sources, lex)
	case "resource":
		return enter[statement](&resources, lex)
	}
	return enterSetting(lex, keyword)
}

// enterSetting goes to the parser of a part of a resource.
func enterSetting(lex *plex.PeekingLexer, keyword string) (statement, error) {
	switch keyword {
	case "slots":
		return enter[statement](&slotses, lex)
	case "budget":
		return enter[statement](&budgets, lex)
	case "breaker":
		return enter[statement](&breakers, lex)
	case "sense":
		return enter[statement](&senses, lex)
	}
	return enterLater(lex)
}

// enterDeclaration looks at the token after the keyword.
func enterDeclaration(lex *plex.PeekingLexer) (statement, error) {
	before := lex.MakeCheckpoint()
	lex.Next()
	assigned := lex.Peek().Type == lexer.Assign
	lex.LoadCheckpoint(before)
	if assigned {
		return enter[statement](&declarationValues, lex)
	}
	return enter[statement](&declarations, lex)
}

// enterClause goes to the parser that a word of a try's first line calls for.
func enterClause(lex *plex.PeekingLexer) (clause, error) {
	first := lex.Peek()
	if first.Type == lexer.Clause {
		switch first.Value {
		case "each", "every":
			return enter[clause](&paces, lex)
		case "backoff":
			return enter[clause](&backoffs, lex)
		case "only", "except", "unknown":
			return enter[clause](&conditionses, lex)
		case "via", "key":
			return enter[clause](&labels, lex)
		}
	}
	l := &limits{}
	return l, l.Parse(lex)
}
