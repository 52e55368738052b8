package command

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/watchbed/watchbed/report"
)

// streams are where a command reads and writes. The files are nil where there is
// none, as in tests: then nothing is a terminal.
type streams struct {
	in               io.Reader
	out, err         io.Writer
	outFile, errFile *os.File
}

// terminal describes standard output.
func (s streams) terminal() report.Terminal {
	if s.outFile == nil || !term.IsTerminal(int(s.outFile.Fd())) {
		return report.Terminal{}
	}
	t := report.Terminal{Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if width, _, err := term.GetSize(int(s.outFile.Fd())); err == nil {
		// Long lines are hard to read, however wide the window is.
		t.Width = min(width, 110)
	}
	return t
}

// live reports whether progress can be shown: on a terminal that can go back to
// the start of a line.
func (s streams) live() (width int, ok bool) {
	if s.errFile == nil || !term.IsTerminal(int(s.errFile.Fd())) || os.Getenv("TERM") == "dumb" {
		return 0, false
	}
	width, _, err := term.GetSize(int(s.errFile.Fd()))
	return width, err == nil && width > 0
}
