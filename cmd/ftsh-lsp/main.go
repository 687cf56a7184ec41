package main

import (
	"fmt"
	"io"
	"os"

	"github.com/creachadair/jrpc2"
)

const usage = `ftsh-lsp is the language server of ftsh. Editors start it without arguments
and speak the Language Server Protocol on its standard input and output:
ftsh --manual editors. --version names the version.
`

// version is set by the linker for a release.
var version = "8.0.0"

func main() {
	if len(os.Args) > 1 && (os.Args[1] == "-v" || os.Args[1] == "--version") {
		fmt.Println("ftsh-lsp", version)
		return
	}
	if len(os.Args) > 1 && os.Args[1] != "--stdio" { // which some editors add
		fmt.Fprint(os.Stderr, usage)
		if os.Args[1] != "-h" && os.Args[1] != "--help" {
			os.Exit(2)
		}
		return
	}
	os.Exit(serveEditor(os.Stdin, os.Stdout))
}

// serveEditor speaks until the editor says exit or closes its end, and returns the exit
// status: 1 if it did so without having asked for a shutdown.
func serveEditor(in io.Reader, out io.WriteCloser) int {
	s, editor := newServer(), newFrames(in, out)
	s.rpc = jrpc2.NewServer(s.allMethods(), &jrpc2.ServerOptions{AllowPush: true, DisableBuiltin: true})
	s.rpc.Start(editor)
	closed := make(chan struct{})
	go func() {
		_ = s.rpc.Wait() // that the editor is gone is the usual end
		close(closed)
	}()
	select {
	case <-closed:
	case <-s.left: // with a read of standard input under way, which nothing interrupts
	}
	if editor.awaitAnswers() {
		return 0
	}
	return 1
}
