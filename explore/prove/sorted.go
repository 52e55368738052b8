package prove

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// sorted is a set of fingerprints in a file, in their order, with the first of each page in
// memory. So one read tells whether a fingerprint is there. What is added is merged with all
// that is there into another file.
//
// This is how TLC keeps fingerprints that memory cannot hold (its DiskFPSet): each state is
// known as new or old at once, so that the search goes the same way as in memory. Murphi reads
// the file once a layer instead (Stern and Dill 1998, "Using magnetic disk instead of main
// memory in the Murphi verifier"). That reads less at random, but numbers the states of a layer
// only at its end: no limit, checkpoint or edge of the graph could be taken before.
type sorted struct {
	paths [2]string
	// now is which of the paths has the file; it is nil while there is none.
	file  *os.File
	now   int
	count int
	// firsts is the first fingerprint of each page.
	firsts []uint64
}

// A page is what is read at a time.
const (
	pageKeys  = 128
	pageBytes = 8 * pageKeys
)

func newSorted(dir string) *sorted {
	return &sorted{paths: [2]string{filepath.Join(dir, "sorted-0"), filepath.Join(dir, "sorted-1")}}
}

var pages = sync.Pool{New: func() any { return new([pageBytes]byte) }}

// has may be called by several goroutines while merge is not.
func (f *sorted) has(key uint64) (bool, error) {
	page, found := slices.BinarySearch(f.firsts, key)
	if found || page == 0 {
		return found, nil
	}
	page--
	buffer := pages.Get().(*[pageBytes]byte)
	defer pages.Put(buffer)
	b := buffer[:8*min(pageKeys, f.count-page*pageKeys)]
	if _, err := f.file.ReadAt(b, int64(page)*pageBytes); err != nil {
		return false, err
	}
	first, last := 0, len(b)/8
	for first < last {
		middle := (first + last) / 2
		switch at := binary.LittleEndian.Uint64(b[8*middle:]); {
		case at == key:
			return true, nil
		case at < key:
			first = middle + 1
		default:
			last = middle
		}
	}
	return false, nil
}

// merge takes in fingerprints, none of which is there. It sorts them.
func (f *sorted) merge(keys []uint64) error {
	slices.Sort(keys)
	next := 1 - f.now
	to, err := os.OpenFile(f.paths[next], os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	all := &sorted{paths: f.paths, file: to, now: next}
	err = f.mergeInto(all, keys)
	if err != nil {
		return errors.Join(err, all.close())
	}
	err = f.close()
	*f = *all
	return err
}

func (f *sorted) mergeInto(all *sorted, keys []uint64) error {
	out := bufio.NewWriterSize(all.file, 1<<20)
	put := func(key uint64) error {
		if all.count%pageKeys == 0 {
			all.firsts = append(all.firsts, key)
		}
		all.count++
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], key)
		_, err := out.Write(b[:])
		return err
	}
	in := bufio.NewReaderSize(io.NewSectionReader(f.file, 0, int64(f.count)*8), 1<<20)
	var b [8]byte
	for range f.count {
		if _, err := io.ReadFull(in, b[:]); err != nil {
			return err
		}
		key := binary.LittleEndian.Uint64(b[:])
		for len(keys) > 0 && keys[0] < key {
			if err := put(keys[0]); err != nil {
				return err
			}
			keys = keys[1:]
		}
		if err := put(key); err != nil {
			return err
		}
	}
	for _, key := range keys {
		if err := put(key); err != nil {
			return err
		}
	}
	return out.Flush()
}

// close removes the file: it is made again from the states that are kept.
func (f *sorted) close() error {
	if f.file == nil {
		return nil
	}
	return errors.Join(f.file.Close(), os.Remove(f.paths[f.now]))
}

// bytes is how much memory it takes.
func (f *sorted) bytes() int { return 8 * cap(f.firsts) }
