package checkpoint

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Part is what is added at a time: the states and the part of the graph that were found since
// the part before, and what else the search knows now, as JSON.
type Part struct {
	States, Graph []byte
	Now           json.RawMessage
}

// Log is a search on disk. It is not used after an error.
type Log struct {
	dir                  string
	parts, states, graph *os.File
	statesLen, graphLen  int64
	sum                  uint64
}

// format is that of the files.
const format = 1

// header is the first line.
type header struct {
	Format int `json:"format"`
	// Question has NAME=VALUE for everything on which the result depends.
	Question []string `json:"question"`
}

// line is one of the others, and says how long the files of states and graph are.
type line struct {
	States int64           `json:"states"`
	Graph  int64           `json:"graph"`
	Now    json.RawMessage `json:"now"`
}

// Open opens the search that a directory keeps, or begins one in it. take gets the parts that
// are there, in order; their bytes are valid until it returns. A directory that keeps the
// search of another question is refused.
func Open(dir string, question []string, take func(Part) error) (*Log, error) {
	l := &Log{dir: dir}
	if err := l.open(question, take); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func (l *Log) open(question []string, take func(Part) error) error {
	if err := os.MkdirAll(l.dir, 0o777); err != nil {
		return l.failed("open", err)
	}
	for name, file := range map[string]**os.File{"parts": &l.parts, "states": &l.states, "graph": &l.graph} {
		f, err := os.OpenFile(filepath.Join(l.dir, name), os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return l.failed("open", err)
		}
		*file = f
	}
	if err := lock(l.parts); err != nil {
		return fmt.Errorf("%s is in use: another search writes to it", l.dir)
	}
	whole, err := l.read(question, take)
	if err != nil {
		return err
	}
	text, err := json.Marshal(header{format, question})
	if err != nil {
		return err
	}
	if whole == 0 {
		if err := l.mayBegin(text); err != nil {
			return err
		}
	}
	for file, size := range map[*os.File]int64{l.parts: whole, l.states: l.statesLen, l.graph: l.graphLen} {
		if err := file.Truncate(size); err != nil {
			return l.failed("write", err)
		}
		if _, err := file.Seek(size, io.SeekStart); err != nil {
			return l.failed("write", err)
		}
	}
	if whole > 0 {
		return nil
	}
	return l.write(nil, nil, text)
}

// mayBegin refuses a directory without a whole first line, unless a search that ended while it
// wrote that line has left the files so. Anything else would be lost: states whose file parts
// was cut off, or files that no search has written.
func (l *Log) mayBegin(text []byte) error {
	for _, f := range []*os.File{l.states, l.graph} {
		at, err := f.Stat()
		if err != nil {
			return l.failed("read", err)
		}
		if at.Size() > 0 {
			return l.notBegun(f)
		}
	}
	first := fmt.Appendf(nil, "%016x %s\n", crc64.Update(l.sum, table, text), text)
	there, err := io.ReadAll(io.NewSectionReader(l.parts, 0, int64(len(first))+1))
	if err != nil {
		return l.failed("read", err)
	}
	if !bytes.HasPrefix(first, there) {
		return l.notBegun(l.parts)
	}
	return nil
}

func (l *Log) notBegun(f *os.File) error {
	return fmt.Errorf("%s has a file %s, and the first line of a search in its file parts is missing or cut off: it is damaged, or something else's; nothing in it was overwritten: give another directory", l.dir, filepath.Base(f.Name()))
}

// read reads the lines that are whole. It returns how long they are together.
func (l *Log) read(question []string, take func(Part) error) (whole int64, err error) {
	lines, states, graph := bufio.NewReader(l.parts), bufio.NewReader(l.states), bufio.NewReader(l.graph)
	for n := 1; ; n++ {
		text, err := lines.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF):
			// What there is of this line was being written when the search ended.
			return whole, nil
		case err != nil:
			return 0, l.failed("read", err)
		}
		said, now, separated := bytes.Cut(text[:len(text)-1], []byte(" "))
		if !separated {
			return 0, l.damaged(n)
		}
		var p Part
		if n > 1 {
			var at line
			if json.Unmarshal(now, &at) != nil {
				return 0, l.damaged(n)
			}
			if p.States, err = next(states, &l.statesLen, at.States); err == nil {
				p.Graph, err = next(graph, &l.graphLen, at.Graph)
			}
			if err != nil {
				return 0, l.damaged(n)
			}
			p.Now = at.Now
		}
		if l.add(p.States, p.Graph, now); string(said) != l.checksum() {
			return 0, l.damaged(n)
		}
		if n == 1 {
			err = l.isAbout(question, now)
		} else {
			err = take(p)
		}
		if err != nil {
			return 0, err
		}
		whole += int64(len(text))
	}
}

// next reads a file on, up to a length.
func next(from io.Reader, at *int64, until int64) ([]byte, error) {
	if until < *at {
		return nil, io.ErrUnexpectedEOF
	}
	// A length that is wrong does not take its memory: what is read ends with the file.
	b, err := io.ReadAll(io.LimitReader(from, until-*at))
	if err == nil && int64(len(b)) < until-*at {
		err = io.ErrUnexpectedEOF
	}
	*at = until
	return b, err
}

var table = crc64.MakeTable(crc64.ECMA)

// add goes on with the checksum.
func (l *Log) add(states, graph, now []byte) {
	for _, b := range [][]byte{states, graph, now} {
		l.sum = crc64.Update(l.sum, table, b)
	}
}

func (l *Log) checksum() string { return fmt.Sprintf("%016x", l.sum) }

// isAbout refuses the search of another question.
func (l *Log) isAbout(question []string, text []byte) error {
	var h header
	if err := json.Unmarshal(text, &h); err != nil || h.Format != format {
		return fmt.Errorf("%s keeps a search that another version of this program has written: %s", l.dir, remedy)
	}
	differs := func(list, from []string) string {
		for _, x := range list {
			if !slices.Contains(from, x) {
				return x
			}
		}
		return "less"
	}
	if !slices.Equal(h.Question, question) {
		return fmt.Errorf("%s keeps another search: it has %s, and this one %s: %s", l.dir, differs(h.Question, question), differs(question, h.Question), remedy)
	}
	return nil
}

const remedy = "give another directory, or remove it to begin anew"

func (l *Log) damaged(n int) error {
	return fmt.Errorf("%s is damaged: line %d of its file parts does not fit what the files have: %s", l.dir, n, remedy)
}

// failed leaves out what the error says of the path: it is in the directory.
func (l *Log) failed(what string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("cannot %s %s, where the search is kept: %w", what, l.dir, err)
}

// States reads the file of states while it is written.
func (l *Log) States() io.ReaderAt { return l.states }

// Append adds a part. After an error the parts before it are still whole.
func (l *Log) Append(p Part) error {
	l.statesLen += int64(len(p.States))
	l.graphLen += int64(len(p.Graph))
	now, err := json.Marshal(line{States: l.statesLen, Graph: l.graphLen, Now: p.Now})
	if err != nil {
		return err
	}
	return l.write(p.States, p.Graph, now)
}

func (l *Log) write(states, graph, now []byte) error {
	l.add(states, graph, now)
	for _, to := range []struct {
		file *os.File
		text []byte
	}{{l.states, states}, {l.graph, graph}, {l.parts, fmt.Appendf(nil, "%s %s\n", l.checksum(), now)}} {
		if len(to.text) == 0 {
			continue
		}
		if _, err := to.file.Write(to.text); err != nil {
			return l.failed("write", err)
		}
		if err := to.file.Sync(); err != nil {
			return l.failed("write", err)
		}
	}
	return nil
}

// Close lets go of the files.
func (l *Log) Close() {
	for _, f := range []*os.File{l.graph, l.states, l.parts} {
		if f != nil {
			f.Close()
		}
	}
}
