// Package format (unstable) reads a history of any of the formats that are
// known, and tells which one it is. It must never import a judge.
package format

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

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
	Watch      Format = "watch"
)

// Names are those of all formats.
func Names() []string {
	return []string{string(Watchbed), string(Robustness), string(Jepsen), string(Audit), string(Watch)}
}

// Recorded is a history that was read.
type Recorded struct {
	Format  Format
	History *model.History
	// Properties are the properties that can be judged of the history, if the format says so.
	Properties []string
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
	case Watch:
		out.History, out.Properties, out.Notes, err = readWatches(in)
	default:
		err = errors.New("a robustness report is a folder, and this is a stream")
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// detect looks at what a buffer holds of the beginning. What nothing else knows is watchbed's,
// whose reader says what is wrong.
func detect(in *bufio.Reader) Format {
	// An error is met again by the reader.
	ahead, _ := in.Peek(in.Size())
	if jepsen.Begins(string(bytes.TrimPrefix(ahead, []byte("\ufeff")))) {
		return Jepsen
	}
	has := keys(ahead)
	switch {
	case has["client"], has["op"], has["format"], has["watch"]:
		return Watchbed
	case bytes.Contains(ahead, []byte("audit.k8s.io/")):
		return Audit
	case has["Header"], has["header"], has["result"], has["object"], has["apiVersion"], has["ClientId"]:
		return Watch
	}
	return Watchbed
}

// keys are those of the first JSON object, as far as it is there.
func keys(text []byte) map[string]bool {
	out := map[string]bool{}
	d := json.NewDecoder(bytes.NewReader(text[max(0, bytes.IndexByte(text, '{')):]))
	if _, err := d.Token(); err != nil {
		return out
	}
	for d.More() {
		key, _ := d.Token()
		name, isName := key.(string)
		if !isName {
			break
		}
		out[name] = true
		var value json.RawMessage
		if d.Decode(&value) != nil {
			break
		}
	}
	return out
}
