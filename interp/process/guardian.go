package process

type guardian struct{}

func (g *guardian) pid() int      { return 0 }
func (g *guardian) dismiss()      {}
func (g *guardian) rest()         {}
func (g *guardian) leave(int)     {}
func (g *guardian) name(_, _ int) {}
func (h *Host) guard(r *run) int  { return 0 }
func ring()                       {}
