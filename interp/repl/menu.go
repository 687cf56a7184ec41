package repl

type menu struct{}
type candidate struct{}

func (m *menu) put(l *layout, height int)                   {}
func (e *editor) menuPress(k key) (r rune, pass, done bool) { return 0, false, false }
func (e *editor) complete() (rune, bool)                    { return 0, false }
