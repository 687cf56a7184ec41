package main

// What is spoken of the Language Server Protocol 3.17, in its names. What is only said in one place is an object there.

type object = map[string]any

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"` // in UTF-16
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string    `json:"uri"`
	Range textRange `json:"range"`
}

type textEdit struct {
	Range   textRange `json:"range"`
	NewText string    `json:"newText"`
}

type documentID struct {
	URI string `json:"uri"`
}

type openParams struct {
	TextDocument struct {
		URI  string `json:"uri"`
		Text string `json:"text"`
	} `json:"textDocument"`
}

type changeParams struct {
	documentParams
	ContentChanges []struct {
		Range *textRange `json:"range"` // nil: the whole text
		Text  string     `json:"text"`
	} `json:"contentChanges"`
}

// documentParams begin what is asked of a document.
type documentParams struct {
	TextDocument documentID `json:"textDocument"`
}

func (p documentParams) uri() string { return p.TextDocument.URI }

type positionParams struct {
	documentParams
	Position position `json:"position"`
}

type referenceParams struct {
	positionParams
	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
}

type renameParams struct {
	positionParams
	NewName string `json:"newName"`
}

type actionParams struct {
	documentParams
	Range textRange `json:"range"`
}

type diagnostic struct {
	Range    textRange `json:"range"`
	Severity int       `json:"severity"` // 1 error, 2 warning
	Code     string    `json:"code,omitempty"`
	Source   string    `json:"source"`
	Message  string    `json:"message"`
}

type publishParams struct {
	URI         string       `json:"uri"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type completionItem struct {
	Label    string    `json:"label"`
	Kind     int       `json:"kind"`
	Detail   string    `json:"detail,omitempty"`
	TextEdit *textEdit `json:"textEdit,omitempty"`
}

// The kinds of completion items.
const (
	completeFunction = 3
	completeVariable = 6
	completeModule   = 9
	completeKeyword  = 14
	completeFile     = 17
	completeFolder   = 19
	completeValue    = 12
	completeOperator = 24
)

type documentSymbol struct {
	Name           string    `json:"name"`
	Detail         string    `json:"detail,omitempty"`
	Kind           int       `json:"kind"`
	Range          textRange `json:"range"`
	SelectionRange textRange `json:"selectionRange"`
}

// The kinds of symbols.
const (
	symbolModule   = 2
	symbolFunction = 12
	symbolVariable = 13
)

type foldingRange struct {
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	Kind      string `json:"kind,omitempty"`
}

type codeAction struct {
	Title       string        `json:"title"`
	Kind        string        `json:"kind"`
	Diagnostics []diagnostic  `json:"diagnostics,omitempty"`
	Edit        workspaceEdit `json:"edit"`
}

type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes"`
}
