package repl

import "bytes"

// modeQuery finds out whether the terminal draws a cluster of code points as
// one character (mode 2027). It is asked only when such a cluster is typed.
type modeQuery struct {
	asked, one bool
	on         bool // we have switched it on
}

const graphemeMode = 2027

// see is told whether something was laid out that depends on the answer.
func (m *modeQuery) see(vague bool) {
	m.asked = m.asked || vague
}

func (m *modeQuery) graphemes() bool { return m.one }

// leave gives the terminal back as it was.
func (m *modeQuery) leave(*bytes.Buffer) {}

type resize struct{}

func (e *editor) placeReported([2]int) (rune, bool) { return 0, false }
func (e *editor) modeReported([2]int) (rune, bool)  { return 0, false }
