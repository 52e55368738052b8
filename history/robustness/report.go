// Package robustness (unstable) reads the reports of etcd's robustness tests
// (tests/robustness/report in etcd's repository, of release 3.6 and of main): a folder with
// client-N/operations.json and client-N/watch.json, which hold JSON values one after the other. The
// tests write one when they fail, or when PERSIST_RESULTS is set. The folders server-NAME beside
// them, with each member's data, and traffic.json are passed over: what was written is found out
// from the answers.
//
// The recorded clock is monotonic and common to all clients, so its readings are call and
// return. A write or a compaction with an error may have happened, or may happen later; a
// read with an error says nothing. A value of 20 bytes and more is known by its hash
// (FNV-1a of 32 bits) in some places of a report, and by itself in others; here all have the
// hash.
//
// A report does not have the create revisions of items, nor at which revision etcd was
// compacted when a watch was canceled. Requests to defragment have no effect and are left
// out. Each recorded watch is a watcher of its own: a client of the tests may have several
// at once.
//
// Of a key that stands twice in one object the last one counts. The tests never write that.
//
// It must never import a judge.
package robustness

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// IsReport reports whether a folder looks like a report.
func IsReport(folder string) bool {
	clients, err := clientsIn(folder)
	return err == nil && len(clients) > 0
}

// Read reads a report. through is called for each file that is opened, and what it returns
// is read. Every error is one line with the file and the line at fault.
func Read(folder string, through func(*os.File) io.Reader) (*model.History, error) {
	clients, err := clientsIn(folder)
	if err != nil {
		return nil, err
	}
	if len(clients) == 0 {
		return nil, fmt.Errorf("there is no client-N with operations.json or watch.json: is this the report of a robustness test?")
	}
	r := &reader{assembly: history.NewAssembly(), through: through}
	r.assembly.Place = r.place
	for _, id := range clients {
		name := "client-" + strconv.Itoa(id)
		if err := r.file(filepath.Join(folder, name, operationsFile), func(v *history.Values) error { return r.operation(name, v) }); err != nil {
			return nil, err
		}
		watch := 0
		if err := r.file(filepath.Join(folder, name, watchFile), func(v *history.Values) error {
			watch++
			return r.watch(fmt.Sprintf("%s/watch-%d", name, watch), v)
		}); err != nil {
			return nil, err
		}
	}
	return r.assembly.Finish()
}

const (
	operationsFile = "operations.json"
	watchFile      = "watch.json"
)

// clientsIn are the numbers of the clients of a report, in their order.
func clientsIn(folder string) ([]int, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var ids []int
	for _, e := range entries {
		number, found := strings.CutPrefix(e.Name(), "client-")
		id, err := strconv.Atoi(number)
		if !found || err != nil || !e.IsDir() {
			continue
		}
		for _, file := range [...]string{operationsFile, watchFile} {
			if _, err := os.Stat(filepath.Join(folder, e.Name(), file)); err == nil {
				ids = append(ids, id)
				break
			}
		}
	}
	slices.Sort(ids)
	return ids, nil
}

type reader struct {
	assembly *history.Assembly
	through  func(*os.File) io.Reader
	files    []string
}

// file gives the values of a file to take, one after the other. A client without
// operations, or watches, has no such file.
func (r *reader) file(name string, take func(*history.Values) error) error {
	f, err := os.Open(name)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	r.files = append(r.files, name)
	v := history.NewValues(r.through(f), history.MaxHistoryBytes, "record a shorter run")
	err = v.Each(func([]byte, int64) error { return take(v) })
	if err == nil && v.Passed > 0 {
		err = history.InLine(v.FirstPassed, errors.New("not JSON"))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// decode takes a value. Fields that are not known are refused: what a later release records may
// change what an answer means.
func decode(v *history.Values, into any) error {
	err := v.Decode(into)
	if err != nil && strings.HasPrefix(err.Error(), "unknown field") {
		return fmt.Errorf("%w: reports of etcd's release 3.6 and of main are known", err)
	}
	return err
}

// at is the place of the value that is read: the file and the line where it begins.
func (r *reader) at(v *history.Values) int64 { return int64(len(r.files)-1)<<lineBits | v.Number }

const lineBits = 44

func (r *reader) place(at int64) string {
	return fmt.Sprintf("%s: line %d", r.files[at>>lineBits], at&(1<<lineBits-1))
}
