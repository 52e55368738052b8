package command

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/watchbed/watchbed/report"
)

// process is what a command knows of the process that runs it: the name of the
// program, and where it reads and writes. The files are nil where there is none, as
// in tests: then nothing is a terminal.
type process struct {
	program string
	// args are those of the command, the program's name left out.
	args             []string
	in               io.Reader
	out, err         io.Writer
	outFile, errFile *os.File
	// stdout is out, for files that are written there.
	stdout *output
	beds   []Bed
}

// terminal describes where the command prints.
func (s process) terminal() report.Terminal {
	printed := s.outFile
	if s.stdout.said != nil {
		printed = s.errFile
	}
	return s.terminalOf(printed)
}

// terminalOf describes the terminal that a file is, if it is one.
func (s process) terminalOf(printed *os.File) report.Terminal {
	if printed == nil || !term.IsTerminal(int(printed.Fd())) {
		return report.Terminal{Program: s.program}
	}
	t := report.Terminal{Program: s.program, Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if width, _, err := term.GetSize(int(printed.Fd())); err == nil {
		// Long lines are hard to read, however wide the window is.
		t.Width = min(width, 110)
	}
	return t
}

// live reports whether progress can be shown: on a terminal that can go back to
// the start of a line.
func (s process) live() (width int, ok bool) {
	if s.errFile == nil || !term.IsTerminal(int(s.errFile.Fd())) || os.Getenv("TERM") == "dumb" {
		return 0, false
	}
	width, _, err := term.GetSize(int(s.errFile.Fd()))
	return width, err == nil && width > 0
}

// tool is what recordings say of the program that wrote them.
func (s process) tool() string { return s.program + ", watchbed " + version() }

// complain writes a line to standard error, behind the name of the program.
func (s process) complain(format string, args ...any) {
	fmt.Fprintln(s.err, s.program+": "+fmt.Sprintf(format, args...))
}

// named is a text of the command line with the name of the program in it.
func (s process) named(text string) string { return strings.ReplaceAll(text, "PROGRAM", s.program) }
