// Package format reads a history of any of the formats that are known, and tells which one
// it is. It must never import a judge.
package format

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/history/audit"
	"github.com/watchbed/watchbed/history/jepsen"
	"github.com/watchbed/watchbed/history/robustness"
	"github.com/watchbed/watchbed/model"
)

// Format names one.
type Format string

// The formats. A robustness report is a folder, the others are files or streams.
const (
	Watchbed   Format = "watchbed"
	Robustness Format = "robustness"
	Jepsen     Format = "jepsen"
	Audit      Format = "audit"
)

// Names are those of all formats.
func Names() []string {
	return []string{string(Watchbed), string(Robustness), string(Jepsen), string(Audit)}
}

// Recorded is a history that was read.
type Recorded struct {
	Format  Format
	History *model.History
	// Notes are sentences on what the format leaves out of this history.
	Notes []string
}

// Read reads a folder or a file. A format of "" is told from the input. What through returns
// of an open file is read in its place. Every error is one line with the place at fault.
func Read(name string, want Format, through func(*os.File) io.Reader) (*Recorded, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, errors.Unwrap(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		if want == Robustness {
			return nil, fmt.Errorf("%s: a robustness report is a folder, with client-1/operations.json in it", name)
		}
		r, err := ReadStream(through(f), want)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return r, nil
	}
	switch {
	case want != "" && want != Robustness:
		return nil, fmt.Errorf("%s: a folder is a robustness report, and the format %s is a file", name, want)
	case want == "" && !robustness.IsReport(name):
		return nil, fmt.Errorf("%s: a folder that is no robustness report: there is no client-1/operations.json or such", name)
	}
	h, err := robustness.Read(name, through)
	if err != nil {
		return nil, err
	}
	return &Recorded{Format: Robustness, History: h}, nil
}

// ReadStream reads what is no folder.
func ReadStream(r io.Reader, want Format) (*Recorded, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	out := &Recorded{Format: want}
	if want == "" {
		out.Format = detect(in)
	}
	var err error
	switch out.Format {
	case Watchbed:
		out.History, err = history.Read(in)
	case Jepsen:
		out.History, out.Notes, err = jepsen.Read(in)
	case Audit:
		out.History, out.Notes, err = audit.Read(in)
	default:
		err = errors.New("a robustness report is a folder, and this is a stream")
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// detect looks at the first line that is not empty. What nothing else knows is watchbed's,
// whose reader says what is wrong.
func detect(in *bufio.Reader) Format {
	// What a buffer holds of a long line is enough. An error is met again by the reader.
	ahead, _ := in.Peek(in.Size())
	line, _, _ := bytes.Cut(bytes.TrimLeft(ahead, "\ufeff \t\r\n"), []byte("\n"))
	switch {
	case jepsen.IsLine(string(line)):
		return Jepsen
	case strings.Contains(string(line), `"audit.k8s.io/`):
		return Audit
	}
	return Watchbed
}
