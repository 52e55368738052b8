// Package checkpoint (unstable) keeps a search on disk, so that it goes on after it was interrupted or
// killed.
//
// A directory has one file, to which parts are only added. A part is a line that says what the search must
// know to go on from there, and how many bytes of states and of the graph follow. It is written and synced,
// and then its checksum, of everything before it in the file. A part counts once its checksum is whole. So
// whenever the process or the machine ends, the whole parts are a search that goes on, and what is behind
// them is cut off. A file without a whole first part is left alone: only an end while that part was
// written lets a search begin there. A changed file is refused, and never searched on. A file that ends
// too soon goes on from the parts that it has.
//
//	Log     the file of one search
//	Part    what is added at a time
//
// The package imports nothing of this module. It must never import what searches: it does not
// know what the bytes mean.
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
	"sort"
)

// Part is what is added at a time: the states and the part of the graph that were found since
// the part before, and what else the search knows now, as JSON.
type Part struct {
	States, Graph []byte
	Now           json.RawMessage
}

// Log is a search on disk. It is not used after an error.
type Log struct {
	dir  string
	file *os.File
	// whole is how long the file is, without a part that is not whole, and sum the checksum of all that.
	whole int64
	sum   uint64
	// states is how many bytes of states there are, blocks where they are in the file.
	states int64
	blocks []block
}

// block is the states of one part: where the first of their bytes is among those of all states, and where in the file.
type block struct{ states, file int64 }

// format is that of the file.
const format = 2

// header is the first line.
type header struct {
	Format int `json:"format"`
	// Question has NAME=VALUE for everything on which the result depends.
	Question []string `json:"question"`
}

// line is one of the others, and says how many bytes of states and of the graph are behind it.
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

func (l *Log) open(question []string, take func(Part) error) (err error) {
	if err := os.MkdirAll(l.dir, 0o777); err != nil {
		return l.failed("open", err)
	}
	path := filepath.Join(l.dir, "search")
	// Opening a named pipe may wait forever.
	if there, err := os.Stat(path); err == nil && !there.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file: give another directory", path)
	}
	if l.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return l.failed("open", err)
	}
	if err := Lock(l.file); err != nil {
		return fmt.Errorf("%s is in use: another search writes to it", l.dir)
	}
	if err := l.read(question, take); err != nil {
		return err
	}
	first, err := json.Marshal(header{format, question})
	if err != nil {
		return err
	}
	begins := l.whole == 0
	if begins {
		if err := l.mayBegin(first); err != nil {
			return err
		}
	}
	if err := l.file.Truncate(l.whole); err != nil {
		return l.failed("write", err)
	}
	if _, err := l.file.Seek(l.whole, io.SeekStart); err != nil {
		return l.failed("write", err)
	}
	if begins {
		return l.write(first, nil, nil)
	}
	return nil
}

// mayBegin refuses a file without a whole header, unless a search that ended while it wrote the header has
// left it so: anything else would be lost.
func (l *Log) mayBegin(first []byte) error {
	begun := fmt.Appendf(nil, "%s\n"+checksumForm, first, l.sumOf(first))
	there, err := io.ReadAll(io.NewSectionReader(l.file, 0, int64(len(begun))+1))
	if err != nil {
		return l.failed("read", err)
	}
	if !bytes.HasPrefix(begun, there) {
		return fmt.Errorf("%s has a file search, and the beginning of a search in it is missing or cut off: it is damaged, or something else's; nothing in it was overwritten: give another directory", l.dir)
	}
	return nil
}

// read reads the parts that are whole.
func (l *Log) read(question []string, take func(Part) error) error {
	r := bufio.NewReader(l.file)
	for n := 1; ; n++ {
		text, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			// What there is of this part was being written when the search ended.
			return nil
		} else if err != nil {
			return l.failed("read", err)
		}
		text = text[:len(text)-1]
		var at line
		if n > 1 && json.Unmarshal(text, &at) != nil || at.States < 0 || at.Graph < 0 {
			return l.damaged(n)
		}
		// A length that is wrong does not take its memory: what is read ends with the file.
		behind, err := io.ReadAll(io.LimitReader(r, at.States+at.Graph+checksumBytes))
		switch {
		case err != nil:
			return l.failed("read", err)
		case int64(len(behind)) < at.States+at.Graph+checksumBytes:
			return nil
		}
		p := Part{States: behind[:at.States], Graph: behind[at.States : at.States+at.Graph], Now: at.Now}
		sum := l.sumOf(text, p.States, p.Graph)
		if said := behind[at.States+at.Graph:]; string(said) != fmt.Sprintf(checksumForm, sum) {
			return l.damaged(n)
		}
		l.add(sum, text, p.States, p.Graph)
		if n == 1 {
			err = l.isAbout(question, text)
		} else {
			err = take(p)
		}
		if err != nil {
			return err
		}
	}
}

var table = crc64.MakeTable(crc64.ECMA)

// Behind each part stands the checksum of all that is in the file before it.
const (
	checksumForm  = "%016x\n"
	checksumBytes = 16 + 1
)

// sumOf is the checksum if this is behind all that is whole.
func (l *Log) sumOf(parts ...[]byte) uint64 {
	sum := l.sum
	for _, b := range parts {
		sum = crc64.Update(sum, table, b)
	}
	return sum
}

// add goes on behind a part that is whole.
func (l *Log) add(sum uint64, text, states, graph []byte) {
	l.blocks = append(l.blocks, block{l.states, l.whole + int64(len(text)) + 1})
	l.states += int64(len(states))
	l.whole += int64(len(text)) + 1 + int64(len(states)) + int64(len(graph)) + checksumBytes
	l.sum = sum
}

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
	return fmt.Errorf("%s is damaged: part %d of its file search does not fit its checksum: %s", l.dir, n, remedy)
}

// failed leaves out what the error says of the path: it is in the directory.
func (l *Log) failed(what string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("cannot %s %s, where the search is kept: %w", what, l.dir, err)
}

// ReadAt reads the bytes of states, one behind the other, within one part. It is not for use while a part is added.
func (l *Log) ReadAt(b []byte, at int64) (int, error) {
	i := sort.Search(len(l.blocks), func(i int) bool { return l.blocks[i].states > at }) - 1
	return l.file.ReadAt(b, l.blocks[i].file+at-l.blocks[i].states)
}

// Append adds a part. After an error the parts before it are still whole.
func (l *Log) Append(p Part) error {
	text, err := json.Marshal(line{States: int64(len(p.States)), Graph: int64(len(p.Graph)), Now: p.Now})
	if err != nil {
		return err
	}
	return l.write(text, p.States, p.Graph)
}

// write writes a part, and its checksum once the part is on disk.
func (l *Log) write(text, states, graph []byte) error {
	sum := l.sumOf(text, states, graph)
	for _, b := range [][]byte{slices.Concat(text, []byte("\n"), states, graph), fmt.Appendf(nil, checksumForm, sum)} {
		if _, err := l.file.Write(b); err != nil {
			return l.failed("write", err)
		}
		if err := l.file.Sync(); err != nil {
			return l.failed("write", err)
		}
	}
	l.add(sum, text, states, graph)
	return nil
}

// Close lets go of the file.
func (l *Log) Close() {
	if l.file != nil {
		l.file.Close()
	}
}
